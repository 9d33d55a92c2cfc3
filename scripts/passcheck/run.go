package main

import (
	"bufio"
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"math/big"
	"os"
	"path/filepath"
	"slices"
)

// place is a system on a domain.
type place struct{ domain, system string }

// spent is what a role took in the conversations about one task.
type spent struct {
	trials, calls, tokens int
	dollars               *big.Rat
	unknown               bool // some tokens or dollars
}

// recorded is what matters of a run folder.
type recorded struct {
	outcomes map[place][]simulation
	use      map[place]map[string]map[string]*spent // by role and task
}

// readRun reads the plan and the index of a run folder. A planned trial that the index does not have is void.
func readRun(dir string) (recorded, error) {
	type key struct {
		Domain, System, Task string
		Trial                int
	}
	out := recorded{map[place][]simulation{}, map[place]map[string]map[string]*spent{}}
	var plan []struct {
		key
		Mut bool
	}
	if err := lines(filepath.Join(dir, "plan.jsonl"), &plan); err != nil {
		return out, err
	}
	var index []struct {
		key
		Reason string `json:"termination_reason"`
		Reward *float64
		Roles  []struct {
			Role                      string
			Calls, Prompt, Completion int
			UnknownTokens             int `json:"unknown_tokens"`
			UnknownCost               int `json:"unknown_cost"`
			Cost                      float64
		}
	}
	if err := lines(filepath.Join(dir, "index.jsonl"), &index); err != nil {
		return out, err
	}
	at := map[key]int{}
	for i, e := range index {
		at[e.key] = i // the last attempt counts
	}
	for _, p := range plan {
		where := place{p.Domain, p.System}
		s := simulation{TaskID: p.Task, mut: p.Mut, Reason: "infrastructure_error"}
		if i, ok := at[p.key]; ok {
			e := index[i]
			s.Reason, s.Reward = e.Reason, &reward{e.Reward}
			for _, r := range e.Roles {
				x := out.spending(where, r.Role, p.Task)
				x.trials, x.calls, x.tokens, x.dollars = x.trials+1, x.calls+r.Calls, x.tokens+r.Prompt+r.Completion, plus(x.dollars, new(big.Rat).SetFloat64(r.Cost))
				x.unknown = x.unknown || r.UnknownTokens+r.UnknownCost > 0
			}
		}
		out.outcomes[where] = append(out.outcomes[where], s)
	}
	return out, nil
}

// places are the systems of a run with their domains, by name.
func (r recorded) places() []place {
	return slices.SortedFunc(maps.Keys(r.outcomes), func(a, b place) int {
		return cmp.Or(cmp.Compare(a.domain, b.domain), cmp.Compare(a.system, b.system))
	})
}

func (r recorded) spending(at place, role, task string) *spent {
	if r.use[at] == nil {
		r.use[at] = map[string]map[string]*spent{}
	}
	if r.use[at][role] == nil {
		r.use[at][role] = map[string]*spent{}
	}
	if r.use[at][role][task] == nil {
		r.use[at][role][task] = &spent{dollars: ratio(0)}
	}
	return r.use[at][role][task]
}

// lines reads a file of JSON values, one a line.
func lines[T any](file string, into *[]T) error {
	f, err := os.Open(file)
	if err != nil {
		return err
	}
	defer f.Close()
	s := bufio.NewScanner(f)
	s.Buffer(nil, 1<<26)
	for n := 1; s.Scan(); n++ {
		var v T
		if err := json.Unmarshal(s.Bytes(), &v); err != nil {
			return fmt.Errorf("%s line %d: %w", file, n, err)
		}
		*into = append(*into, v)
	}
	return s.Err()
}
