package tau2_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"path/filepath"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/tauguide/tauguide/domains"
	"github.com/tauguide/tauguide/domains/value"
	"github.com/tauguide/tauguide/runs/store"
	"github.com/tauguide/tauguide/runs/tau2"
	"github.com/tauguide/tauguide/sim"
)

// compareValues looks into dynamic values and raw JSON as what they mean, with numbers to the letter.
var compareValues = cmp.Options{
	cmp.Comparer(func(a, b value.Value) bool { return value.Identical(a, b) }),
	cmp.Comparer(func(a, b json.RawMessage) bool { return bytes.Equal(plain(a), plain(b)) }),
}

// letters is all of a simulation as JSON, with numbers as they are.
func letters(t testing.TB, e essence) []byte {
	t.Helper()
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(e); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// plain is JSON with one spelling of texts, and numbers as they are.
func plain(raw json.RawMessage) []byte {
	if raw == nil {
		return nil
	}
	d := json.NewDecoder(bytes.NewReader(raw))
	d.UseNumber()
	var v any
	if err := d.Decode(&v); err != nil {
		return raw
	}
	out, err := json.Marshal(v)
	if err != nil {
		return raw
	}
	return out
}

// essence is what a round trip must keep of a simulation.
type essence struct {
	ID          string
	Task        string
	Trial       int
	Seed        int64
	Termination sim.Reason
	Steps       int
	ToolErrors  int
	Messages    []domains.Message
	Recorded    *sim.RewardInfo
	Calls       []sim.ModelCall
	Times       sim.Times
	Extra       map[string]json.RawMessage
}

func essenceOf(one *tau2.Simulation) essence {
	r := one.Record
	return essence{one.ID, r.Task, r.Trial, r.Seed, r.Termination, r.Steps, r.ToolErrors, r.Messages, one.Recorded, r.Calls, r.Times, r.Extra}
}

// into imports a source and opens the run.
func into(t testing.TB, s *tau2.Source, w *domains.World) *store.Run {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "run")
	if _, err := tau2.Import(context.Background(), s, tau2.ImportOptions{Out: dir, World: w}); err != nil {
		t.Fatal(err)
	}
	r, err := store.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func out(t testing.TB, r *store.Run, w *domains.World, layout tau2.Layout) string {
	t.Helper()
	name := filepath.Join(t.TempDir(), "results.json")
	if layout == tau2.LayoutDir {
		name = filepath.Join(t.TempDir(), "exported")
	}
	domain, system, err := tau2.Choose(r, "", "")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := tau2.Export(context.Background(), r, tau2.ExportOptions{Out: name, Domain: domain, System: system, Layout: layout, World: w}); err != nil {
		t.Fatal(err)
	}
	return name
}

// TestRoundTrip imports every recorded result, exports it in both layouts, imports that, and wants the same
// conversations, rewards and endings, to the last value that we have no field for.
func TestRoundTrip(t *testing.T) {
	t.Parallel()
	dir, list := corpus(t)
	ws := realWorlds(t)
	list = append(list, readable(t, dir)...)
	for _, f := range list {
		t.Run(f, func(t *testing.T) {
			first := source(t, filepath.Join(dir, f))
			w := ws.of(first)
			run := into(t, first, w)
			want := map[string]essence{}
			for _, one := range simulations(t, source(t, filepath.Join(dir, f))) {
				want[one.ID] = essenceOf(one)
			}
			layouts := []tau2.Layout{tau2.LayoutJSON, tau2.LayoutDir}
			if len(want) > 20 {
				layouts = layouts[:1] // both layouts have the same simulations, and writing them takes its time
			}
			for _, layout := range layouts {
				exported := out(t, run, w, layout)
				checkLoads(t, exported, first.Header.Info != nil)
				again := source(t, exported)
				if again.Layout != layout {
					t.Errorf("exported as %s, read as %s", layout, again.Layout)
				}
				got := map[string]essence{}
				for _, one := range simulations(t, again) {
					got[one.ID] = essenceOf(one)
				}
				settle(want, got)
				for id := range want {
					if !bytes.Equal(letters(t, want[id]), letters(t, got[id])) {
						t.Fatalf("%s: not what was imported (-first +again):\n%.4000s", layout, cmp.Diff(want[id], got[id], compareValues))
					}
				}
				if len(want) != len(got) {
					t.Errorf("%s: %d simulations, %d again", layout, len(want), len(got))
				}
				if diff := cmp.Diff(tasksOf(first), tasksOf(again)); diff != "" && len(first.Header.Tasks) > 0 {
					t.Errorf("%s: tasks (-first +again):\n%.2000s", layout, diff)
				}
				if first.Layout == tau2.LayoutJSON {
					if diff := cmp.Diff(figuresOf(t, filepath.Join(dir, f)), figuresOf(t, exported), cmpopts.EquateApprox(0, 1e-9)); diff != "" {
						t.Errorf("%s: the reference's figures (-first +again):\n%s", layout, diff)
					}
				}
				if len(want) > 20 {
					continue
				}
				second := into(t, again, w)
				if a, b := summaryOf(t, run), summaryOf(t, second); a != b {
					t.Errorf("%s: the runs differ:\n%s\n%s", layout, a, b)
				}
			}
		})
	}
}

// readable lists the odd shapes of the corpus that are conversations.
func readable(t testing.TB, dir string) []string {
	t.Helper()
	list, err := filepath.Glob(filepath.Join(dir, "formats", "*.json"))
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	for _, f := range list {
		if _, err := tau2.Open(f); err == nil {
			out = append(out, "formats/"+filepath.Base(f))
		}
	}
	if len(out) < 6 || len(list)-len(out) != 2 {
		t.Errorf("%d of %d odd shapes can be read; two are no results", len(out), len(list))
	}
	return out
}

// settle leaves out what the first file lacks and an export has to say: times and costs that were worked out.
func settle(want, got map[string]essence) {
	for id, g := range got {
		w, ok := want[id]
		if !ok {
			continue
		}
		for name := range g.Extra {
			switch name {
			case "timestamp", "start_time", "end_time", "duration", "agent_cost", "user_cost", "reward_info", "policy":
				if _, had := w.Extra[name]; !had {
					delete(g.Extra, name)
				}
			}
		}
	}
}

func tasksOf(s *tau2.Source) []string {
	var out []string
	for _, t := range s.Header.Tasks {
		var o map[string]json.RawMessage
		_ = json.Unmarshal(t.Raw, &o)
		for name, v := range o {
			if string(v) == "null" {
				delete(o, name) // an export writes them all
			}
		}
		b, _ := json.Marshal(o)
		out = append(out, string(plain(b)))
	}
	return out
}

// summaryOf is what the index of a run says in sum.
func summaryOf(t testing.TB, r *store.Run) string {
	t.Helper()
	var reward float64
	var costs []float64
	var scored, unknown, tokens int
	reasons := map[sim.Reason]int{}
	for _, e := range r.Index() {
		reasons[e.Termination]++
		if e.Reward != nil {
			scored++
			reward += *e.Reward
		}
		if e.Cost == nil {
			unknown++
		} else {
			costs = append(costs, *e.Cost)
		}
		if e.Tokens != nil {
			tokens += int(*e.Tokens)
		}
	}
	slices.Sort(costs) // sums of floats depend on the order
	cost := 0.0
	for _, c := range costs {
		cost += c
	}
	return fmt.Sprintf("%d trials, %d scored, reward %.6f, cost %.6f (%d unknown), %d tokens, %v, %d broken", len(r.Index()), scored, reward, cost,
		unknown, tokens, reasons, len(r.Broken()))
}
