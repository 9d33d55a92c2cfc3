package tau2_test

import (
	"context"
	"errors"
	"math"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"pgregory.net/rapid"

	"github.com/tauguide/tauguide/domains"
	"github.com/tauguide/tauguide/runs/tau2"
	"github.com/tauguide/tauguide/sim"
)

// specimen is a recorded simulation that replays to the letter.
type specimen struct {
	*tau2.Simulation
	world *domains.World
	task  *domains.Task
}

var (
	pickSpecimens sync.Once
	picked        []specimen
)

// specimens are simulations with calls from files of each kind: both sides' tools, solo, errors, ids used again. They
// are picked once for all tests.
func specimens(t *testing.T) []specimen {
	pickSpecimens.Do(func() { picked = newSpecimens(t) })
	if picked == nil {
		t.Skip("no specimens: see the test that picked them")
	}
	return picked
}

func newSpecimens(t *testing.T) []specimen {
	const most = 8 // of a file
	dir, _ := corpus(t)
	ws := realWorlds(t)
	var out []specimen
	for _, f := range []string{"mock/yoheinakajima__20260531-184109-726391.json", "retail/WhissleAI__hd_retail_n5.json",
		"retail/bogoliubon__eval_tudor_gpt4o-refined_gpt-4o_test_1trial.json", "airline/sierra-research__airline_run1.json",
		"airline/sierra-research__qwen2.5-7b_airline_default_gpt-4.1-2025-04-14_1trials.json",
		"telecom/sierra-research__2025-08-10T02-44-06.496849_telecom_llm_agent_gpt-4o_user_simulator_gpt-4o.json",
		"telecom/sierra-research__ft-gpt-4.1-2025-04-14-sierra-tau2-full-sft-BzrYdMNm_telecom_default_gpt-4.1_1trials.json",
		"telecom/sierra-research__gpt-4.1-2025-04-14_telecom_no-user_gpt-4.1-2025-04-14_4trials_5tasks.json"} {
		s := source(t, filepath.Join(dir, f))
		w := ws.of(s)
		before := len(out)
		for _, one := range simulations(t, s) {
			task := taskOf(t, w, one)
			if len(out) == before+most {
				break
			}
			if tau2.Verify(w, task, one.Record, tau2.Full) == nil && len(results(one.Record.Messages, nil)) > 0 {
				out = append(out, specimen{one, w, task})
			}
		}
		if len(out) == before {
			t.Fatalf("%s: no simulation that replays to the letter", f)
		}
	}
	return out
}

// results lists the indices of tool messages, with the call that each answers, that pass the test.
func results(msgs []domains.Message, want func(domains.ToolCall) bool) []int {
	var out []int
	var open []domains.ToolCall
	for i, m := range msgs {
		switch {
		case m.Role != domains.RoleTool:
			open = m.ToolCalls
		case len(open) > 0:
			if want == nil || want(open[0]) {
				out = append(out, i)
			}
			open = open[1:]
		}
	}
	return out
}

func (s specimen) writes(c domains.ToolCall) bool {
	if _, ok := s.world.Agent.Tool(c.Name); ok {
		return s.world.Agent.Mutates(c.Name)
	}
	return s.world.User.Mutates(c.Name)
}

// calls lists the messages with calls.
func calls(msgs []domains.Message) []int {
	var out []int
	for i, m := range msgs {
		if len(m.ToolCalls) > 0 {
			out = append(out, i)
		}
	}
	return out
}

// copied is the conversation for the taking.
func copied(msgs []domains.Message) []domains.Message {
	out := slices.Clone(msgs)
	for i := range out {
		out[i].ToolCalls = slices.Clone(out[i].ToolCalls)
		if out[i].ToolCalls == nil && msgs[i].ToolCalls != nil {
			out[i].ToolCalls = []domains.ToolCall{}
		}
	}
	return out
}

// mutation damages a conversation; nil means that it has nothing of the kind to damage.
type mutation func(rt *rapid.T, s specimen, msgs []domains.Message) []domains.Message

