package store

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"slices"
	"time"

	"github.com/tauguide/tauguide/domains"
	"github.com/tauguide/tauguide/runs/config"
	"github.com/tauguide/tauguide/sim"
	"github.com/tauguide/tauguide/sim/attack"
	"github.com/tauguide/tauguide/sim/llm"
)

// Format is the version of the layout of run directories, docs/results.md.
const Format = 1

const (
	manifestName = "manifest.json"
	planName     = "plan.jsonl"
	indexName    = "index.jsonl"
	scoresName   = "scores.jsonl"
	opinionsName = "opinions.jsonl"
	LogName      = "log.jsonl"
	trialsDir    = "trials"
	requestsDir  = "requests"
)

// Manifest says what a run is: manifest.json.
type Manifest struct {
	Format    int                         `json:"format"`
	ID        string                      `json:"id,omitempty"` // random; see RunID
	Name      string                      `json:"name"`
	Note      string                      `json:"note"`
	Created   string                      `json:"created"`
	Synthetic bool                        `json:"synthetic"` // some model is scripted: the numbers say nothing of real models
	Versions  Versions                    `json:"versions"`
	Config    *config.Config              `json:"config"`              // as resolved, keys redacted
	Models    []string                    `json:"models"`              // those that the run needs
	Data      map[string][]domains.Source `json:"data"`                // by domain
	Identity  string                      `json:"identity"`            // hash of the setup
	Setup     config.Identity             `json:"setup"`               // all that decides how trials end
	Attacks   map[string]*attack.Set      `json:"attacks,omitempty"`   // by domain, of a user that attacks
	Workflows []config.Workflow           `json:"workflows,omitempty"` // that the systems were guided by when the run began
	Command   *config.Command             `json:"command,omitempty"`   // null in the manifests of older programs and of imports
	Plan      *PlanSum                    `json:"plan,omitempty"`      // null in those of older programs
	Kept      map[string]string           `json:"kept,omitempty"`      // SHA-256 of the importer's own files, by name
}

// PlanSum says what plan.jsonl begins with. Lines behind that were added by a resume that was killed before it wrote the
// manifest.
type PlanSum struct {
	Trials int    `json:"trials"` // lines
	SHA256 string `json:"sha256"` // of these lines
}

// begins reports whether a file begins with these lines.
func (s *PlanSum) begins(path string) bool {
	text, err := readFile(path)
	rest := text
	for range s.Trials {
		var ended bool
		if _, rest, ended = bytes.Cut(rest, []byte("\n")); !ended {
			return false
		}
	}
	return err == nil && sha256Hex(text[:len(text)-len(rest)]) == s.SHA256
}

// RunID tells the run from every other, also from one of the same config that records into the same folder. The manifests of
// older programs have none.
func (m Manifest) RunID() string {
	if m.ID != "" {
		return m.ID
	}
	return sha256Hex([]byte(m.Created + m.Identity))[:16]
}

// Imported reports whether the trials ran elsewhere, so that none can be run again here.
func (m Manifest) Imported() bool { _, ok := m.Setup.Fields["imported.from"]; return ok }

// Authored are the workflows written by a model that guided a system in a domain.
func (m Manifest) Authored(system, domain string) []config.Workflow {
	return slices.DeleteFunc(slices.Clone(m.Workflows), func(w config.Workflow) bool {
		return w.System != system || w.Domain != domain || w.Model == ""
	})
}

// Versions name what made the run.
type Versions struct {
	Program string `json:"program"`
	Go      string `json:"go"`
	Record  int    `json:"record"`
	Score   int    `json:"score"`
}

func newManifest(p *config.Plan, now time.Time) Manifest {
	m := Manifest{Format: Format, ID: fmt.Sprintf("%016x", rand.Uint64()), Name: p.Config.Name, Note: p.Config.Note, Created: now.UTC().Format(time.RFC3339),
		Versions: Versions{Program: programVersion(), Go: runtime.Version(), Record: sim.RecordVersion, Score: sim.ScoreVersion},
		Config:   p.Config.Public(p.Models), Models: slices.Sorted(maps.Keys(p.Models)),
		Data: map[string][]domains.Source{}, Identity: p.Identity.Hash(), Setup: p.Identity,
		Attacks: p.Attacks.Sets, Workflows: p.Workflows, Command: p.Asked()}
	for _, model := range p.Models {
		m.Synthetic = m.Synthetic || model.Synthetic
	}
	for name, w := range p.Worlds {
		m.Data[name] = w.Sources
	}
	return m
}

