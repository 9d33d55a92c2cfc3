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

// runCommand is the command that fills places of a table: a system of a kind, and of an agent family where the table wants
// one, on domains. It is looked up in the config, so it can only name what exists.
func runCommand(name string, k Kind, family string, on ...string) string {
	file := configs.Path("paper/" + name)
	c := paperConfigs()[name]
	for _, s := range c.Systems {
		if x := systemOf(c, s); !x.is(k) || family != "" && x.Family != family {
			continue
		}
		all, wanted := 0, []string{}
		for _, d := range c.Domains {
			if len(s.Domains) == 0 || slices.Contains(s.Domains, d.Name) {
				all++
				if slices.Contains(on, d.Name) {
					wanted = append(wanted, d.Name)
				}
			}
		}
		command := fmt.Sprintf("`tauguide run %s --only system=%s", file, config.ShellWord(s.Name))
		switch {
		case len(wanted) == 0:
			continue
		case len(wanted) < all:
			command += " --only domain=" + strings.Join(wanted, ",")
		}
		return command + "`"
	}
	return fmt.Sprintf("%s has no such system: add one of the kind %s to it", file, string(k))
}

// paperConfigs reads the configs of the paper at the first use, with their variables left unset.
var paperConfigs = sync.OnceValue(func() map[string]*config.Config {
	out := map[string]*config.Config{}
	for _, name := range configs.Names() {
		paper, ok := strings.CutPrefix(name, "paper/")
		if !ok {
			continue
		}
		if c, err := config.Load(name, func(string) string { return "" }); err == nil {
			out[paper] = c // one that does not load names no command, which a test notices
		}
	}
	return out
})

// completion says how a run comes to the trials that it lacks for Pass^4.
func completion(s Source) string {
	if _, imported := s.Setup.Fields["imported.from"]; imported {
		return fmt.Sprintf("what run %s lacks cannot run here, since it was imported: import one with %d trials", s.Name, paperTrials)
	}
	return fmt.Sprintf("what run %s lacks: %s", s.Name, resumeCommand(s))
}

// resumeCommand runs the trials that a run lacks for Pass^4: it is the command that the run was made with.
func resumeCommand(s Source) string {
	c := config.Command{Config: "CONFIG"} // of a run that does not say how it was made
	if s.Command != nil {
		c = *s.Command
	}
	words := []string{"tauguide run", config.ShellWord(c.Config), "--resume"}
	add := func(name, value string) {
		if value != "" {
			words = append(words, name, config.ShellWord(value))
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
