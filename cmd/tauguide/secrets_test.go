package main

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/tauguide/tauguide/sim/llm/faultserver"
)

// TestSecretsStayWhereTheyAre: of all credentials that a config can hold, none is in any file of a run, of its pages and
// exports, or on a stream, although the server repeats them in answers and in errors.
func TestSecretsStayWhereTheyAre(t *testing.T) {
	secrets := map[string]string{
		"key": "sk-key-0123456789", "header": "gw-header-0123456789", "variable in a header": "gw-variable-012345", "bearer": "bearer-012345678",
		"extra": "sk-extra-0123456789", "nested": "tok-nested-01234567", "address in extra": "in-address-0123456",
		"password": "pass-word-01234567", "signature": "sig-0123456789abcd",
	}
	echo := ""
	for _, s := range secrets {
		echo += s + " "
	}
	srv := faultserver.NewFunc(t, func(_ int, r faultserver.Request) faultserver.Reply {
		if r.JSON(t)["model"] == "talks" {
			return faultserver.Text("You sent "+echo).With("X-Request-Id", echo)
		}
		return faultserver.Error(418, "", secrets["nested"], "", "You sent "+echo)
	})
	dir := t.TempDir()
	file := filepath.Join(dir, "secret.yaml")
	model := fmt.Sprintf(`{base_url: "%s?sig=%s&api-version=1", key: %s, retry: {attempts: 1}, headers: {X-Gateway: %s, X-Other: $GATEWAY, X-Third: Bearer %s}, `+
		`extra: {api_key: %s, pin: 4711, more: [{auth: {token: %s, password: pw-12}}], callback: "https://x.example/?token=%s"}}`,
		strings.Replace(srv.URL, "http://", "http://someone:"+secrets["password"]+"@", 1), secrets["signature"], secrets["key"], secrets["header"], secrets["bearer"],
		secrets["extra"], secrets["nested"], secrets["address in extra"])
	text := "note: secret\ntrials: 1\nlimits: {max_steps: 6}\ncassette: {mode: record}\nmodels:\n  talks: " + model + "\n  fails: " + model +
		"\nuser: {model: talks}\ndomains: [{name: mock, tasks: [add_task]}]\nsystems: [{name: Talks, agent: react, model: talks}, {name: Fails, agent: react, model: fails}]\n"
	if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	env := variables(map[string]string{"GATEWAY": secrets["variable in a header"]})
	out := filepath.Join(dir, "out")
	run1 := filepath.Join(out, "run")
	elsewhere := strings.Replace(srv.URL, "http://", "http://someone:"+secrets["password"]+"@", 1)
	for _, args := range [][]string{
		{"run", file, "--out", run1, "--debug"},
		{"run", file, "--out", run1, "--base-url", elsewhere},
		{"run", file, "--out", run1, "--resume"},
		{"probe", file},
		{"show", run1, "mock/Talks/add_task/0", "--json"},
		{"show", run1, "mock/Fails/add_task/0"},
		{"view", run1, "--export", filepath.Join(out, "pages")},
		{"export", "tau2", run1, "--system", "Talks", "--out", filepath.Join(out, "result.json")},
		{"export", "csv", run1, "--out", filepath.Join(out, "trials.csv")},
		{"export", "inspect", run1, "--system", "Fails", "--out", filepath.Join(out, "fails.eval")},
	} {
		var stdout, stderr bytes.Buffer
		progress, err := os.Create(filepath.Join(dir, "progress"))
		if err != nil {
			t.Fatal(err)
		}
		run(t.Context(), process{args: args, env: env, stdout: &stdout, stderr: &stderr, progress: progress})
		shown, err := os.ReadFile(progress.Name())
		if err != nil {
			t.Fatal(err)
		}
		progress.Close()
		for name, s := range secrets {
			if strings.Contains(stdout.String()+stderr.String()+string(shown), s) {
				t.Errorf("%s shows the %s: %s%s%s", args[0], name, stdout.String(), stderr.String(), shown)
			}
		}
	}
	files := 0
	err := filepath.WalkDir(out, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		files++
		text, err := os.ReadFile(path)
		if filepath.Ext(path) == ".gz" {
			text = unpacked(t, text)
		}
		for name, s := range secrets {
			if i := bytes.Index(text, []byte(s)); i >= 0 {
				t.Errorf("%s holds the %s: %s", path, name, text[max(0, i-60):i+len(s)])
			}
		}
		return err
	})
	if err != nil || files < 10 {
		t.Errorf("%d files, %v", files, err)
	}
	manifest, err := os.ReadFile(filepath.Join(run1, "manifest.json"))
	if err != nil || bytes.Contains(manifest, []byte("pw-12")) || !bytes.Contains(manifest, []byte(`"pin": 4711`)) || !bytes.Contains(manifest, []byte("$GATEWAY")) {
		t.Errorf("the manifest: %v, %s", err, manifest)
	}
}

func unpacked(t *testing.T, text []byte) []byte {
	t.Helper()
	z, err := gzip.NewReader(bytes.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	out, err := io.ReadAll(z)
	if err != nil {
		t.Fatal(err)
	}
	return out
}
