package config

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/tauguide/tauguide/agents"
	"github.com/tauguide/tauguide/domains"
	"github.com/tauguide/tauguide/domains/yamlfile"
	"github.com/tauguide/tauguide/sim"
	"github.com/tauguide/tauguide/sim/llm"
)

// identityVersion goes up when the meaning of a field of an identity changes. Identities of different versions are
// compared by the fields that both have.
const identityVersion = 1

// Identity is everything that decides how the trials of a run end, field by field. Two executions may share a run
// directory only if theirs are equal. Left out is what cannot change a result: names and notes, how many trials and
// which of them run, concurrency, keys, the transport's timeouts, and the address of scripted models.
type Identity struct {
	Version int               `json:"version"`
	Fields  map[string]string `json:"fields"` // each value as JSON, or a SHA-256
}

// Workflow is a workflow that a system is guided by in a domain.
type Workflow struct {
	System string `json:"system"`
	Domain string `json:"domain"`
	agents.Workflow
}

// Hash is a SHA-256 over the fields.
func (i Identity) Hash() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%d\n", i.Version)
	for _, name := range slices.Sorted(maps.Keys(i.Fields)) {
		fmt.Fprintf(&b, "%q %s\n", name, i.Fields[name])
	}
	return hashOf([]byte(b.String()))
}

// Difference lists the fields that differ, sorted, each with its old and its new value.
func Difference(old, now Identity) []string {
	var out []string
	all := maps.Collect(maps.All(old.Fields))
	maps.Copy(all, now.Fields)
	names := slices.Sorted(maps.Keys(all))
	for _, name := range names {
		if ofOneSide(name, names, old, now) {
			continue
		}
		a, was := old.Fields[name]
		b, is := now.Fields[name]
		a, b = withoutCredentials(a), withoutCredentials(b) // which the manifests of older programs hold
		switch {
		case was && is && a != b:
			out = append(out, fmt.Sprintf("%s was %s, now %s", name, a, b))
		case was && !is && old.Version == now.Version:
			out = append(out, fmt.Sprintf("%s was %s, now absent", name, a))
		case !was && is && old.Version == now.Version:
			out = append(out, fmt.Sprintf("%s was absent, now %s", name, b))
		}
	}
	return out
}

func withoutCredentials(text string) string {
	masked, _ := llm.MaskCredentials([]byte(text))
	return string(masked)
}

// ofOneSide reports whether a field belongs to a system that only one side has, and is not the one that tells so.
func ofOneSide(field string, all []string, old, now Identity) bool {
	const mark = ".agent"
	return slices.ContainsFunc(all, func(name string) bool {
		system, ok := strings.CutSuffix(name, mark)
		_, was := old.Fields[name]
		_, is := now.Fields[name]
		return ok && was != is && field != name && strings.HasPrefix(field, system+".")
	})
}

// identify computes the identity of an execution, whatever is filtered.
func (p *Plan) identify() Identity {
	c, f := p.Config, fields{}
	f.set("seed", c.Seed)
	f.set("limits.max_steps", c.Limits.MaxSteps)
	f.set("limits.max_errors", c.Limits.MaxErrors)
	f.set("limits.timeout", c.Limits.Timeout)
	f.set("user.model", c.User.Model)
	if c.User.CountsFaults() {
		f.set("user.faults", c.User.Faults)
	}
	f.set("judge.model", c.Judge.Model)
	f.attacks(p.Attacks)
	for path, t := range c.Prompts.byPath() {
		if t.File != "" {
			f.set(path, hashOf([]byte(t.Text)))
		}
	}
	f.set("versions.record", sim.RecordVersion)
	f.set("versions.score", sim.ScoreVersion)
	for name, m := range p.models {
		f.model(modelPath(name), m)
	}
	for i, d := range c.Domains {
		f.domain(yamlfile.Join("domains", d.Name), d, p.Worlds[d.Name])
		if tasks, err := selectTasks(c, i, p.Worlds[d.Name]); err == nil { // else there would be no plan
			f.prompts(p, p.Worlds[d.Name], tasks[0])
		}
	}
	for _, s := range c.Systems {
		at := yamlfile.Join("systems", s.Name)
		f.set(at+".agent", s.Agent)
		f.set(at+".model", s.Model)
		if s.Prompt.File != "" {
			f.set(at+".prompt", hashOf([]byte(s.Prompt.Text)))
		}
		f.set(at+".params", s.Params)
		f.set(at+".overlays", s.Overlays)
	}
	return Identity{Version: identityVersion, Fields: f}
}

// fields are an identity in the making, by path, each value as JSON.
type fields map[string]string

