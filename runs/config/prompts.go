package config

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"github.com/tauguide/tauguide/agents"
	"github.com/tauguide/tauguide/domains"
	"github.com/tauguide/tauguide/domains/yamlfile"
	"github.com/tauguide/tauguide/sim"
)

// Prompts are instruction texts of a user's in the place of the program's own (docs/config.md#prompts).
type Prompts struct {
	Agent Text `json:"agent,omitzero"`
	User  Text `json:"user,omitzero"`
	Judge Text `json:"judge,omitzero"`
}

// Text is a file of instructions. In a config it is the file's name, relative to the config; what is stored with a run has
// the text too.
type Text struct {
	File string `json:"file"`
	Text string `json:"text"`
}

// UnmarshalJSON reads a file's name, or what was stored.
func (t *Text) UnmarshalJSON(raw []byte) error {
	if json.Unmarshal(raw, &t.File) == nil {
		return nil
	}
	type stored Text
	return json.Unmarshal(raw, (*stored)(t))
}

// byPath are the texts of a run by their places in its config.
func (p *Prompts) byPath() map[string]*Text {
	return map[string]*Text{"prompts.agent": &p.Agent, "prompts.user": &p.User, "prompts.judge": &p.Judge}
}

// texts are all that the config names, by path.
func (c *Config) texts() map[string]*Text {
	out := c.Prompts.byPath()
	for i := range c.Systems {
		out[fmt.Sprintf("systems[%d].prompt", i)] = &c.Systems[i].Prompt
	}
	maps.DeleteFunc(out, func(_ string, t *Text) bool { return t.File == "" })
	return out
}

// readTexts reads and checks the texts. One that is not there is an error only if its run has not kept it.
func (c *Config) readTexts() error {
	c.absent = map[string]error{}
	var found []error
	for path, t := range c.texts() {
		err := c.source.needed(path, "")
		if err == nil {
			err = c.readText(path, t)
		}
		switch {
		case errors.Is(err, fs.ErrNotExist) || err != nil && c.source.unset[path] != "":
			c.absent[path] = err
		case err != nil:
			found = append(found, err)
		}
	}
	for i, s := range c.Systems {
		if e, err := agents.FindAgent(s.Agent); s.Prompt.File != "" && err == nil && !e.Instructed {
			path := fmt.Sprintf("systems[%d].prompt", i)
			found = append(found, c.source.errorf(path, "%s: agent %s has instructions of its own alone\nhint: remove it", path, s.Agent))
		}
	}
	return joined(found)
}

func (c *Config) readText(path string, t *Text) error {
	file := filepath.FromSlash(t.File)
	if !filepath.IsAbs(file) {
		file = filepath.Join(filepath.Dir(c.source.file), file)
	}
	text, err := domains.ReadFile(file, yamlfile.MaxBytes)
	if err == nil {
		t.Text = strings.ReplaceAll(strings.TrimPrefix(string(text), "\uFEFF"), "\r\n", "\n")
		err = c.checkText(path, file, t.Text)
	} else if errors.Is(err, fs.ErrNotExist) {
		err = fmt.Errorf("%w\nhint: name a file relative to the config's folder", err)
	}
	if err != nil {
		return c.source.positioned(path, fmt.Errorf("%s: %w", path, err))
	}
	return nil
}

// checkText looks at the placeholders of a text: those that it has must be known, and where it has some, those that no
// prompt can do without must be among them.
func (c *Config) checkText(path, file, text string) error {
	known := map[string]bool{} // placeholder → cannot be done without
	switch path {
	case "prompts.judge":
	case "prompts.user":
		known = map[string]bool{sim.ScenarioMark: true, sim.GuidelinesMark: false}
	default:
		solo := slices.ContainsFunc(c.Domains, func(d Domain) bool { return d.Solo })
		known = map[string]bool{sim.PolicyMark: true, sim.TicketMark: solo, sim.AgentMark: false}
	}
	has := sim.Placeholders(text)
	for _, name := range has {
		if _, ok := known[name]; ok {
			continue
		}
		line := 1 + strings.Count(text[:strings.Index(text, name)], "\n")
		if len(known) == 0 {
			return fmt.Errorf("%s:%d: %s: a judge's text has no placeholders\nhint: remove it; conversation and outcomes are asked in a message of their own", file, line, name)
		}
		return fmt.Errorf("%s:%d: there is no placeholder %s\nhint: %s; { word } with spaces is left as it is", file, line, name,
			yamlfile.Suggest(name, slices.Sorted(maps.Keys(known))))
	}
	for _, name := range slices.Sorted(maps.Keys(known)) {
		if known[name] && len(has) > 0 && !slices.Contains(has, name) {
			return fmt.Errorf("%s: the placeholder %s is missing, though it has %s\nhint: write %[2]s where that is to stand, or no placeholders at all: then it is added at the end", file, name, has[0])
		}
	}
	if strings.TrimSpace(text) == "" {
		return fmt.Errorf("%s is empty\nhint: write the instructions into it, or remove %s", file, path)
	}
	return nil
}

// completeTexts takes texts that are not there from the config that the run was begun with.
func (c *Config) completeTexts(begun *Config) error {
	var found []error
	for path, t := range c.texts() {
		if c.absent[path] == nil {
			continue
		}
		if t.Text = begun.kept(path, c.Systems); t.Text == "" {
			found = append(found, c.absent[path])
		}
	}
	return joined(found)
}

// kept is the text that a stored config has at a path, in which systems are counted as in a list of now.
func (c *Config) kept(path string, now []System) string {
	if c == nil {
		return ""
	}
	for i, s := range now {
		if path == fmt.Sprintf("systems[%d].prompt", i) {
			return c.System(s.Name).Prompt.Text
		}
	}
	return c.Prompts.byPath()[path].Text
}

// publicTexts are the texts with their files' names as the config has them.
func (c *Config) publicTexts() (Prompts, []System) {
	out := Config{Prompts: c.Prompts, Systems: slices.Clone(c.Systems)}
	for path, t := range out.texts() {
		if raw := c.source.original(path); raw != "" {
			t.File = raw
		}
	}
	return out.Prompts, out.Systems
}