func pick(rt *rapid.T, label string, list []int) (int, bool) {
	if len(list) == 0 {
		return 0, false
	}
	return rapid.SampledFrom(list).Draw(rt, label), true
}

// changed is a text that is another JSON value than the one given, or another text.
func changed(rt *rapid.T, was string) string {
	for {
		var now string
		switch rapid.IntRange(0, 3).Draw(rt, "change") {
		case 0:
			now = was + rapid.StringN(1, 5, -1).Draw(rt, "more")
		case 1:
			now = rapid.String().Draw(rt, "other")
		case 2:
			if was != "" {
				i := rapid.IntRange(0, len(was)-1).Draw(rt, "at")
				now = was[:i] + string(rune('!'+rapid.IntRange(0, 90).Draw(rt, "rune"))) + was[i+1:]
			}
		default:
			now = `{"` + rapid.StringMatching(`[a-z]{1,4}`).Draw(rt, "key") + `":` + was + `}`
		}
		if !domains.SameContent(was, now) {
			return now
		}
	}
}

func changeResult(of func(specimen, domains.ToolCall) bool) mutation {
	return func(rt *rapid.T, s specimen, msgs []domains.Message) []domains.Message {
		i, ok := pick(rt, "result", results(msgs, func(c domains.ToolCall) bool { return of(s, c) }))
		if !ok {
			return nil
		}
		now := changed(rt, msgs[i].TextOf())
		msgs[i].Content = &now
		return msgs
	}
}

func otherID(rt *rapid.T, was string) string {
	return rapid.String().Filter(func(s string) bool { return s != was }).Draw(rt, "id")
}

var mutations = map[string]mutation{
	"result of a write": changeResult(func(s specimen, c domains.ToolCall) bool { return s.writes(c) }),
	"call id": func(rt *rapid.T, _ specimen, msgs []domains.Message) []domains.Message {
		i, ok := pick(rt, "message", calls(msgs))
		if !ok {
			return nil
		}
		c := &msgs[i].ToolCalls[rapid.IntRange(0, len(msgs[i].ToolCalls)-1).Draw(rt, "call")]
		c.ID = otherID(rt, c.ID)
		return msgs
	},
	"result id": func(rt *rapid.T, _ specimen, msgs []domains.Message) []domains.Message {
		i, ok := pick(rt, "result", results(msgs, nil))
		if !ok {
			return nil
		}
		msgs[i].ID = otherID(rt, msgs[i].ID)
		return msgs
	},
	"result lost": func(rt *rapid.T, _ specimen, msgs []domains.Message) []domains.Message {
		i, ok := pick(rt, "result", results(msgs, nil))
		if !ok {
			return nil
		}
		return slices.Delete(msgs, i, i+1)
	},
	"result doubled": func(rt *rapid.T, _ specimen, msgs []domains.Message) []domains.Message {
		i, ok := pick(rt, "result", results(msgs, nil))
		if !ok {
			return nil
		}
		return slices.Insert(msgs, i, msgs[i])
	},
	"results exchanged": func(rt *rapid.T, _ specimen, msgs []domains.Message) []domains.Message {
		list := results(msgs, nil)
		i, ok := pick(rt, "result", list)
		if !ok {
			return nil
		}
		j, _ := pick(rt, "other", list)
		if msgs[i].ID == msgs[j].ID {
			return nil
		}
		msgs[i], msgs[j] = msgs[j], msgs[i]
		return msgs
	},
	"call lost": func(rt *rapid.T, _ specimen, msgs []domains.Message) []domains.Message {
		i, ok := pick(rt, "message", calls(msgs))
		if !ok {
			return nil
		}
		k := rapid.IntRange(0, len(msgs[i].ToolCalls)-1).Draw(rt, "call")
		msgs[i].ToolCalls = slices.Delete(msgs[i].ToolCalls, k, k+1)
		return msgs
	},
	"error flag of a write": func(rt *rapid.T, s specimen, msgs []domains.Message) []domains.Message {
		i, ok := pick(rt, "result", results(msgs, s.writes))
		if !ok {
			return nil
		}
		msgs[i].Error = !msgs[i].Error
		return msgs
	},
}