func (f fields) set(path string, value any) {
	text, err := json.Marshal(value)
	if err != nil {
		text = fmt.Appendf(nil, "%q", err) // no value of a config gets here; if one does, it must not be ignored
	}
	f[path] = string(text)
}

func (f fields) model(at string, m Model) {
	f.set(at+".model", m.Model)
	f.set(at+".synthetic", m.Synthetic)
	if m.Synthetic {
		f.set(at+".mistakes", m.Scripted().Mistakes)
		f.set(at+".follows_guidance", m.Scripted().FollowsGuidance)
	} else {
		f.set(at+".base_url", PublicURL(m.BaseURL))
	}
	f.set(at+".temperature", m.Temperature)
	f.set(at+".top_p", m.TopP)
	f.set(at+".max_tokens", m.MaxTokens)
	f.set(at+".seed", m.Seed == nil || *m.Seed)
	f.set(at+".reasoning_effort", m.ReasoningEffort)
	m.withoutCredentials()
	f.set(at+".extra", m.Extra)
}

func (f fields) domain(at string, d Domain, w *domains.World) {
	policy := d.PolicyType
	if policy == "" {
		policy = domains.PolicyManual
	}
	f.set(at+".split", d.Split)
	f.set(at+".policy_type", policy)
	f.set(at+".solo", d.Solo)
	f.set(at+".tasks", d.Tasks)
	for _, s := range w.Sources {
		f.set(at+".data."+s.Path, s.SHA256)
	}
}

// prompts hashes what each model is told at the start of a domain's first task: prompts, policy, tools. The parts are
// made to ask, and what they ask is caught.
func (f fields) prompts(p *Plan, w *domains.World, t *domains.Task) {
	key := func(system string) sim.Key { return sim.Key{Domain: w.Name, System: system, Task: t.ID} }
	for _, s := range p.Config.Systems {
		if !s.on(w.Name) {
			continue
		}
		f[yamlfile.Join("systems", s.Name)+".prompt."+w.Name] = caught(func(ctx context.Context, m *sim.Model) error {
			env, err := w.New(t)
			if err != nil {
				return err
			}
			agent, err := p.NewAgent(key(s.Name), t, env, func(string) *sim.Model { return m })
			if err != nil {
				return err
			}
			if g, ok := agent.(interface{ Fingerprint() string }); ok {
				f.set(yamlfile.Join("systems", s.Name)+".guide."+w.Name, g.Fingerprint())
			}
			for _, flow := range agents.Workflows(agent) {
				p.Workflows = append(p.Workflows, Workflow{s.Name, w.Name, flow})
			}
			_, err = agent.Next(ctx, sim.View{StepsLeft: 1})
			return err
		})
	}
	if !w.Options.Solo {
		f["user.prompt."+w.Name] = caught(func(ctx context.Context, m *sim.Model) error {
			user, err := p.Attacks.User(w, t, m)
			if err != nil {
				return err
			}
			_, err = user.Next(ctx, sim.View{StepsLeft: 1})
			return err
		})
	}
	f["judge.prompt"] = caught(func(ctx context.Context, m *sim.Model) error {
		_, _, err := sim.ModelJudge{Model: m, Prompt: p.Config.Prompts.Judge.Text}.Grade(ctx, nil, []string{"asked"})
		return err
	})
}

func hashOf(text []byte) string { return fmt.Sprintf("%x", sha256.Sum256(text)) }

var errCaught = errors.New("request caught")

// caught hashes the first request that ask makes of the model that it is given; "none" if it makes none.
func caught(ask func(context.Context, *sim.Model) error) (hash string) {
	hash = "none"
	defer func() {
		if p := recover(); p != nil {
			hash = "none" // the trial itself will show what is wrong
		}
	}()
	m := &sim.Model{Name: "catch"}
	m.Client = llm.Func(func(_ context.Context, req llm.Request) (llm.Response, error) {
		if hash == "none" {
			text, err := json.Marshal(struct {
				Messages []llm.Message
				Tools    []llm.Tool
				Choice   string
			}{req.Messages, req.Tools, req.ToolChoice})
			if err != nil {
				return llm.Response{}, err
			}
			hash = hashOf(text)
		}
		return llm.Response{}, &llm.Error{Kind: llm.KindCancelled, Message: errCaught.Error(), Err: errCaught}
	})
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	_ = ask(ctx, m) // an agent that cannot start says so in its trials
	return hash
}

// PublicURL is an address without what may be secret in it.
func PublicURL(text string) string {
	if text == "" {
		return llm.DefaultBaseURL
	}
	u, err := url.Parse(text)
	if err != nil {
		return "unreadable address"
	}
	if u.User != nil {
		u.User = url.User("redacted")
	}
	if u.RawQuery != "" {
		u.RawQuery = "redacted"
	}
	return strings.TrimRight(u.String(), "/")
}
