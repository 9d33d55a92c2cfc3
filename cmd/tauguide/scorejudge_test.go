package main

import (
	"encoding/json"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/tauguide/tauguide/sim/llm"
)

// judged writes a config of two trials that need a judge, whose models are behind an address.
func judged(t *testing.T, url, cassette string) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "c.yaml")
	text := fmt.Sprintf(`note: for a test
seed: 42
trials: 2
models: {m: {synthetic: true, base_url: %q}, other: {synthetic: true, base_url: %[1]q}}
user: {model: m}
judge: {model: m}
domains: [{name: retail, tasks: [cancel-one-return-one, change-two-items-then-address]}]
systems: [{name: A, agent: react, model: m}]
%s`, url, cassette)
	if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	return file
}

// TestScoreJudgeUsesTheCassette: a judge is asked again only for what is not recorded; a replay asks nobody, and says
// which request it has no answer to.
func TestScoreJudgeUsesTheCassette(t *testing.T) {
	models, asked := scriptedModels(t, 0), atomic.Int64{}
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked.Add(1)
		models.ServeHTTP(w, r)
	}))
	defer srv.Close()
	dir, config := t.TempDir(), judged(t, srv.URL+"/v1", "")
	run := filepath.Join(dir, "run")
	if _, diag, code := exchange(t, nil, "run", config, "--out", run, "--cassette", "record"); code != exitOK {
		t.Fatalf("the run ended with %d: %s", code, diag)
	}
	results := filepath.Join(dir, "results.json")
	if _, diag, code := exchange(t, nil, "export", "tau2", run, "--out", results); code != exitOK {
		t.Fatalf("export ended with %d: %s", code, diag)
	}
	lost := filepath.Join(dir, "lost") // the same run without the judge's answers
	if err := os.CopyFS(lost, os.DirFS(run)); err != nil {
		t.Fatal(err)
	}
	if err := os.RemoveAll(filepath.Join(lost, "cassette")); err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(filepath.Join(lost, "cassette"), 0o755); err != nil {
		t.Fatal(err)
	}
	tapes := filepath.Join(dir, "tapes")
	own := judged(t, srv.URL+"/v1", "cassette: {mode: replay, path: "+filepath.Join(run, "cassette")+"}\n")
	seeded := judged(t, srv.URL+"/v1", "")
	text, err := os.ReadFile(seeded)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(seeded, []byte(strings.Replace(string(text), "seed: 42", "seed: 7", 1)), 0o644); err != nil {
		t.Fatal(err)
	}
	const miss = "call 0 of the judge in trial retail/A/"
	for _, c := range []struct {
		name  string
		args  []string
		code  int
		asked int64
		want  string
	}{
		{"as the run did", []string{run, "--judge", "m", "--config", config}, exitOK, 0, "2 answers of the judge were replayed from recordings, 0 were asked for"},
		{"another seed in the judge's config", []string{run, "--judge", "m", "--config", seeded}, exitOK, 0, "2 answers of the judge were replayed"},
		{"off", []string{run, "--judge", "m", "--config", config, "--cassette", "off"}, exitOK, 2, "agree"},
		{"verify", []string{run, "--judge", "m", "--config", config, "--cassette", "verify"}, exitOK, 2, "agree"},
		{"as the config says", []string{lost, "--judge", "m", "--config", own}, exitOK, 0, "2 answers of the judge were replayed"},
		{"replay of another judge", []string{run, "--judge", "other", "--config", config, "--cassette", "replay"}, exitIncomplete, 0, `could not be judged, such as this: endpoint "other"`},
		{"which is named", []string{run, "--judge", "other", "--config", config, "--cassette", "replay"}, exitIncomplete, 0, miss},
		{"and how it differs", []string{run, "--judge", "other", "--config", config, "--cassette", "replay"}, exitIncomplete, 0, `had model "m", now "other"`},
		{"replay of nothing", []string{lost, "--judge", "m", "--config", config, "--cassette", "replay"}, exitIncomplete, 0, "nothing is recorded of this trial"},
		{"replay of no folder", []string{run, "--judge", "m", "--config", config, "--cassette", "replay:" + tapes}, exitUsage, 0, "record with mode record first"},
		{"a file has no folder", []string{results, "--data", "embedded", "--judge", "m", "--config", config, "--cassette", "record"}, exitUsage, 0, "--cassette record:FOLDER"},
		{"a file, recorded", []string{results, "--data", "embedded", "--judge", "m", "--config", config, "--cassette", "record:" + tapes}, exitOK, 2, "agree"},
		{"a file, replayed", []string{results, "--data", "embedded", "--judge", "m", "--config", config, "--cassette", "replay:" + tapes}, exitOK, 0, "2 answers of the judge were replayed"},
		{"no such mode", []string{run, "--judge", "m", "--config", config, "--cassette", "rewind"}, exitUsage, 0, "no such mode"},
		{"no judge", []string{run, "--cassette", "replay"}, exitUsage, 0, "name one with --judge"},
	} {
		t.Run(c.name, func(t *testing.T) {
			before := asked.Load()
			out, diag, code := exchange(t, nil, append([]string{"score"}, c.args...)...)
			if code != c.code || asked.Load()-before != c.asked || !strings.Contains(out+diag, c.want) {
				t.Errorf("exit code %d, want %d; %d requests, want %d; lacks %q:\n%s%s", code, c.code, asked.Load()-before, c.asked, c.want, out, diag)
			}
		})
	}
	srv.Close()
	if out, diag, code := exchange(t, nil, "score", run, "--judge", "m", "--config", config, "--cassette", "replay"); code != exitOK {
		t.Errorf("without a server: exit code %d: %s%s", code, out, diag)
	}
}

