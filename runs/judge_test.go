package runs_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/tauguide/tauguide/domains"
	"github.com/tauguide/tauguide/runs"
	"github.com/tauguide/tauguide/runs/config"
	"github.com/tauguide/tauguide/runs/runtest"
	"github.com/tauguide/tauguide/runs/store"
	"github.com/tauguide/tauguide/sim/llm"
)

func TestARunWithoutAJudgeSaysWhatItMisses(t *testing.T) {
	small := strings.Replace(runtest.Small, "agent: noop", "agent: oracle, model: careful", 1) // which does all else that the tasks want
	without := strings.Replace(small, "judge: {model: careful}\n", "", 1)
	// The judge is a model that nothing else uses, so that naming it adds to the setup.
	with := strings.NewReplacer("judge: {model: careful}", "judge: {model: strict}", "models:\n", "models:\n  strict: {synthetic: true}\n").Replace(small)
	calm, dir := filepath.Join(t.TempDir(), "run"), filepath.Join(t.TempDir(), "run")
	runtest.Execute(t, with, config.Options{Out: calm})

	const want = "4 of 12 trials need a judge for their reward, and none is named: name one under judge in the config"
	j := runtest.Resolve(t, without, config.Options{Out: dir})
	if len(j.Warnings) != 1 || !strings.Contains(j.Warnings[0], want) {
		t.Errorf("warnings of the job: %q", j.Warnings)
	}
	var lines strings.Builder
	s := runtest.Execute(t, without, config.Options{Out: dir}, runs.Options{Progress: runs.NewLineReporter(&lines)})
	if s.NeedsJudge == 0 || s.NeedsJudge != s.Pending || len(s.Warnings) != 1 || !strings.Contains(s.Warnings[0], want) {
		t.Errorf("summary %+v", s)
	}
	if !strings.HasPrefix(lines.String(), "warning: ") || strings.Count(lines.String(), "warning") != 1 {
		t.Errorf("progress:\n%s", lines.String())
	}
	if log := string(runtest.Text(t, filepath.Join(dir, "log.jsonl"))); !strings.Contains(log, want) {
		t.Errorf("log:\n%s", log)
	}

	again := runtest.Execute(t, with, config.Options{Out: dir, Resume: true})
	if again.Executed != 0 || again.Pending != 0 || again.NeedsJudge != 0 || len(again.Warnings) != 0 {
		t.Errorf("resumed with a judge: %+v", again)
	}
	runtest.Same(t, calm, dir)
	// From now on the judge is part of the setup.
	if _, err := runtest.Run(t.Context(), runtest.Parse(t, without), config.Options{Out: dir, Resume: true}); !errors.Is(err, domains.ErrUsage) || !strings.Contains(err.Error(), "another setup") {
		t.Errorf("resumed without the judge: %v", err)
	}
	if m := runtest.Open(t, dir).Manifest(); m.Config.Judge.Model != "strict" {
		t.Errorf("manifest: judge %q", m.Config.Judge.Model)
	}
}

func TestABadExtraNamesItsLine(t *testing.T) {
	text := strings.Replace(runtest.Small, "careful: {", "careful: {extra: {fine: 1, stream: true}, ", 1)
	_, err := config.Parse("x.yaml", []byte(text), runtest.NoEnv)
	if !errors.Is(err, domains.ErrUsage) || err.Error() != "x.yaml:6:30: models.careful.extra: extra field \"stream\" is set by the request itself\nhint: remove it" {
		t.Errorf("error %v", err)
	}
}

// TestEveryJudgingIsPaid: a trial that was judged more than once cost all of that, also when the index is rebuilt.
func TestEveryJudgingIsPaid(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "run")
	runtest.Execute(t, runtest.Small, config.Options{Out: dir, Trials: 1})
	path := filepath.Join(dir, "scores.jsonl")
	line, rest, _ := strings.Cut(string(runtest.Text(t, path)), "\n")
	line, _, _ = strings.Cut(line, `,"sum":`)
	line += "}"
	judged := func(n int) string {
		call := `{"role":"judge","ordinal":0,"index":0,"model":"m","usage":{"prompt_tokens":100,"cached_tokens":0,"completion_tokens":10,"reasoning_tokens":0},"cost":0.5}`
		return string(llm.Seal([]byte(strings.TrimSuffix(line, "}") + `,"judge_calls":[` + strings.TrimSuffix(strings.Repeat(call+",", n), ",") + "]}")))
	}
	if err := os.WriteFile(path, []byte(judged(2)+rest+judged(1)), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := os.Remove(filepath.Join(dir, "index.jsonl")); err != nil {
		t.Fatal(err)
	}
	r, err := store.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	calls, cost := 0, 0.0
	for e := range r.Entries() {
		for _, u := range e.Usage {
			if u.Role == "judge" && u.Cost > 0 { // the scripted one has no price
				calls, cost = calls+u.Calls, cost+u.Cost
			}
		}
	}
	if calls != 3 || cost != 1.5 {
		t.Errorf("%d calls for %g dollars, want 3 for 1.5", calls, cost)
	}
}
