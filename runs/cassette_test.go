package runs_test

import (
	"bytes"
	"context"
	"encoding/json"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/tauguide/tauguide/configs"
	"github.com/tauguide/tauguide/runs"
	"github.com/tauguide/tauguide/runs/config"
	"github.com/tauguide/tauguide/runs/runtest"
	"github.com/tauguide/tauguide/sim/llm"
)

// counted serves the scripted models of the small config and counts the requests.
func counted(t *testing.T, refuse func(n int64, w http.ResponseWriter) bool) (url string, asked *atomic.Int64) {
	t.Helper()
	asked = &atomic.Int64{}
	url = scripted(t, careful(), func(w http.ResponseWriter, _ llm.Tag) bool {
		n := asked.Add(1)
		return refuse != nil && refuse(n, w)
	})
	return url, asked
}

// real is the small config with models that are real as far as the program knows, so that they need a key.
func real(url string) string {
	return strings.NewReplacer("clumsy: {synthetic: true, mistakes: {skip_identify: 0.2, act_before_consent: 0.3, grant_forbidden: 0.3, give_up: 0.2}}",
		"clumsy: {base_url: "+url+", key: $KEY}", "careful: {synthetic: true}", "careful: {base_url: "+url+", key: $KEY}").Replace(runtest.Small)
}

// TestReplayIsTheSameRun records a run, and replays it with the models out of reach: same records, same scores, nothing
// spent.
func TestReplayIsTheSameRun(t *testing.T) {
	t.Parallel()
	url, asked := counted(t, nil)
	tapes, first, second := t.TempDir(), filepath.Join(t.TempDir(), "a"), filepath.Join(t.TempDir(), "b")
	text := overHTTP(url, "")
	was := runtest.Execute(t, text, config.Options{Out: first, Cassette: "record:" + tapes})
	n := asked.Load()
	if n == 0 || !was.Complete() {
		t.Fatalf("%d requests, %+v", n, was)
	}
	var last runs.Progress
	s := runtest.Execute(t, text, config.Options{Out: second, Cassette: "replay:" + tapes, BaseURL: "http://127.0.0.1:1/v1"}, runs.Options{Progress: reporter(func(p runs.Progress) { last = p })})
	if last.Replayed != n || last.WouldCost != nil || *last.Tokens != 0 { // scripted models have no price
		t.Errorf("progress of a replay %+v, want %d answers", last, n)
	}
	if asked.Load() != n || !s.Complete() {
		t.Errorf("%d requests during the replay; %+v", asked.Load()-n, s)
	}
	runtest.Same(t, first, second)
	third := filepath.Join(t.TempDir(), "c")
	if s := runtest.Execute(t, bounded(text, 1), config.Options{Out: third, Cassette: "replay:" + tapes}); !s.Complete() {
		t.Errorf("nothing is spent, but a budget ended the replay: %+v", s)
	}
	for role, u := range s.Usage {
		if u.Calls != 0 || u.PromptTokens != 0 || u.Replayed != was.Usage[role].Calls || u.WouldTokens != was.Usage[role].PromptTokens+was.Usage[role].CompletionTokens {
			t.Errorf("usage of the %s: recorded %+v, replayed %+v", role, was.Usage[role], u)
		}
	}
}

// TestReplayNeedsNoKey: nobody is asked, so nobody has to be paid.
func TestReplayNeedsNoKey(t *testing.T) {
	t.Parallel()
	text := real("http://127.0.0.1:1/v1")
	if _, err := config.Resolve(context.Background(), runtest.Parse(t, text), config.Options{Out: t.TempDir()}); err == nil || !strings.Contains(err.Error(), "KEY is not set") {
		t.Errorf("without a cassette: %v", err)
	}
	if _, err := config.Resolve(context.Background(), runtest.Parse(t, text), config.Options{Out: t.TempDir(), Cassette: "replay:" + t.TempDir()}); err != nil {
		t.Errorf("with one: %v", err)
	}
}

