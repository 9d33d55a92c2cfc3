package main

import (
	"bytes"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/tauguide/tauguide/domains/domaintest"
)

// mockFolder is a data folder with the embedded set of the domain mock, each file as edit returns it.
func mockFolder(t *testing.T, edit func(name string, text []byte) []byte) string {
	t.Helper()
	return copied(t, filepath.Join(domaintest.Root(t), "domains", "mock", "data"), filepath.Join("tau2", "domains", "mock"), edit)
}

// copied is a new folder with the files of another below it.
func copied(t *testing.T, from, below string, edit func(name string, text []byte) []byte) string {
	t.Helper()
	dir := t.TempDir()
	err := filepath.WalkDir(from, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(from, path)
		if err != nil {
			return err
		}
		to := filepath.Join(dir, below, rel)
		if err := os.MkdirAll(filepath.Dir(to), 0o755); err != nil {
			return err
		}
		return os.WriteFile(to, edit(filepath.Base(path), text), 0o644)
	})
	if err != nil {
		t.Fatal(err)
	}
	return dir
}

// TestLineEndsOfData: data that was checked out with the line ends of another system gives the policies, guidelines and
// hashes of the original.
func TestLineEndsOfData(t *testing.T) {
	as := func(end string) func(string, []byte) []byte {
		return func(_ string, text []byte) []byte { return bytes.ReplaceAll(text, []byte("\n"), []byte(end)) }
	}
	from := map[string]func(edit func(string, []byte) []byte) string{
		"mock": func(edit func(string, []byte) []byte) string { return mockFolder(t, edit) },
	}
	if shared, ok := domaintest.Locate(t); ok {
		for _, name := range []string{"airline", "retail", "telecom"} {
			from[name] = func(edit func(string, []byte) []byte) string {
				return copied(t, filepath.Join(shared, "tau2"), "", edit)
			}
		}
	} else {
		t.Log("without the reference's data: only the domain mock is looked at")
	}
	for name, folder := range from {
		want := ""
		for _, end := range []string{"\n", "\r\n", "\r"} {
			code, stdout, stderr := command(t, noEnv, "domains", "show", name, "--json", "--data", folder(as(end)))
			if want == "" {
				want = stdout
			}
			if code != exitOK || stdout != want || strings.Contains(stdout, `\r`) {
				t.Errorf("%s with %q: exit %d, %s, %d bytes in place of %d", name, end, code, stderr, len(stdout), len(want))
			}
		}
	}
}

// TestUnknownFieldsOfTasks: a misspelt field of the criteria is a finding of the check and a warning of a run.
func TestUnknownFieldsOfTasks(t *testing.T) {
	folders := map[string]string{"embedded": mockFolder(t, func(name string, text []byte) []byte {
		if name == "tasks.json" {
			return bytes.Replace(text, []byte(`"communicate_info"`), []byte(`"action_sets": [], "comunicate_info"`), 1)
		}
		return text
	})}
	if shared, ok := domaintest.Locate(t); ok {
		folders["field"] = copied(t, filepath.Join(shared, "tau2"), "", func(_ string, text []byte) []byte { return text })
		mock := filepath.Join(folders["field"], "tau2", "domains", "mock")
		text, err := os.ReadFile(filepath.Join(shared, "field", "12-unknown-task-fields", "tasks.json"))
		if err == nil {
			err = os.WriteFile(filepath.Join(mock, "tasks.json"), text, 0o644)
		}
		if err == nil {
			err = os.Remove(filepath.Join(mock, "split_tasks.json"))
		}
		if err != nil && !os.IsNotExist(err) {
			t.Fatal(err)
		}
	} else {
		t.Log("without the shared case: only the domain's own tasks are looked at")
	}
	config := filepath.Join(t.TempDir(), "c.yaml")
	text := "note: x\nmodels: {m: {synthetic: true}}\nuser: {model: m}\njudge: {model: m}\ndomains: [{name: mock}]\nsystems: [{name: A, agent: react, model: m}]\n"
	if err := os.WriteFile(config, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	for name, dir := range folders {
		_, stdout, stderr := command(t, noEnv, "domains", "check", "mock", "--data", dir)
		for _, want := range []string{
			`evaluation_criteria.comunicate_info: nothing reads a field of this name: did you mean "communicate_info"?`,
			`evaluation_criteria.action_sets: nothing reads a field of this name: `,
		} {
			if !strings.Contains(stdout, want) {
				t.Errorf("%s: the check lacks %q: %s%s", name, want, stdout, stderr)
			}
		}
		code, _, stderr := command(t, noEnv, "run", config, "--dry-run", "--data", dir)
		if code != exitOK || !strings.Contains(stderr, "1 of the tasks of mock have fields that nothing reads, the first being evaluation_criteria.action_sets of ") {
			t.Errorf("%s: exit %d, no warning: %s", name, code, stderr)
		}
	}
}