func programVersion() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return "unknown"
	}
	version := info.Main.Version
	for _, s := range info.Settings {
		switch {
		case s.Key == "vcs.revision":
			version += " " + s.Value
		case s.Key == "vcs.modified" && s.Value == "true":
			version += " modified"
		}
	}
	return version
}

// readManifest reads what a run is. With llm.ErrEdited comes the manifest as it is there.
func readManifest(dir string) (Manifest, error) {
	path := filepath.Join(dir, manifestName)
	text, err := readFile(path)
	if err != nil {
		return Manifest{}, err
	}
	var m Manifest
	if err := json.Unmarshal(text, &m); err != nil {
		return Manifest{}, fmt.Errorf("%s: %w", path, atOffset(text, err))
	}
	if m.Format > Format {
		return Manifest{}, fmt.Errorf("%s: format %d is newer than this program's %d\nhint: use a newer program", path, m.Format, Format)
	}
	if m.Format < 1 || m.Config == nil {
		return Manifest{}, fmt.Errorf("%s: this is no manifest of a run: format or config is missing", path)
	}
	var seals llm.Seals
	if err := seals.Check(text); err != nil {
		return m, fmt.Errorf("%s: %w%s", path, err, editCure)
	}
	for name, sum := range m.Kept {
		if kept := filepath.Join(dir, name); fileSum(kept) != sum {
			return m, fmt.Errorf("%s: %w in %s%s", kept, llm.ErrEdited, manifestName, editCure)
		}
	}
	return m, nil
}

// BegunWith is the config that the run in a folder was begun with; nil if there is no run that can be read, which is told
// when it is resumed.
func BegunWith(dir string) *config.Config {
	m, err := readManifest(dir)
	if err != nil {
		return nil
	}
	return m.Config
}

const editCure = "\nhint: bring back what was written, or take over what is there with " + accepts

func writeManifest(dir string, m Manifest, hide llm.Redactor) error {
	var b bytes.Buffer
	line, err := encodeLine(m)
	if err == nil {
		err = json.Indent(&b, line, "", "  ")
	}
	if err != nil {
		return fmt.Errorf("%s: %w", manifestName, err)
	}
	return writeFile(filepath.Join(dir, manifestName), llm.Seal(hide.Redact(b.Bytes())))
}

// readPlan reads the plan, which must be the one that the manifest was written with if sum is not nil. With an error come
// the trials that can be read.
func readPlan(dir string, sum *PlanSum) ([]config.Planned, error) {
	path := filepath.Join(dir, planName)
	var out []config.Planned
	var broken error
	seen := map[sim.Key]int{}
	hash, beginning := sha256.New(), ""
	err := readLines(path, maxLine, func(n int, _ int64, line []byte) error {
		p, err := decode[config.Planned](line)
		if err != nil {
			return err
		}
		if first, dup := seen[p.Key]; dup {
			return fmt.Errorf("trial %s is planned on line %d already", p.Key.String(), first)
		}
		seen[p.Key] = n
		out = append(out, p)
		hash.Write(append(line, '\n'))
		if sum != nil && len(out) == sum.Trials {
			beginning = fmt.Sprintf("%x", hash.Sum(nil))
		}
		return nil
	}, func(n int, _ []byte, err error) {
		if err != nil && broken == nil {
			broken = fmt.Errorf("%s:%d: damaged line: %w\nhint: %s", path, n, err, planCure)
		}
	})
	switch {
	case err != nil:
	case broken != nil:
		err = broken
	case len(out) == 0:
		err = fmt.Errorf("%s is missing or empty\nhint: %s with the run's config writes it again", path, resumes)
	case sum != nil && beginning != sum.SHA256:
		err = fmt.Errorf("%s has %d trials and is not the plan of %d that was written, by its checksum in %s\nhint: bring that back; %s",
			path, len(out), sum.Trials, manifestName, planCure)
	}
	return out, err
}

// planCure says what to do about a plan that cannot be used.
const planCure = resumes + " with the run's config writes it again, and " + accepts + " takes what is there"

// writePlan returns what the manifest is to say of the plan.
func writePlan(dir string, plan []config.Planned) (*PlanSum, error) {
	var b bytes.Buffer
	for _, p := range plan {
		line, err := encodeLine(p)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", planName, err)
		}
		b.Write(llm.Seal(line))
	}
	return &PlanSum{len(plan), sha256Hex(b.Bytes())}, writeFile(filepath.Join(dir, planName), b.Bytes())
}
