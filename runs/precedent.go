package runs

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// precedent is what an earlier run tells of a system on a domain.
type precedent struct {
	roles  map[string]use // means of a trial; nil if it tells nothing
	called string         // the run, for people
	judge  bool           // it had the job's judge
}

// precedents are the runs that an estimate may go by.
type precedents struct {
	job   *Job
	named bool // by the user: then it is gone by even where its models are others
	runs  []*earlier
}

// earlier is a run that is there. What it used is read when it is asked for.
type earlier struct {
	dir      string
	manifest Manifest
	run      *Run
	means    map[part]map[string]use
}

// precedents finds the runs: the one that is named, else the job's own and those beside it, the newest first.
func (j *Job) precedents(like string) (*precedents, error) {
	p := &precedents{job: j, named: like != ""}
	if p.named {
		r, err := Open(like)
		if err != nil {
			return nil, fmt.Errorf("like: %w", configFault(err))
		}
		p.runs = []*earlier{{dir: like, manifest: r.manifest, run: r}}
		return p, nil
	}
	beside := filepath.Dir(filepath.Clean(j.Dir))
	list, err := os.ReadDir(beside)
	if err != nil {
		return p, nil // no folder, no runs
	}
	for _, d := range list {
		dir := filepath.Join(beside, d.Name())
		if m, err := readManifest(dir); err == nil && m.Config != nil {
			p.runs = append(p.runs, &earlier{dir: dir, manifest: m})
		}
	}
	own := filepath.Clean(j.Dir)
	slices.SortStableFunc(p.runs, func(a, b *earlier) int {
		if (a.dir == own) != (b.dir == own) { // nothing is more alike than the run itself
			if a.dir == own {
				return -1
			}
			return 1
		}
		return cmp.Or(strings.Compare(b.manifest.Created, a.manifest.Created), strings.Compare(a.dir, b.dir))
	})
	return p, nil
}

// of returns what the first run that matches tells of a system on a domain.
func (p *precedents) of(k part) (precedent, error) {
	s := p.job.Config.system(k.system)
	for _, e := range p.runs {
		i := slices.IndexFunc(e.manifest.Config.Systems, func(o System) bool {
			return p.named && o.Name == s.Name || sameSystem(o, s)
		})
		if i < 0 || !p.sameDomain(e.manifest, k.domain) {
			continue
		}
		others := p.otherModels(e.manifest, e.manifest.Config.Systems[i], s)
		if len(others) > 0 && !p.named {
			continue
		}
		roles, err := e.use(part{k.domain, e.manifest.Config.Systems[i].Name})
		if err != nil && p.named {
			return precedent{}, err
		}
		if roles == nil {
			continue
		}
		return precedent{roles: roles, called: e.called(others), judge: p.job.sameModel(e.manifest.Config, e.manifest.Config.Judge.Model, p.job.Config.Judge.Model)}, nil
	}
	return precedent{}, nil
}

// use are the means of a trial, nil if none ended in a way that counts.
func (e *earlier) use(k part) (_ map[string]use, err error) {
	if e.run == nil {
		if e.run, err = Open(e.dir); err != nil {
			return nil, err
		}
	}
	if e.means == nil {
		if e.means, err = meanUse(e.run); err != nil {
			return nil, err
		}
	}
	return e.means[k], nil
}

func (e *earlier) called(others []string) string {
	text := "the conversations of " + e.dir
	if e.manifest.Synthetic {
		text += " (synthetic: scripted models, which say nothing of real ones)"
	}
	if len(others) > 0 {
		text += " (which had other models: " + strings.Join(others, ", ") + ")"
	}
	return text
}

// sameSystem compares all that decides what a system asks for, but for its models' names.
func sameSystem(a, b System) bool {
	same := func(x, y json.RawMessage) bool { return bytes.Equal(plainParams(x), plainParams(y)) }
	return a.Agent == b.Agent && same(a.Params, b.Params) && slices.EqualFunc(a.Overlays, b.Overlays, func(x, y Overlay) bool {
		return x.Name == y.Name && same(x.Params, y.Params)
	})
}

// plainParams are parameters in one spelling: keys sorted, none the same as empty, without the name of a model, which is
// looked up.
func plainParams(text json.RawMessage) []byte {
	m := map[string]any{}
	if len(text) > 0 && json.Unmarshal(text, &m) != nil {
		return text
	}
	delete(m, "model")
	out, err := json.Marshal(m)
	if err != nil {
		return text
	}
	return out
}

// sameDomain reports whether a run was on the same kind of data, policy, user and tasks.
func (p *precedents) sameDomain(m Manifest, name string) bool {
	find := func(c *Config) int {
		return slices.IndexFunc(c.Domains, func(d Domain) bool { return d.Name == name })
	}
	i, now := find(m.Config), p.job.Config.Domains[find(p.job.Config)]
	if i < 0 {
		return false
	}
	if p.named {
		return true
	}
	was := m.Config.Domains[i]
	return was.PolicyType == now.PolicyType && was.Solo == now.Solo && m.Config.User.Attack == p.job.Config.User.Attack &&
		DataKind(m.Config.Data) == DataKind(p.job.Config.Data)
}

// otherModels names the roles of a system in which an earlier run had another model, with both.
func (p *precedents) otherModels(m Manifest, was, now System) (out []string) {
	add := func(role, before, after string) {
		if !p.job.sameModel(m.Config, before, after) {
			out = append(out, fmt.Sprintf("%s %s, now %s", role, calledModel(m.Config.Models, before), calledModel(p.job.models, after)))
		}
	}
	add(agentRole, was.Model, now.Model)
	add(userRole, m.Config.User.Model, p.job.Config.User.Model)
	before, after := m.Config.helpers(was), p.job.Config.helpers(now)
	for i := range min(len(before), len(after)) {
		name := func(h helper, agents string) string {
			if len(h.models) > 0 {
				return h.models[0]
			}
			return agents
		}
		add(after[i].role, name(before[i], was.Model), name(after[i], now.Model))
	}
	return out
}

// sameModel compares a model of an earlier run with one of the job, as far as its use depends on it.
func (j *Job) sameModel(c *Config, was, now string) bool {
	if was == "" || now == "" {
		return was == now
	}
	a, b := c.Models[was], j.models[now]
	tokens := func(m Model) int {
		if m.MaxTokens == nil {
			return 0
		}
		return *m.MaxTokens
	}
	return cmp.Or(a.Like, a.Model) == cmp.Or(b.Like, b.Model) && a.Synthetic == b.Synthetic && a.ReasoningEffort == b.ReasoningEffort && tokens(a) == tokens(b)
}

func calledModel(models map[string]Model, name string) string {
	m, ok := models[name]
	switch {
	case !ok:
		return "none"
	case m.Synthetic:
		return m.Model + " (scripted)"
	case m.ReasoningEffort != "":
		return m.Model + " at effort " + m.ReasoningEffort
	}
	return m.Model
}
