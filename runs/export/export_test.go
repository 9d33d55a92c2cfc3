package export_test

import (
	"bytes"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/parquet-go/parquet-go"

	"github.com/tauguide/tauguide/domains/domaintest"
	"github.com/tauguide/tauguide/runs/config"
	"github.com/tauguide/tauguide/runs/export"
	"github.com/tauguide/tauguide/runs/runtest"
	"github.com/tauguide/tauguide/runs/store"
	"github.com/tauguide/tauguide/sim"
)

const guided = `
name: guided
note: an agent that gives in, alone and behind a strict gate
trials: 2
models: {weak: {synthetic: true, mistakes: {act_before_consent: 0.5, grant_forbidden: 1}, follows_guidance: 0}, careful: {synthetic: true}}
user: {model: careful}
judge: {model: careful}
domains: [{name: retail, tasks: [cancel-gift-card-order, return-from-cancelled-order]}]
systems:
  - {name: Bare, agent: react, model: weak}
  - {name: Guide, agent: react, model: weak, overlays: [{policyguide: {verifier: deterministic, gate: strict}}]}
`

// run executes the guided config.
func run(t *testing.T) *store.Run {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "guided")
	runtest.Execute(t, guided, config.Options{Out: dir})
	return runtest.Open(t, dir)
}

// table is the CSV of a run by column.
func table(t *testing.T, r *store.Run) (text []byte, rows []map[string]string) {
	t.Helper()
	var b bytes.Buffer
	if _, err := export.CSV(t.Context(), r, export.Selection{}, &b); err != nil {
		t.Fatal(err)
	}
	lines, err := csv.NewReader(bytes.NewReader(b.Bytes())).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	for _, line := range lines[1:] {
		row := map[string]string{}
		for i, name := range lines[0] {
			row[name] = line[i]
		}
		rows = append(rows, row)
	}
	return b.Bytes(), rows
}

// TestCSV wants of each trial what index and record say, and the same bytes again.
func TestCSV(t *testing.T) {
	r := run(t)
	text, rows := table(t, r)
	if again, _ := table(t, runtest.Open(t, r.Dir())); !bytes.Equal(text, again) {
		t.Error("two exports of one run differ")
	}
	index, intercepts := r.Index(), 0
	if len(rows) != 8 || len(index) != 8 {
		t.Fatalf("%d rows of %d trials, want 8", len(rows), len(index))
	}
	for i, e := range index {
		rec, err := r.Attempt(e.Ref)
		if err != nil {
			t.Fatal(err)
		}
		kinds := map[sim.EventKind]int{}
		for _, ev := range rec.Events {
			kinds[ev.Kind]++
		}
		intercepts += kinds["intercept"]
		var prompt, completion int64
		for _, c := range rec.Calls {
			prompt, completion = prompt+c.Usage.PromptTokens.N, completion+c.Usage.CompletionTokens.N
		}
		success, slice, agent := "0", "PV", map[string]string{"Bare": "react", "Guide": "policyguide+react"}[e.System]
		if *e.Reward == 1 {
			success = "1"
		}
		if e.Task == "cancel-gift-card-order" {
			slice = "Mut"
		}
		for name, want := range map[string]any{"run": "guided", "synthetic": true, "task": e.Task, "system": e.System, "agent": agent, "model": "weak", "user_model": "careful", "trial": e.Trial, "slice": slice,
			"success": success, "reward": *e.Reward, "ending": e.Termination, "messages": len(rec.Messages), "prompt_tokens": prompt,
			"completion_tokens": completion, "seconds": strconv.FormatFloat(e.Seconds, 'g', -1, 64), "firings": kinds["firing"], "guidances": kinds["guidance"],
			"intercepts": kinds["intercept"], "blocks": kinds["block"], "cost": ""} {
			if got := rows[i][name]; got != fmt.Sprint(want) {
				t.Errorf("%s of %s is %q, want %q", name, e.Ref, got, fmt.Sprint(want))
			}
		}
	}
	if intercepts == 0 {
		t.Error("nothing was held back: the run tests too little")
	}
}

// TestParquet reads the file with another reader of the library, and wants what the CSV has.
func TestParquet(t *testing.T) {
	for name, r := range map[string]*store.Run{"guided": run(t), "odd": odd(t)} {
		var b bytes.Buffer
		if _, err := export.Parquet(t.Context(), r, export.Selection{}, &b); err != nil {
			t.Fatal(err)
		}
		f, err := parquet.OpenFile(bytes.NewReader(b.Bytes()), int64(b.Len()))
		if err != nil {
			t.Fatal(err)
		}
		got := []map[string]string{}
		for _, group := range f.RowGroups() {
			rows := make([]parquet.Row, group.NumRows())
			if n, err := group.Rows().ReadRows(rows); n != len(rows) {
				t.Fatal(n, err)
			}
			for _, row := range rows {
				line := map[string]string{}
				for i, v := range row {
					if line[f.Schema().Fields()[i].Name()] = v.String(); v.IsNull() {
						line[f.Schema().Fields()[i].Name()] = ""
					}
				}
				got = append(got, line)
			}
		}
		if _, want := table(t, r); !cmp.Equal(want, got) {
			t.Errorf("%s differs from the CSV (-csv +parquet):\n%s", name, cmp.Diff(want, got))
		}
	}
}