// opposing serves scripted models whose judge finds nothing met in the second trial of a task.
func opposing(t *testing.T) string {
	models := scriptedModels(t, 0)
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		answer := httptest.NewRecorder()
		models.ServeHTTP(answer, r)
		body := answer.Body.String()
		if tag, _, _ := llm.ReadTag(r.Header); tag.Role == "judge" && tag.Trial == 1 {
			body = strings.ReplaceAll(body, `\"metExpectation\":true`, `\"metExpectation\":false`)
		}
		w.Header().Set("Content-Type", "application/json")
		_, _ = io.WriteString(w, body)
	}))
	t.Cleanup(srv.Close)
	return srv.URL + "/v1"
}

// TestOpinionsOfJudges: verdicts of another judge are kept beside the run's, which stay as they are to the byte; tables say how
// far both agree, which rewards flip and what that does to Pass^1. One that asks again adds to them.
func TestOpinionsOfJudges(t *testing.T) {
	dir := t.TempDir()
	models := httptest.NewServer(scriptedModels(t, 0))
	defer models.Close()
	run, good := filepath.Join(dir, "run"), judged(t, models.URL+"/v1", "")
	if _, diag, code := exchange(t, nil, "run", good, "--out", run); code != exitOK {
		t.Fatalf("the run ended with %d: %s", code, diag)
	}
	bad := judged(t, opposing(t), "")
	before := folderBytes(t, run)
	must := func(args ...string) string {
		t.Helper()
		out, diag, code := exchange(t, nil, args...)
		if code != exitOK {
			t.Fatalf("%v: exit code %d: %s%s", args, code, out, diag)
		}
		return out + diag
	}
	if out := must("tables", run, "--table", "judges"); !strings.Contains(out, "one judge at most: `tauguide score") {
		t.Errorf("before a second judge:\n%s", out)
	}
	if out := must("score", run, "--judge", "other", "--config", bad, "--opinion", "strict"); !strings.Contains(out, "opinions of strict kept") || !strings.Contains(out, "differ, reward recorded 1, now 0") {
		t.Errorf("the second judge:\n%s", out)
	}
	must("score", run, "--judge", "m", "--config", good, "--opinion", "again")
	after := folderBytes(t, run)
	for name, text := range before {
		if name != "lock" && after[name] != text {
			t.Errorf("%s was changed", name)
		}
	}
	var tables []struct{ Rows []map[string]any }
	if err := json.Unmarshal([]byte(must("tables", run, "--table", "judges,judge-flips", "--format", "json")), &tables); err != nil {
		t.Fatal(err)
	}
	var told []string
	for _, r := range tables[0].Rows {
		if r["domain"] == "retail" {
			told = append(told, fmt.Sprint(r["judge_a"], "/", r["judge_b"], ": ", r["trials"], " ", r["trials_agree"], " ", r["trials_kappa"], " ", r["flips_up"], " ", r["flips_down"], " ", r["pass^1_a"], " ", r["pass^1_b"]))
		}
	}
	want := "the run's/again: 2 1 1 0 0 0.5 0.5|the run's/strict: 2 0.5 0 0 1 0.5 0.25|again/strict: 2 0.5 0 0 1 0.5 0.25"
	if got := strings.Join(told, "|"); got != want {
		t.Errorf("judges are\n%s, want\n%s", got, want)
	}
	if f := tables[1].Rows; len(f) != 2 || f[0]["with_a"] != "pass" || f[0]["with_b"] != "fail" || !strings.HasPrefix(fmt.Sprint(f[0]["key"]), "retail/A/") || f[0]["differ"] == "" {
		t.Errorf("flips are %v", f)
	}
	for _, wrong := range [][]string{{"--opinion", "x"}, {"--judge", "m", "--config", good, "--opinion", "x", "--update"}} {
		if _, diag, code := exchange(t, nil, append([]string{"score", run}, wrong...)...); code != exitUsage || !strings.Contains(diag, "hint: name the judge with --judge") {
			t.Errorf("%v: exit code %d: %s", wrong, code, diag)
		}
	}
	results := filepath.Join(dir, "results.json")
	must("export", "tau2", run, "--out", results)
	if _, diag, code := exchange(t, nil, "score", results, "--data", "embedded", "--judge", "m", "--config", good, "--opinion", "x"); code != exitUsage || !strings.Contains(diag, "hint: make it one with tauguide import tau2") {
		t.Errorf("a result file: exit code %d: %s", code, diag)
	}
	// A line that was edited is left out and told of.
	file := filepath.Join(run, "opinions.jsonl")
	if err := os.WriteFile(file, []byte(strings.Replace(after["opinions.jsonl"], `"met":false`, `"met":true`, 1)), 0o644); err != nil {
		t.Fatal(err)
	}
	if out := must("tables", run, "--table", "judges"); !strings.Contains(out, "1 opinions are left out, such as this: ") {
		t.Errorf("an edited line:\n%s", out)
	}
}

// folderBytes are the files of a folder.
func folderBytes(t *testing.T, dir string) map[string]string {
	t.Helper()
	out := map[string]string{}
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		text, err := os.ReadFile(path)
		name, _ := filepath.Rel(dir, path)
		out[name] = string(text)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}
