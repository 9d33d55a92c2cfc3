package nmr_test

import (
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"

	"github.com/tauguide/tauguide/domains"
	"github.com/tauguide/tauguide/metrics"
	"github.com/tauguide/tauguide/metrics/nmr"
	"github.com/tauguide/tauguide/metrics/trace"
)

const small = `domain: d
tools:
  refund:
    needs:
      - id: order
        what: order $order_id
        reads:
          - {call: get_order, args: {order_id: $order_id}}
      - id: owner
        what: owner $order.user_id
        reads:
          - {call: get_user, args: {user_id: $order.user_id}}
`

// Faults name the file, the tool, the need and the field, and how to fix them.
func TestParseErrors(t *testing.T) {
	replace := func(old, with string) string {
		if !strings.Contains(small, old) {
			t.Fatalf("%q is not in the table", old)
		}
		return strings.Replace(small, old, with, 1)
	}
	for _, tt := range []struct{ name, text, want string }{
		{"empty", "", "t.yaml:1:1: the file is empty"},
		{"two documents", small + "---\ndomain: e\n", "t.yaml:14:1: a second YAML document begins here"},
		{"unknown key", replace("what: order", "why: order"), `unknown key "why"`},
		{"no text", replace("{order_id: $order_id}", "{order_id: 3}"), `args.order_id: this is 3, not a text`},
		{"later need", replace("$order_id}", "$owner.id}"), `t.yaml: tool refund: need order: there is no earlier need "owner"`},
		{"list of a stranger", replace("what: owner", "each: {of: bill, list: lines}\n        what: owner"), `t.yaml: tool refund: need owner: there is no earlier need "bill": choose one of order`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if _, err := nmr.Parse("t.yaml", []byte(tt.text)); err == nil || !strings.Contains(strings.ReplaceAll(err.Error(), "\nhint:", ":"), tt.want) {
				t.Errorf("got %v, want %s", err, tt.want)
			}
		})
	}
	if _, err := nmr.Parse("t.yaml", []byte(small)); err != nil {
		t.Error(err)
	}
	if _, err := nmr.Load("mock"); err == nil || err.Error() != `no guard table for domain "mock"`+"\nhint: there are tables for airline, retail, telecom" {
		t.Errorf("got %v", err)
	}
}

// Parse and Audit never panic, whatever the file.
func FuzzParse(f *testing.F) {
	f.Add([]byte(small))
	files, err := filepath.Glob(filepath.Join("data", "*.yaml"))
	if err != nil {
		f.Fatal(err)
	}
	for _, name := range files {
		text, err := os.ReadFile(name)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(text)
	}
	msgs, err := trace.Parse("agent> get_order order_id=1 => {\"order_id\": \"1\", \"items\": [{\"a\": 1}, 2]}\nagent> refund order_id=1 => ok")
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		table, err := nmr.Parse("fuzz.yaml", text)
		if err != nil {
			if !strings.HasPrefix(err.Error(), "fuzz.yaml: ") {
				t.Errorf("the error does not name the file: %v", err)
			}
			return
		}
		for _, c := range table.Audit(msgs) {
			if c.Index < 0 || c.Index >= len(msgs) {
				t.Errorf("%+v", c)
			}
		}
	})
}

func TestRate(t *testing.T) {
	lacking := nmr.Call{Tool: "refund", Missing: []nmr.Need{{ID: "order"}, {ID: "owner"}}}
	complete := nmr.Call{Tool: "refund"}
	trial := func(task string, mut bool, s metrics.State, calls ...nmr.Call) nmr.Trace {
		return nmr.Trace{Outcome: metrics.Outcome{Task: task, Mut: mut, State: s}, Calls: calls}
	}
	for _, tt := range []struct {
		name   string
		traces []nmr.Trace
		want   nmr.Figure
	}{
		{"nothing", nil, nmr.Figure{Rate: metrics.Estimate{Reason: "no passing trajectory of a Mut task"}}},
		{"other trajectories do not count", []nmr.Trace{trial("1", true, metrics.Failure, lacking), trial("2", false, metrics.Success, lacking),
			trial("3", true, metrics.Void), trial("4", true, metrics.Pending, lacking)}, nmr.Figure{Rate: metrics.Estimate{Reason: "no passing trajectory of a Mut task"}}},
		{"no mutation", []nmr.Trace{trial("1", true, metrics.Success)},
			nmr.Figure{Rate: metrics.Estimate{Reason: "no mutation was executed in the passing trajectories of Mut tasks"}, Trajectories: 1}},
		{"calls, not trajectories; a call once, whatever it lacks", []nmr.Trace{trial("1", true, metrics.Success, lacking, complete, complete), trial("1", true, metrics.Success, complete)},
			nmr.Figure{Rate: metrics.Estimate{Value: 0.25, Defined: true, Tasks: 1}, Missing: 1, Mutations: 4, Trajectories: 2}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if d := cmp.Diff(tt.want, nmr.Rate(tt.traces), cmpopts.IgnoreFields(metrics.Estimate{}, "Interval")); d != "" {
				t.Error(d)
			}
		})
	}
}

// A rate is a share or says why it is none; the order of the traces does not matter.
func TestRateProperties(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		traces := rapid.SliceOf(rapid.Custom(func(t *rapid.T) nmr.Trace {
			calls := make([]nmr.Call, rapid.IntRange(0, 3).Draw(t, "calls"))
			for i := range calls {
				calls[i].Missing = make([]nmr.Need, rapid.IntRange(0, 2).Draw(t, "missing"))
			}
			return nmr.Trace{Calls: calls, Outcome: metrics.Outcome{Task: rapid.SampledFrom([]string{"1", "2"}).Draw(t, "task"), Mut: rapid.Bool().Draw(t, "mut"),
				State: rapid.SampledFrom([]metrics.State{metrics.Failure, metrics.Success, metrics.Void, metrics.Pending}).Draw(t, "state")}}
		})).Draw(t, "traces")
		f := nmr.Rate(traces)
		if e := f.Rate; e.Defined == (e.Reason != "") || math.IsNaN(e.Value) || e.Value < 0 || e.Value > 1 || f.Missing > f.Mutations ||
			e.Interval.Defined != (e.Tasks > 1) || e.Interval.Defined && (e.Interval.Lo > e.Value || e.Interval.Hi < e.Value) {
			t.Fatalf("%+v", f)
		}
		if d := cmp.Diff(f, nmr.Rate(rapid.Permutation(traces).Draw(t, "order"))); d != "" {
			t.Fatal(d)
		}
	})
}

// BenchmarkAudit audits the longest completed gold path of the domain with the longest results.
func BenchmarkAudit(b *testing.B) {
	table, longest := load(b, "airline"), []domains.Message{}
	for _, p := range paths(b, open(b, "tau2", "airline")) {
		if len(p.Messages) > len(longest) {
			longest = p.Messages
		}
	}
	b.ReportAllocs()
	for b.Loop() {
		table.Audit(longest)
	}
	b.ReportMetric(float64(len(longest)), "messages")
}