// TestStrictDetects damages records in one place and checks that strict scoring refuses them, and that lenient scoring
// still scores them, with a note.
func TestStrictDetects(t *testing.T) {
	t.Parallel()
	pool := specimens(t)
	for name, mutate := range mutations {
		t.Run(name, func(t *testing.T) {
			tried := 0
			rapid.Check(t, func(rt *rapid.T) {
				s := rapid.SampledFrom(pool).Draw(rt, "specimen")
				msgs := mutate(rt, s, copied(s.Record.Messages))
				if msgs == nil {
					return
				}
				tried++
				r := s.Record
				r.Messages = msgs
				if s.lostLast(name, msgs) {
					return
				}
				c := compare(s, r, tau2.Writes)
				if c.Outcome != tau2.Failed {
					rt.Fatalf("%s: strict scoring did not notice", s.ID)
				}
				if name == "error flag of a write" {
					return // no value of the end state depends on it
				}
				c = compare(s, r, tau2.Lenient)
				if strings.Contains(c.Err, "env_assertions[") {
					return // the end state lacks what an assertion is about, for which the reference raises as well
				}
				if c.Outcome == tau2.Failed || c.Computed == nil && c.Score.Pending == "" {
					rt.Fatalf("%s: lenient scoring failed: %s", s.ID, c.Err)
				}
				if len(c.Notes) == 0 {
					rt.Fatalf("%s: lenient scoring did not say anything", s.ID)
				}
			})
			if tried == 0 {
				t.Error("nothing was tried")
			}
		})
	}
}

// lostLast reports whether a conversation that an error of a side ended now ends on calls without results, which is
// how such conversations may end.
func (s specimen) lostLast(name string, msgs []domains.Message) bool {
	last := msgs[len(msgs)-1]
	return name == "result lost" && len(last.ToolCalls) > 0 && (s.Record.Termination == sim.AgentError || s.Record.Termination == sim.UserError)
}

func compare(s specimen, r sim.Record, level tau2.Strictness) tau2.Comparison {
	return tau2.Compare(context.Background(), s.world, s.task, r, s.Recorded, tau2.Options{Strictness: level})
}

// TestFullDetectsReads damages the result of a read: the level Full notices, the others do not look.
func TestFullDetectsReads(t *testing.T) {
	t.Parallel()
	pool := specimens(t)
	damage := changeResult(func(s specimen, c domains.ToolCall) bool { return !s.writes(c) })
	rapid.Check(t, func(rt *rapid.T) {
		s := rapid.SampledFrom(pool).Draw(rt, "specimen")
		msgs := damage(rt, s, copied(s.Record.Messages))
		if msgs == nil {
			return
		}
		r := s.Record
		r.Messages = msgs
		err := tau2.Verify(s.world, s.task, r, tau2.Full)
		var d *domains.DriftError
		if !errors.As(err, &d) {
			rt.Fatalf("%s: re-running the reads did not notice: %v", s.ID, err)
		}
		if err := tau2.Verify(s.world, s.task, r, tau2.Writes); err != nil {
			rt.Fatalf("%s: strict on writes looked at a read: %v", s.ID, err)
		}
		lenient := compare(s, r, tau2.Lenient)
		if before := compare(s, s.Record, tau2.Lenient); *before.Computed != *lenient.Computed || math.IsNaN(*lenient.Computed) {
			rt.Fatalf("%s: a read changed the reward from %g to %g", s.ID, *before.Computed, *lenient.Computed)
		}
	})
}

// TestLenientKeepsGoodRecords checks that lenient scoring has nothing to say about records that are right.
func TestLenientKeepsGoodRecords(t *testing.T) {
	t.Parallel()
	for _, s := range specimens(t) {
		if c := compare(s, s.Record, tau2.Lenient); len(c.Notes) > 0 || c.Outcome != tau2.Agree {
			t.Errorf("%s: %s, notes %q", s.ID, c.Outcome, c.Notes)
		}
	}
}
