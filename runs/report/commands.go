package report

import (
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/tauguide/tauguide/configs"
	"github.com/tauguide/tauguide/metrics"
	"github.com/tauguide/tauguide/runs/config"
)

// producer is the command that fills places of a table: a system of a kind, and of an agent family where the table wants one, on
// domains. It is looked up in the config, so it can only name what is there.
func producer(config string, k Kind, family string, on ...string) string {
	file := configs.PaperPath(config)
	c := paperConfigs()[config]
	if c == nil {
		return file + " is missing: restore it from the repository"
	}
	for _, s := range c.Systems {
		x := systemOf(s, c.Models)
		if !x.stands(k) || family != "" && x.Family != family {
			continue
		}
		command := fmt.Sprintf("`tauguide run %s --only system=%s", file, quoted(s.Name))
		var all, wanted []string
		for _, d := range c.Domains {
			if len(s.Domains) == 0 || slices.Contains(s.Domains, d.Name) {
				all = append(all, d.Name)
			}
			if slices.Contains(on, d.Name) && (len(s.Domains) == 0 || slices.Contains(s.Domains, d.Name)) {
				wanted = append(wanted, d.Name)
			}
		}
		switch {
		case len(wanted) == 0:
			continue
		case len(wanted) < len(all):
			command += " --only domain=" + strings.Join(wanted, ",")
		}
		return command + "`"
	}
	return fmt.Sprintf("%s has no such system: add one of the kind %s to it", file, string(k))
}

// paperConfigs reads the configs of the paper at the first use, with their variables left unset.
var paperConfigs = sync.OnceValue(func() map[string]*config.Config {
	out := map[string]*config.Config{}
	for _, name := range configs.PaperNames() {
		text, err := configs.Paper(name)
		if err != nil {
			continue // embedded: it is there
		}
		if c, err := config.Parse(name+".yaml", text, func(string) string { return "" }); err == nil {
			out[name] = c // one that does not parse names no command, which a test notices
		}
	}
	return out
})

// completion says how a run comes to the trials that it lacks for Pass^4.
func completion(s Source) string {
	if _, imported := s.Setup.Fields["imported.from"]; imported {
		return fmt.Sprintf("what run %s lacks cannot be held here, since it was imported: import one with %d trials", s.Name, paperTrials)
	}
	return fmt.Sprintf("what run %s lacks: %s", s.Name, completer(s))
}

// completer is the command that holds the trials that a run lacks for Pass^4: the one that it was made with.
func completer(s Source) string {
	c := s.command()
	words := []string{"tauguide run", quoted(c.Config), "--resume"}
	add := func(name, value string) {
		if value != "" {
			words = append(words, name, quoted(value))
		}
	}
	if metrics.MaxTrials(s.Outcomes) < paperTrials {
		add("--trials", fmt.Sprint(paperTrials))
	}
	if c.Limit > 0 {
		add("--limit", fmt.Sprint(c.Limit))
	}
	for _, f := range c.Only {
		add("--only", f)
	}
	if c.Synthetic {
		words = append(words, "--synthetic")
	}
	add("--data", c.Data)
	add("--base-url", c.BaseURL)
	add("--cassette", c.Cassette)
	if s.Dir != "results/"+s.Name {
		add("--out", s.Dir)
	}
	return "`" + strings.Join(words, " ") + "`"
}

// command is how the run was asked for. Where it does not say, as runs of older programs do not, its name tells whether it
// is of a shipped config.
func (s Source) command() config.Command {
	if s.Command != nil {
		return *s.Command
	}
	var c config.Command
	switch {
	case slices.Contains(configs.PaperNames(), s.Name):
		c = config.Command{Config: configs.PaperPath(s.Name), Synthetic: s.Synthetic}
		if s.DataFolder == "embedded" {
			c.Data = s.DataFolder
		}
	case slices.Contains(configs.Names(), s.Name):
		c.Config = "configs/" + s.Name + ".yaml"
	default:
		c.Config = "CONFIG"
	}
	return c
}

// quoted makes a word of a shell command.
func quoted(s string) string {
	plain := func(r rune) bool {
		return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune("-_./:=,+", r)
	}
	if s != "" && strings.IndexFunc(s, func(r rune) bool { return !plain(r) }) < 0 {
		return s
	}
	return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
}
