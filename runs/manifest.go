package runs

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
	"time"

	"github.com/tauguide/tauguide/domains"
	"github.com/tauguide/tauguide/sim"
	"github.com/tauguide/tauguide/sim/attack"
)

// Format is the version of the layout of run directories, docs/results.md.
const Format = 1

const (
	manifestName = "manifest.json"
	planName     = "plan.jsonl"
	indexName    = "index.jsonl"
	scoresName   = "scores.jsonl"
	logName      = "log.jsonl"
	trialsDir    = "trials"
)

// Manifest says what a run is: manifest.json.
type Manifest struct {
	Format    int                         `json:"format"`
	ID        string                      `json:"id,omitempty"` // random; see id
	Name      string                      `json:"name"`
	Note      string                      `json:"note"`
	Created   string                      `json:"created"`
	Synthetic bool                        `json:"synthetic"` // some model is scripted: the numbers say nothing of real models
	Versions  Versions                    `json:"versions"`
	Config    *Config                     `json:"config"`            // as resolved, keys redacted
	Models    []string                    `json:"models"`            // those that the run needs
	Data      map[string][]domains.Source `json:"data"`              // by domain
	Identity  string                      `json:"identity"`          // hash of the setup
	Setup     Identity                    `json:"setup"`             // all that decides how trials end
	Attacks   map[string]*attack.Set      `json:"attacks,omitempty"` // by domain, of a user that attacks
	Command   *Command                    `json:"command,omitempty"` // null in the manifests of older programs and of imports
}

// id tells the run from every other, also from one of the same config that records into the same folder. The manifests of
// older programs have none.
func (m Manifest) id() string {
	if m.ID != "" {
		return m.ID
	}
	return sum([]byte(m.Created + m.Identity))[:16]
}

// Command is how a run was asked for, as far as asking again needs it: paths as they were given.
type Command struct {
	Config    string   `json:"config"`
	Data      string   `json:"data,omitempty"`
	BaseURL   string   `json:"base_url,omitempty"` // without secrets
	Cassette  string   `json:"cassette,omitempty"`
	Synthetic bool     `json:"synthetic,omitempty"`
	Only      []string `json:"only,omitempty"`
	Limit     int      `json:"limit,omitempty"`
}

// asked is how the job was asked for; nil for a config that was read from no file.
func (j *Job) asked() *Command {
	if j.Config.source == nil {
		return nil
	}
	o := j.options
	c := &Command{Config: j.Config.source.file, Data: o.Data, Cassette: o.Cassette, Synthetic: o.Synthetic, Only: o.Only, Limit: o.Limit}
	if o.BaseURL != "" {
		c.BaseURL = publicURL(o.BaseURL)
	}
	return c
}

// after is the command for what earlier executions of a run and the present one asked for together. Parts that differ
// have no common filter, so that it asks for the whole.
func (c *Command) after(earlier *Command) *Command {
	if c == nil || earlier == nil {
		return c
	}
	out := *c
	if !slices.Equal(c.Only, earlier.Only) {
		out.Only = nil
	}
	if c.Limit == 0 || earlier.Limit == 0 {
		out.Limit = 0
	} else {
		out.Limit = max(c.Limit, earlier.Limit)
	}
	return &out
}

// Versions name what made the run.
type Versions struct {
	Program string `json:"program"`
	Go      string `json:"go"`
	Record  int    `json:"record"`
	Score   int    `json:"score"`
}

func newManifest(j *Job, now time.Time) Manifest {
	m := Manifest{Format: Format, ID: fmt.Sprintf("%016x", rand.Uint64()), Name: j.Config.Name, Note: j.Config.Note, Created: now.UTC().Format(time.RFC3339),
		Versions: Versions{Program: programVersion(), Go: runtime.Version(), Record: sim.RecordVersion, Score: sim.ScoreVersion},
		Config:   j.Config.public(j.models), Models: slices.Sorted(maps.Keys(j.models)),
		Data: map[string][]domains.Source{}, Identity: j.identity.Hash(), Setup: j.identity,
		Attacks: j.attacks.sets, Command: j.asked()}
	for _, model := range j.models {
		m.Synthetic = m.Synthetic || model.Synthetic
	}
	for name, w := range j.Worlds {
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

// public is the config as it may be written down: the models as this run uses them, without secrets.
func (c *Config) public(models map[string]Model) *Config {
	out := *c
	// With its variables, so that the run can be read on another machine.
	out.Data = strings.ReplaceAll(c.Data, "$", "$$")
	if raw := c.source.text("data"); raw != "" {
		out.Data = raw
	}
	out.Models = map[string]Model{}
	for name, m := range c.Models {
		if used, ok := models[name]; ok {
			m = used
		}
		if m.Key != "" {
			m.Key = "[redacted]"
			if raw := c.source.text(join(join("models", name), "key")); variable.FindString(raw) == raw && raw != "" && !strings.Contains(raw, ":-") {
				m.Key = raw
			}
		}
		if m.BaseURL != "" {
			m.BaseURL = publicURL(m.BaseURL)
		}
		out.Models[name] = m
	}
	return &out
}

// text returns a value as the file has it, if variables were replaced in it.
func (s *source) text(path string) string {
	if s == nil {
		return ""
	}
	return s.raw[path]
}

func readManifest(dir string) (Manifest, error) {
	path := filepath.Join(dir, manifestName)
	text, err := os.ReadFile(path)
	if err != nil {
		return Manifest{}, err
	}
	var m Manifest
	if err := json.Unmarshal(text, &m); err != nil {
		return Manifest{}, fmt.Errorf("%s: %w", path, atOffset(text, err))
	}
	if m.Format > Format {
		return Manifest{}, fmt.Errorf("%s: format %d is newer than this program's %d: use a newer program", path, m.Format, Format)
	}
	if m.Format < 1 || m.Config == nil {
		return Manifest{}, fmt.Errorf("%s: this is no manifest of a run: format or config is missing", path)
	}
	return m, nil
}

func writeManifest(dir string, m Manifest, hide redactor) error {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	if err := e.Encode(m); err != nil {
		return fmt.Errorf("%s: %w", manifestName, err)
	}
	return writeFile(filepath.Join(dir, manifestName), hide.redact(b.Bytes()))
}

func readPlan(dir string) ([]Planned, error) {
	path := filepath.Join(dir, planName)
	var out []Planned
	var broken error
	seen := map[sim.Key]int{}
	lines := newEntryReader()
	err := readLines(path, func(n int, line []byte) error {
		p, err := lines.planned(line)
		if err != nil {
			return err
		}
		if first, dup := seen[p.Key]; dup {
			return fmt.Errorf("trial %s is planned on line %d already", KeyString(p.Key), first)
		}
		seen[p.Key] = n
		out = append(out, p)
		return nil
	}, func(n int, err error) {
		if err != nil && broken == nil {
			broken = fmt.Errorf("%s:%d: damaged line: %w; resuming the run with its config mends the plan", path, n, err)
		}
	})
	if err == nil {
		err = broken
	}
	return out, err
}

func writePlan(dir string, plan []Planned) error {
	var b bytes.Buffer
	for _, p := range plan {
		line, err := encodeLine(p)
		if err != nil {
			return fmt.Errorf("%s: %w", planName, err)
		}
		b.Write(line)
	}
	return writeFile(filepath.Join(dir, planName), b.Bytes())
}