// TestDamagedSinceOpened wants a record that broke after the run was opened named, and left out.
func TestDamagedSinceOpened(t *testing.T) {
	r := run(t)
	if err := os.Remove(filepath.Join(r.Dir(), r.Index()[0].File)); err != nil {
		t.Fatal(err)
	}
	done, err := export.CSV(t.Context(), r, export.Selection{}, &bytes.Buffer{})
	if err != nil || done.Trials != 7 || done.Missing != 1 || len(done.Damaged) != 1 || !strings.Contains(done.Damaged[0], r.Index()[0].File) {
		t.Errorf("%+v, %v", done, err)
	}
}

// TestToFile wants no file where it could not be written whole, and the old one kept.
func TestToFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "out.csv")
	runtest.Write(t, path, []byte("kept"))
	broken := errors.New("broken")
	_, err := export.ToFile(path, true, func(w io.Writer) (export.Result, error) {
		fmt.Fprint(w, "half")
		return export.Result{}, broken
	})
	entries, _ := os.ReadDir(filepath.Dir(path))
	if !errors.Is(err, broken) || string(runtest.Text(t, path)) != "kept" || len(entries) != 1 {
		t.Errorf("%v, %q, %d files", err, runtest.Text(t, path), len(entries))
	}
}

// page is docs/other-tools.md.
func page(t *testing.T) string {
	return string(runtest.Text(t, filepath.Join(domaintest.Root(t), "docs", "other-tools.md")))
}

// TestColumnsAreDocumented wants each column on the page, in order, and no others.
func TestColumnsAreDocumented(t *testing.T) {
	var found []string
	for _, m := range regexp.MustCompile("(?m)^- `([a-z_]+)` · ").FindAllStringSubmatch(page(t), -1) {
		found = append(found, m[1])
	}
	if !slices.Equal(found, export.Columns()) {
		t.Errorf("the page has the columns\n%q, the table\n%q", found, export.Columns())
	}
}

// TestPython runs the page's Python on what was exported, each block where its packages are at hand, and compares what
// packages read with the table.
func TestPython(t *testing.T) {
	python, err := exec.LookPath("python3")
	if err != nil {
		t.Skip("no python3")
	}
	dir := t.TempDir()
	r := run(t)
	text, rows := table(t, r)
	runtest.Write(t, filepath.Join(dir, "trials.csv"), text)
	var b bytes.Buffer
	if _, err := export.Parquet(t.Context(), r, export.Selection{}, &b); err != nil {
		t.Fatal(err)
	}
	runtest.Write(t, filepath.Join(dir, "trials.parquet"), b.Bytes())
	runtest.Write(t, filepath.Join(dir, "guide.eval"), inspected(t, r, export.Selection{Domain: "retail", System: "Guide"}))
	blocks := regexp.MustCompile("(?s)```python\n(.*?)```").FindAllStringSubmatch(page(t), -1)
	if len(blocks) != 4 {
		t.Fatalf("the page has %d blocks of Python", len(blocks))
	}
	more := map[string]string{ // what is asked after a block, by what is in it
		"read_parquet": "\npd.testing.assert_frame_equal(pd.read_csv('trials.csv'), pd.read_parquet('trials.parquet'), check_dtype=False)\nprint(trials.trial.dtype, trials.synthetic.dtype)",
		"read_eval_log": "\nfor s in log.samples:\n  print(s.id, s.epoch, s.scores['reward'].value, sum(len(m.tool_calls or []) for m in s.messages if m.role == 'assistant'), len(s.messages), s.total_time > 0)" +
			"\nprint(log.results.scores[0].metrics['mean'].value, log.stats.completed_at > log.stats.started_at, {e.source for s in log.samples for e in s.events} > {'tauguide/firing'})",
	}
	want := map[string]string{"read_parquet": "int64 bool\n", "read_eval_log": inspectTold(rows)}
	for i, b := range blocks {
		t.Run(fmt.Sprint(i), func(t *testing.T) {
			code, end := b[1], ""
			for within, asked := range more {
				if strings.Contains(b[1], within) {
					code, end = code+asked, want[within]
				}
			}
			cmd := exec.Command(python, "-c", code)
			cmd.Dir = dir
			out, err := cmd.CombinedOutput()
			if strings.Contains(string(out), "ModuleNotFoundError") {
				t.Skipf("a Python package is not installed: %s", out)
			}
			if err != nil || !strings.Contains(string(out), "Guide") || !strings.HasSuffix(string(out), end) {
				t.Errorf("%v: %s\nwant at the end %s", err, out, end)
			}
		})
	}
}

// inspectTold is what TestPython has inspect_ai tell of the log of Guide, by the table's rows.
func inspectTold(rows []map[string]string) (out string) {
	n, sum := 0, 0.0
	for _, row := range rows {
		if row["system"] == "Guide" {
			trial, _ := strconv.Atoi(row["trial"])
			reward, _ := strconv.ParseFloat(row["reward"], 64)
			n, sum = n+1, sum+reward
			out += fmt.Sprintf("%s %d %v %s %s True\n", row["task"], trial+1, reward, row["tool_calls"], row["messages"])
		}
	}
	return out + fmt.Sprintf("%v True True\n", sum/float64(n)) // each task has as many trials as any other
}
