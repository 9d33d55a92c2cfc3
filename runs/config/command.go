package config

import (
	"slices"
	"strconv"
	"strings"
)

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

// Asked is how the plan was asked for; nil for a config that was read from no file.
func (p *Plan) Asked() *Command {
	if p.Config.source == nil {
		return nil
	}
	o := p.Options
	c := &Command{Config: p.Config.source.file, Data: o.Data, Cassette: o.Cassette, Synthetic: o.Synthetic, Only: o.Only, Limit: o.Limit}
	if o.BaseURL != "" {
		c.BaseURL = PublicURL(o.BaseURL)
	}
	return c
}

// After is the command for what earlier executions of a run and the present one asked for together. Parts that differ
// have no common filter, so that it asks for the whole.
func (c *Command) After(earlier *Command) *Command {
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

// Command is what to type to run the job again with another flag.
func (p *Plan) Command(flag string) string {
	o, words := p.Options, []string{"tauguide", "run"}
	if p.Config.source != nil {
		words = append(words, ShellWord(p.Config.source.file))
	} else {
		words = append(words, "CONFIG")
	}
	words = append(words, flag)
	add := func(name, value string) {
		if value != "" {
			words = append(words, name, ShellWord(value))
		}
	}
	number := func(name string, n int) {
		if n > 0 {
			add(name, strconv.Itoa(n))
		}
	}
	add("--out", o.Out)
	add("--data", o.Data)
	if o.BaseURL != "" {
		add("--base-url", PublicURL(o.BaseURL))
	}
	add("--cassette", o.Cassette)
	if o.Synthetic {
		words = append(words, "--synthetic")
	}
	for _, f := range o.Only {
		add("--only", f)
	}
	number("--limit", o.Limit)
	number("--trials", o.Trials)
	number("--concurrency", o.Concurrency)
	return strings.Join(words, " ")
}

// ShellWord makes a word of a shell command.
func ShellWord(s string) string {
	if s != "" && strings.Trim(s, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_./:=,+") == "" {
		return s
	}
	return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
}