// TestMissesNameTheRequest: what is not recorded is refused, by name, and the trial is void.
func TestMissesNameTheRequest(t *testing.T) {
	t.Parallel()
	tapes, dir := t.TempDir(), filepath.Join(t.TempDir(), "run")
	runtest.Execute(t, runtest.Small, config.Options{Out: filepath.Join(t.TempDir(), "run"), Cassette: "record:" + tapes, Trials: 1})
	s := runtest.Execute(t, runtest.Small, config.Options{Out: dir, Cassette: "replay:" + tapes})
	if s.Evaluable != 6 || s.Planned != 12 {
		t.Errorf("%d of %d trials are evaluable, want 6 of 12", s.Evaluable, s.Planned)
	}
	for rec, err := range runtest.Open(t, dir).Records() {
		if err != nil {
			t.Fatal(err)
		}
		if rec.Trial == 0 {
			continue
		}
		want := "call 0 of the user in trial " + rec.Key.String() + ": nothing is recorded of this trial"
		if f := rec.Fault; f == nil || f.Kind != string(llm.KindCassette) || !strings.Contains(f.Text, want) {
			t.Errorf("fault of %s: %+v, want %q", rec.Key.String(), f, want)
		}
	}
	other := strings.Replace(runtest.Small, "give_up: 0.2", "give_up: 0.1", 1)
	job := runtest.Execute(t, other, config.Options{Out: filepath.Join(t.TempDir(), "run"), Cassette: "replay:" + tapes, Trials: 1})
	if job.Evaluable == job.Planned {
		t.Error("a scripted model of other settings was given the recorded answers")
	}
}

// TestRecordingSurvivesFaults: a run whose endpoint broke off is resumed from its recordings, so that nothing is paid for
// twice.
func TestRecordingSurvivesFaults(t *testing.T) {
	t.Parallel()
	var broken atomic.Bool
	url, asked := counted(t, func(n int64, w http.ResponseWriter) bool {
		if broken.Load() || n == 40 {
			broken.Store(true)
			w.WriteHeader(http.StatusUnauthorized)
			return true
		}
		return false
	})
	text, dir, whole := overHTTP(url, ""), filepath.Join(t.TempDir(), "run"), filepath.Join(t.TempDir(), "whole")
	s := runtest.Execute(t, text, config.Options{Out: dir, Cassette: "record"})
	if s.Complete() {
		t.Fatal("the endpoint did not break")
	}
	answered := int64(39)
	broken.Store(false)
	asked.Store(1000)
	if s = runtest.Execute(t, text, config.Options{Out: dir, Cassette: "record", Resume: true}); !s.Complete() {
		t.Fatalf("%+v", s)
	}
	again := asked.Load() - 1000
	u, nothingLost := counted(t, nil)
	runtest.Execute(t, overHTTP(u, ""), config.Options{Out: whole})
	if total := nothingLost.Load(); answered+again != total {
		t.Errorf("%d requests were answered before the fault and %d after it, want %d together", answered, again, total)
	}
	runtest.Same(t, whole, dir)
}

// TestVerifyFindsOtherAnswers: models that answer otherwise than recorded are told, trial by trial.
func TestVerifyFindsOtherAnswers(t *testing.T) {
	t.Parallel()
	tapes := t.TempDir()
	url, asked := counted(t, nil)
	runtest.Execute(t, overHTTP(url, ""), config.Options{Out: filepath.Join(t.TempDir(), "run"), Cassette: "record:" + tapes})
	n := asked.Load()
	if s := runtest.Execute(t, overHTTP(url, ""), config.Options{Out: filepath.Join(t.TempDir(), "run"), Cassette: "verify:" + tapes}); !s.Complete() || asked.Load() != 2*n {
		t.Errorf("equal answers: %d requests, want %d; %+v", asked.Load(), 2*n, s)
	}
	other := scripted(t, clumsy(t), nil)
	s := runtest.Execute(t, overHTTP(other, ""), config.Options{Out: filepath.Join(t.TempDir(), "run"), Cassette: "verify:" + tapes})
	if s.Complete() {
		t.Error("other answers were accepted")
	}
}

