package checks_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"sort"
	"testing"

	"github.com/tauguide/tauguide/domains"
	"github.com/tauguide/tauguide/domains/airline"
	"github.com/tauguide/tauguide/domains/domaintest"
	"github.com/tauguide/tauguide/guide"
)

func TestZZAirlineRecorded(t *testing.T) {
	w := domaintest.Real(t, airline.Domain(), domains.Options{})
	c := checkerFor(t, w)
	files, _ := filepath.Glob("/work/shared/trajectories/airline/*.json")
	for _, f := range files {
		b, _ := os.ReadFile(f)
		var file struct {
			Simulations []struct {
				Task   string `json:"task_id"`
				Trial  any    `json:"trial"`
				Reward *struct {
					Reward float64 `json:"reward"`
				} `json:"reward_info"`
				Messages []domains.Message `json:"messages"`
			} `json:"simulations"`
		}
		if b[0] == '[' {
			b = append([]byte(`{"simulations":`), append(b, '}')...)
		}
		if err := json.Unmarshal(b, &file); err != nil {
			t.Log(f, err)
			continue
		}
		n, due := map[bool]int{}, map[bool]int{}
		nodes := map[string]int{}
		for _, s := range file.Simulations {
			good := s.Reward != nil && s.Reward.Reward == 1
			tr := guide.NewTrace()
			for i, m := range s.Messages {
				for _, call := range m.ToolCalls {
					if m.Role != domains.RoleAssistant || !w.Agent.Mutates(call.Name) {
						continue
					}
					failed := false
					for _, r := range s.Messages[i:] {
						if r.Role == domains.RoleTool && r.ID == call.ID {
							failed = r.Error
							break
						}
					}
					if failed {
						continue
					}
					n[good]++
					p, _ := c.Authorize(tr, call, 0)
					if p.Authorizes == call.Name {
						due[good]++
					} else if good {
						note := ""
						if u := p.Unmet(); u != nil {
							note = u.Note
						}
						nodes[p.Node]++
						if os.Getenv("SHOW") == p.Node {
							last := func(xs []guide.Said) string {
								if len(xs) == 0 {
									return ""
								}
								return xs[len(xs)-1].Text
							}
							fmt.Printf("== %s task %s %s %s\n   note %s\n   AGENT %q\n   USER %q\n", filepath.Base(f), s.Task, call.Name, call.Arguments.Str(), note, last(tr.Agent), last(tr.User))
						}
					}
				}
				tr.Add(m)
			}
		}
		t.Logf("%s: good %d/%d other %d/%d", filepath.Base(f), due[true], n[true], due[false], n[false])
		var keys []string
		for k := range nodes {
			keys = append(keys, k)
		}
		sort.Slice(keys, func(i, j int) bool { return nodes[keys[i]] > nodes[keys[j]] })
		for _, k := range keys {
			t.Logf("      %3d %s", nodes[k], k)
		}
	}
}
