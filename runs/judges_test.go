package runs_test

import (
	"errors"
	"net/http"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tauguide/tauguide/domains"
	"github.com/tauguide/tauguide/runs"
	"github.com/tauguide/tauguide/runs/config"
	"github.com/tauguide/tauguide/runs/runtest"
	"github.com/tauguide/tauguide/runs/store"
	"github.com/tauguide/tauguide/sim"
	"github.com/tauguide/tauguide/sim/llm"
)

// TestJudgesGradeAgain asks a model of a config for verdicts on records, within the config's budget.
func TestJudgesGradeAgain(t *testing.T) {
	t.Parallel()
	var tags []llm.Tag
	url := scripted(t, careful(), func(_ http.ResponseWriter, tag llm.Tag) bool { tags = append(tags, tag); return false })
	text := strings.Replace(overHTTP(url, ""), "model: clumsy}", "model: careful}", 1) // rewards then hang on the judge
	dir := filepath.Join(t.TempDir(), "run")
	runtest.Execute(t, text, config.Options{Out: dir, Concurrency: 1, Only: []string{"system=ReAct"}})
	r := runtest.Open(t, dir)
	worlds, err := config.Worlds(runtest.Parse(t, text))
	if err != nil {
		t.Fatal(err)
	}
	grade := func(text, name string) (asked int64, pending int) {
		tags = nil
		judges, err := runs.NewJudges(runtest.Parse(t, text), name, worlds, config.Options{}, nil, nil)
		if err != nil {
			t.Fatal(err)
		}
		for rec, err := range r.Records() {
			if err != nil {
				t.Fatal(err)
			}
			task, _ := worlds["retail"].Task(rec.Task)
			s, err := sim.ScoreRecord(t.Context(), worlds["retail"], task, rec, sim.ScoreOptions{Judge: judges.Of(rec)})
			if err != nil {
				t.Fatal(err)
			}
			if s.Pending != "" {
				pending++
			}
		}
		return judges.Usage().Calls, pending
	}
	for _, name := range []string{"", "clumsy"} {
		asked, pending := grade(text, name)
		if asked == 0 || int64(len(tags)) != asked || pending != 0 {
			t.Errorf("model %q: %d asked, %d requests, %d pending", name, asked, len(tags), pending)
		}
		for _, tag := range tags {
			if tag.Role != config.RoleJudge || tag.RunSeed != 300 || tag.Task == "" {
				t.Errorf("tag %+v", tag)
			}
		}
	}
	if asked, pending := grade(strings.Replace(text, "trials: 2", "trials: 2\nlimits: {max_tokens: 1}", 1), ""); asked != 1 || pending == 0 {
		t.Errorf("on a budget for one: %d asked, %d pending", asked, pending)
	}
}

func TestJudgesThatCannotBe(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, judge, from, to string
		o                     config.Options
		want                  string
	}{
		{"no such model", "nobody", "", "", config.Options{}, `no model "nobody" under models`},
		{"no judge", "", "judge: {model: careful}\n", "", config.Options{}, `no model "" under models`},
		{"recordings without a folder", "careful", "", "", config.Options{Cassette: "record"}, "needs a folder"},
		{"recordings that are not there", "careful", "", "", config.Options{Cassette: "replay:" + filepath.Join(t.TempDir(), "none")}, "none"},
	} {
		text := strings.Replace(runtest.Small, c.from, c.to, 1)
		if _, err := runs.NewJudges(runtest.Parse(t, text), c.judge, nil, c.o, nil, nil); !errors.Is(err, domains.ErrUsage) || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", c.name, err, c.want)
		}
	}
}

// TestARunIsGradedAsItRan: with its seed, and by its recordings where the config at hand has none of its own.
func TestARunIsGradedAsItRan(t *testing.T) {
	t.Parallel()
	own, theirs := config.Cassette{Mode: "record", Path: "own"}, config.Cassette{Mode: "record", Path: "theirs"}
	for _, c := range []struct {
		name       string
		mine, runs config.Cassette
		want       config.Cassette
	}{
		{"the run's", config.Cassette{Mode: "off"}, theirs, theirs},
		{"neither has any", config.Cassette{Mode: "off"}, config.Cassette{}, config.Cassette{Mode: "off"}},
		{"its own", own, theirs, own},
	} {
		at := &config.Config{Seed: 1, Note: "mine", Cassette: c.mine}
		got := runs.ForRun(at, store.Manifest{Config: &config.Config{Seed: 2, Note: "the run's", Cassette: c.runs}})
		if diff := cmp.Diff(c.want, got.Cassette); diff != "" || got.Seed != 2 || got.Note != "mine" || at.Seed != 1 {
			t.Errorf("%s: seed %d, note %q: %s", c.name, got.Seed, got.Note, diff)
		}
	}
	if got := runs.ForRun(&config.Config{Seed: 1}, store.Manifest{}); got.Seed != 1 {
		t.Errorf("a run without a config: seed %d", got.Seed)
	}
}