// TestCassetteIsCheckedFirst finds out before anything is written.
func TestCassetteIsCheckedFirst(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ name, text, option, want string }{
		{"no folder named", runtest.Small, "replay", "replay needs cassette.path"},
		{"no folder there", runtest.Small, "verify:/no/such/folder", "record with mode record first"},
		{"in the config", runtest.Small + "cassette: {mode: replay, path: /no/such/folder}\n", "", "small.yaml:"},
		{"mode", runtest.Small, "rewind", "use off, record, replay or verify"},
		{"variable", runtest.Small + "cassette: {mode: replay, path: $TAPES}\n", "", "environment variable TAPES is not set"},
	} {
		t.Run(c.name, func(t *testing.T) {
			dir := filepath.Join(t.TempDir(), "run")
			_, err := config.Resolve(context.Background(), runtest.Parse(t, c.text), config.Options{Out: dir, Cassette: c.option})
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("error %v, want %q", err, c.want)
			}
			if _, err := os.Stat(dir); err == nil {
				t.Error("the run directory was made")
			}
		})
	}
}

// TestCallsAreLogged: with debug, every call is a line with its identity and what it used; without, none is.
func TestCallsAreLogged(t *testing.T) {
	t.Parallel()
	for _, debug := range []bool{false, true} {
		dir := filepath.Join(t.TempDir(), "run")
		s := runtest.Execute(t, runtest.Small, config.Options{Out: dir, Trials: 1}, runs.Options{Debug: debug})
		var calls, want int64
		for _, u := range s.Usage {
			want += u.Calls
		}
		for _, line := range runtest.Lines(t, filepath.Join(dir, "log.jsonl")) {
			var l struct{ Msg, Key, Role, Model string }
			if err := json.Unmarshal(line, &l); err != nil {
				t.Fatal(err)
			}
			if l.Msg == "call" {
				calls++
				if l.Key == "" || l.Role == "" || l.Model == "" || !strings.Contains(string(line), `"usage":{"prompt_tokens":`) || !strings.Contains(string(line), `"served":"`) {
					t.Errorf("line without identity: %s", line)
				}
			}
		}
		if !debug {
			want = 0
		}
		if calls != want {
			t.Errorf("debug %t: %d lines of calls, want %d", debug, calls, want)
		}
	}
}

// TestDropsAreWarnedOfOnce: a parameter that a model does not take is told once in the log and at the end, whatever the
// number of calls.
func TestDropsAreWarnedOfOnce(t *testing.T) {
	t.Parallel()
	url, asked := counted(t, nil)
	dir := filepath.Join(t.TempDir(), "run")
	text := overHTTP(url, "temperature: 0, ")
	text = strings.Replace(text, "model: careful", "model: o3", 1)
	s := runtest.Execute(t, text, config.Options{Out: dir, Trials: 1})
	var about []string
	for _, w := range s.Warnings {
		if strings.Contains(w, "does not take") {
			about = append(about, w)
		}
	}
	want := []string{`endpoint "careful": model o3 does not take temperature: not sent`}
	if asked.Load() < 2 || !slices.Equal(about, want) {
		t.Errorf("%d calls, warnings %q, want %q", asked.Load(), about, want)
	}
	if log := runtest.Text(t, filepath.Join(dir, "log.jsonl")); bytes.Count(log, []byte("does not take")) != 1 {
		t.Errorf("the log does not have it once: %s", log)
	}
}

// TestServersOfTheSchema are those of the table of models.
func TestServersOfTheSchema(t *testing.T) {
	t.Parallel()
	table, err := configs.ModelTable()
	if err != nil {
		t.Fatal(err)
	}
	var schema struct {
		Defs struct {
			Model struct {
				Properties struct{ Server struct{ Enum []string } }
			}
		} `json:"$defs"`
	}
	if err := json.Unmarshal(config.Schema(), &schema); err != nil {
		t.Fatal(err)
	}
	names := schema.Defs.Model.Properties.Server.Enum
	slices.Sort(names)
	if !slices.Equal(names, table.Servers()) {
		t.Errorf("the schema knows %q, the table %q", names, table.Servers())
	}
}
