package runs

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/tauguide/tauguide/sim/llm"
	"github.com/tauguide/tauguide/sim/llm/cassette"
)

// cassetteName is the folder of recordings in a run directory.
const cassetteName = "cassette"

// replays reports whether recordings take the place of the models: nothing is asked, nothing spent, no key needed.
func (c *Config) replays() bool { return cassette.Mode(c.Cassette.Mode) == cassette.Replay }

// recorded applies the option MODE or MODE:PATH to the config's cassette.
func (c Cassette) recorded(option string) (Cassette, error) {
	if option == "" {
		return c, nil
	}
	mode, path, given := strings.Cut(option, ":")
	switch cassette.Mode(mode) {
	case cassette.Off, cassette.Record, cassette.Replay, cassette.Verify:
	default:
		return c, fmt.Errorf("--cassette %s: no such mode: use off, record, replay or verify, with :PATH behind it for another folder", option)
	}
	c.Mode = mode
	if given {
		c.Path = path
	}
	return c, nil
}

// cassetteDir is the folder of the recordings.
func (j *Job) cassetteDir() string {
	if p := j.Config.Cassette.Path; p != "" {
		return p
	}
	return filepath.Join(j.Dir, cassetteName)
}

// checkCassette finds out before anything is written whether there are recordings to play.
func (j *Job) checkCassette() error {
	c := j.Config
	mode := cassette.Mode(c.Cassette.Mode)
	if mode != cassette.Replay && mode != cassette.Verify {
		return nil
	}
	if err := c.source.needed("cassette.path", ""); err != nil {
		return err
	}
	if c.Cassette.Path == "" && !j.options.Resume {
		return c.source.errorf("cassette.mode", "cassette.mode: %s needs cassette.path, the folder of recordings: a new run has none of its own", mode)
	}
	if _, err := cassette.Open(j.cassetteDir(), mode, cassette.Options{}); err != nil {
		return c.source.positioned("cassette.path", err)
	}
	return nil
}

// openCassette opens the recordings of a job; nil without any. failed hears of answers that cannot be recorded.
func (j *Job) openCassette(hide redactor, run string, failed func(error)) (*cassette.Cassette, error) {
	if j.Config.Cassette.Mode == string(cassette.Off) {
		return nil, nil
	}
	return cassette.Open(j.cassetteDir(), cassette.Mode(j.Config.Cassette.Mode), cassette.Options{Hide: hide.redact, Failed: failed, Run: run})
}

// voice is how recordings know a model. The address of a scripted model is left out, as it is in the identity of a run.
func (m Model) voice(name string, table llm.Models) cassette.Voice {
	v := cassette.Voice{Endpoint: m.endpoint(name), Models: table, Identity: publicURL(m.BaseURL)}
	if m.Synthetic {
		settings, err := json.Marshal(map[string]any{"mistakes": m.Scripted().Mistakes, "follows_guidance": m.Scripted().FollowsGuidance})
		if err != nil {
			settings = fmt.Appendf(nil, "%q", err) // plain numbers have a JSON form
		}
		v.Identity = "a scripted model " + string(settings)
	}
	return v
}
