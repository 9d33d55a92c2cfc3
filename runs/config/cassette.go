package config

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/tauguide/tauguide/domains"
	"github.com/tauguide/tauguide/sim/llm"
	"github.com/tauguide/tauguide/sim/llm/cassette"
)

// CassetteName is the folder of recordings in a run directory.
const CassetteName = "cassette"

// Replays reports whether recordings take the place of the models: nothing is asked, nothing spent, no key needed.
func (c *Config) Replays() bool { return cassette.Mode(c.Cassette.Mode) == cassette.Replay }

// With applies the option MODE or MODE:PATH to the config's cassette.
func (c Cassette) With(option string) (Cassette, error) {
	if option == "" {
		return c, nil
	}
	mode, path, given := strings.Cut(option, ":")
	switch cassette.Mode(mode) {
	case cassette.Off, cassette.Record, cassette.Replay, cassette.Verify:
	default:
		return c, fmt.Errorf("--cassette %s: no such mode\nhint: use off, record, replay or verify, with :PATH behind it for another folder", option)
	}
	c.Mode = mode
	if given {
		c.Path = path
	}
	return c, nil
}

// CassetteDir is the folder of the recordings.
func (p *Plan) CassetteDir() string {
	if path := p.Config.Cassette.Path; path != "" {
		return path
	}
	return filepath.Join(p.Dir, CassetteName)
}

// checkCassette finds out before anything is written whether there are recordings to play.
func (p *Plan) checkCassette() error {
	c := p.Config
	mode := cassette.Mode(c.Cassette.Mode)
	if mode != cassette.Replay && mode != cassette.Verify {
		return nil
	}
	if err := c.source.needed("cassette.path", ""); err != nil {
		return err
	}
	if c.Cassette.Path == "" && !p.Options.Resume {
		return c.source.errorf("cassette.mode", "cassette.mode: %s needs cassette.path, the folder of recordings: a new run has none of its own", mode)
	}
	if _, err := cassette.Open(p.CassetteDir(), mode, cassette.Options{}); err != nil {
		return c.source.positioned("cassette.path", err)
	}
	return nil
}

// Recorded is how recordings know a model. The address of a scripted model is left out, as it is in the identity of a run.
func (m Model) Recorded(name string, table llm.Models) cassette.Model {
	v := cassette.Model{Endpoint: m.Endpoint(name), Models: table, Identity: PublicURL(m.BaseURL)}
	if m.Synthetic {
		settings, err := json.Marshal(map[string]any{"mistakes": m.Scripted().Mistakes, "follows_guidance": m.Scripted().FollowsGuidance})
		if err != nil {
			settings = fmt.Appendf(nil, "%q", err) // plain numbers have a JSON form
		}
		v.Identity = "a scripted model " + string(settings)
	}
	return v
}

// OneModel returns the config with its options applied, and one of its models, ready to be asked without a run.
func (c *Config) OneModel(name string, o Options) (*Config, map[string]Model, error) {
	if _, ok := c.Models[name]; !ok {
		return nil, nil, domains.Usage(c.source.errorf("models", "no model %q under models\nhint: add the judge there, or name another", name))
	}
	with := *c
	var err error
	if with.Cassette, err = c.Cassette.With(o.Cassette); err != nil {
		return nil, nil, domains.Usage(err)
	}
	if err := with.completeTexts(o.Begun); err != nil {
		return nil, nil, domains.Usage(err)
	}
	models, err := with.complete(o, with.effective(o, []string{name}))
	return &with, models, err
}

// CassetteFolder is the folder of recordings for models that are asked without a run, or for the run in dir.
func (c *Config) CassetteFolder(dir string) (string, error) {
	if mode := cassette.Mode(c.Cassette.Mode); mode == cassette.Off || mode == "" {
		return "", nil
	}
	if err := c.source.needed("cassette.path", ""); err != nil {
		return "", err
	}
	switch {
	case c.Cassette.Path != "":
		return c.Cassette.Path, nil
	case dir == "":
		return "", fmt.Errorf("cassette: %s needs a folder, since only runs have one of their own\nhint: name it under cassette.path, or with --cassette %[1]s:FOLDER", c.Cassette.Mode)
	}
	return filepath.Join(dir, CassetteName), nil
}
