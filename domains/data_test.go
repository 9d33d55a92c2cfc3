package domains_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"

	"github.com/tauguide/tauguide/domains"
	"github.com/tauguide/tauguide/domains/mock"
	"github.com/tauguide/tauguide/domains/record"
)

// folder makes a data folder with these files.
func folder(t *testing.T, files map[string]string) domains.Data {
	t.Helper()
	dir := t.TempDir()
	if err := os.MkdirAll(filepath.Join(dir, "tau2", "domains"), 0o755); err != nil {
		t.Fatal(err)
	}
	for name, text := range files {
		at := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(at), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(at, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	d, err := domains.Folder(dir)
	if err != nil {
		t.Fatal(err)
	}
	if d.Label() != dir {
		t.Errorf("label %q, want %q", d.Label(), dir)
	}
	return d
}

// files opens one domain of a data folder.
func files(t *testing.T, name string, content map[string]string) *domains.Files {
	t.Helper()
	f, err := folder(t, content).Domain(name, nil)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

func TestFolderErrors(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	for _, dir := range []string{t.TempDir(), filepath.Join(t.TempDir(), "nowhere"), file} {
		_, err := domains.Folder(dir)
		if err == nil || !strings.Contains(err.Error(), dir) || !strings.Contains(err.Error(), "no folder tau2/domains inside") {
			t.Errorf("%s: %v", dir, err)
		}
	}
}

// TestComplete: a domain that names no documents has its policy as one, whose lines can be cited.
func TestComplete(t *testing.T) {
	f, err := domains.Embedded().Domain("desk", fstest.MapFS{"data/tasks.json": {Data: []byte("[]")}})
	if err != nil {
		t.Fatal(err)
	}
	w, two := &domains.World{Policy: "Renew once.\n"}, &domains.World{Documents: []domains.Document{{Name: "a.md"}, {Name: "b.md"}}}
	if err := errors.Join(f.Complete(w, nil, nil), f.Complete(two, nil, nil)); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]domains.Document{{Name: "policy.md", Text: "Renew once.\n"}}, w.Documents); diff != "" || len(two.Documents) != 2 {
		t.Errorf("%v (-want +got):\n%s", two.Documents, diff)
	}
}

// TestDomainFallsBackToEmbeddedFiles holds that a folder without the domain leaves it with its own files, and that a
// folder which has the domain must have it whole.
func TestDomainFallsBackToEmbeddedFiles(t *testing.T) {
	own := fstest.MapFS{"data/policy.md": {Data: []byte("own")}, "data/db.json": {Data: []byte("{}")}}
	d := folder(t, map[string]string{"tau2/domains/half/policy.md": "theirs", "tau2/domains/file": "x"})
	for _, tt := range []struct {
		name, domain, policy string
		data                 domains.Data
		embedded             bool
	}{
		{"embedded", "half", "own", domains.Embedded(), true},
		{"folder", "half", "theirs", d, false},
		{"folder without it", "other", "own", d, true},
		{"a file of its name", "file", "own", d, true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			f, err := tt.data.Domain(tt.domain, own)
			if err != nil {
				t.Fatal(err)
			}
			got, err := f.Text("policy.md")
			if err != nil || got != tt.policy || f.IsEmbedded() != tt.embedded {
				t.Errorf("policy %q, embedded %v, error %v; want %q, %v", got, f.IsEmbedded(), err, tt.policy, tt.embedded)
			}
			_, err = f.Read("db.json")
			if mixed := err == nil; mixed != tt.embedded {
				t.Errorf("reading a file that only the embedded set has: %v", err)
			}
		})
	}
	if _, err := d.Domain("other", nil); err == nil || !strings.Contains(err.Error(), "domain other: no embedded data and no folder tau2/domains/other") {
		t.Errorf("neither folder nor embedded files: %v", err)
	}
}

func TestFiles(t *testing.T) {
	f := files(t, "d", map[string]string{
		"tau2/domains/d/policy.md": "\ufeffRule\r\nof\rthree\n", "tau2/domains/d/bad.md": "a\xff", "tau2/domains/d/db.json": "{\"a\": 25.0}",
		"tau2/domains/d/broken.json": "{\"a\": }", "tau2/user_simulator/x.md": "Guide",
	})
	if got, err := f.Text("policy.md"); err != nil || got != "Rule\nof\nthree\n" {
		t.Errorf("text %q, %v", got, err)
	}
	if _, err := f.Text("bad.md"); err == nil || err.Error() != "tau2/domains/d/bad.md: not UTF-8 text" {
		t.Errorf("text that is not UTF-8: %v", err)
	}
	if _, err := f.Text("none.md"); !errors.Is(err, fs.ErrNotExist) || !strings.Contains(err.Error(), "tau2/domains/d/none.md") {
		t.Errorf("no file: %v", err)
	}
	if _, err := domains.Load(f, "broken.json", record.Int.Load); err == nil || !strings.HasPrefix(err.Error(), "tau2/domains/d/broken.json: invalid JSON") {
		t.Errorf("broken JSON: %v", err)
	}
	if _, err := domains.Load(f, "db.json", record.ListOf(record.Int).Load); err == nil ||
		err.Error() != "tau2/domains/d/db.json: invalid value: want a list, got {'a': 25.0} (dict)" {
		t.Errorf("another shape: %v", err)
	}
	if _, err := domains.Load(f, "none.json", record.Int.Load); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("no file: %v", err)
	}
	if got, err := domains.Load(f, "db.json", record.DictOf(record.Int).Load); err != nil || *got.Get("a") != 25 {
		t.Errorf("loaded: %v", err)
	}
	if got, ok, err := f.SharedText("tau2/user_simulator/x.md"); got != "Guide" || !ok || err != nil {
		t.Errorf("shared text %q, %v, %v", got, ok, err)
	}
	if _, ok, err := f.SharedText("tau2/user_simulator/y.md"); ok || err != nil {
		t.Errorf("shared text that is not there: %v, %v", ok, err)
	}
	own, err := domains.Embedded().Domain("d", fstest.MapFS{})
	if err != nil {
		t.Fatal(err)
	}
	if _, ok, err := own.SharedText("tau2/user_simulator/x.md"); ok || err != nil {
		t.Errorf("embedded data has a shared text: %v, %v", ok, err)
	}
}

func TestSourcesNameWhatWasRead(t *testing.T) {
	f := files(t, "d", map[string]string{"tau2/domains/d/b.md": "abc", "tau2/domains/d/a.md": "\ufeff"})
	for _, name := range []string{"b.md", "a.md"} {
		if _, err := f.Read(name); err != nil {
			t.Fatal(err)
		}
	}
	if diff := cmp.Diff([]domains.Source{
		{Path: "tau2/domains/d/a.md", SHA256: "f1945cd6c19e56b3c1c78943ef5ec18116907a4ca1efc40a57d48ab1db7adfc5"},
		{Path: "tau2/domains/d/b.md", SHA256: "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"},
	}, f.Sources()); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestTaskFileErrorsNameTheFile(t *testing.T) {
	f := files(t, "d", map[string]string{"tau2/domains/d/tasks.json": "[\n{}]"})
	if _, err := f.Tasks(); err == nil || !strings.HasPrefix(err.Error(), "tau2/domains/d/tasks.json: line 2: task 0 has no id") {
		t.Errorf("got %v", err)
	}
	for packed, want := range map[string]string{"\x1f\x8b\x08": "packed with gzip", "\xff\xfe[\x00": "UTF-16 text"} {
		f := files(t, "d", map[string]string{"tau2/domains/d/tasks.json": packed})
		if _, err := f.Tasks(); err == nil || !strings.HasPrefix(err.Error(), "tau2/domains/d/tasks.json: ") || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want %q", err, want)
		}
	}
	if _, err := files(t, "e", map[string]string{"tau2/domains/e/x": ""}).Tasks(); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("no task file: %v", err)
	}
}

func TestSplits(t *testing.T) {
	tasks := parseTasks(t, `[{"id": "b", `+brief+`}, {"id": "a", `+brief+`}]`)
	for _, tt := range []struct {
		name, file string // no file if empty
		want       domains.Splits
		fails      string
	}{
		{"no file", "", domains.Splits{"base": {"b", "a"}}, ""},
		{"file", `{"train": ["a"], "base": ["a", "b"], "none": []}`, domains.Splits{"train": {"a"}, "base": {"a", "b"}, "none": {}}, ""},
		{"broken", `{"train": [`, nil, "tau2/domains/d/split_tasks.json: "},
		{"wrong type", `{"train": [1]}`, nil, "tau2/domains/d/split_tasks.json: "},
	} {
		t.Run(tt.name, func(t *testing.T) {
			content := map[string]string{"tau2/domains/d/x": ""}
			if tt.file != "" {
				content["tau2/domains/d/split_tasks.json"] = tt.file
			}
			got, err := files(t, "d", content).Splits(tasks)
			if (err != nil) != (tt.fails != "") || err != nil && !strings.HasPrefix(err.Error(), tt.fails) {
				t.Fatalf("error %v, want %q", err, tt.fails)
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
	if diff := cmp.Diff([]string{"a", "b", "c"}, (domains.Splits{"c": nil, "a": nil, "b": nil}).Names()); diff != "" {
		t.Errorf("names (-want +got):\n%s", diff)
	}
}

// mockFolder is a data folder with the mock domain, changed by these files; an empty text removes one.
func mockFolder(t *testing.T, changed map[string]string) domains.Data {
	t.Helper()
	content := map[string]string{
		"policy.md": "Policy", "policy_solo.md": "Alone", "db.json": `{"tasks": {}, "users": {"user_1": {"user_id": "user_1", "name": "Robin", "tasks": []}}}`,
		"user_db.json": `{}`, "tasks.json": `[{"id": "b", ` + brief + `}, {"id": "a", ` + brief + `}]`,
	}
	for name, text := range changed {
		content[name] = text
	}
	all := map[string]string{}
	for name, text := range content {
		if text != "" {
			all["tau2/domains/mock/"+name] = text
		}
	}
	return folder(t, all)
}

// TestWorldErrors opens the mock domain on folders that lack something or hold something wrong; each error names the
// file.
func TestWorldErrors(t *testing.T) {
	for _, tt := range []struct{ name, file, text, want string }{
		{"no database", "db.json", "", "tau2/domains/mock/db.json"},
		{"no user database", "user_db.json", "", "tau2/domains/mock/user_db.json"},
		{"no policy", "policy.md", "", "tau2/domains/mock/policy.md"},
		{"no tasks", "tasks.json", "", "tau2/domains/mock/tasks.json"},
		{"broken database", "db.json", `{"tasks": {}`, "tau2/domains/mock/db.json: invalid JSON"},
		{"unknown table", "db.json", `{"tasks": {}, "users": {}, "pets": {}}`, "tau2/domains/mock/db.json: invalid MockDB: pets: want no such key"},
		{"missing table", "db.json", `{"tasks": {}}`, "tau2/domains/mock/db.json: invalid MockDB: users: want a value"},
		{"bad record", "db.json", `{"tasks": {"t": {"task_id": "t", "title": "x", "status": "open"}}, "users": {}}`, "tasks.t.status: want one of 'pending' or 'completed', got 'open' (str)"},
		{"bad task", "tasks.json", `[{"id": 1}]`, "tau2/domains/mock/tasks.json: line 1: task 0"},
		{"bad splits", "split_tasks.json", `[]`, "tau2/domains/mock/split_tasks.json"},
		{"bad tool texts", "tool_schemas.json", `[]`, "tau2/domains/mock/tool_schemas.json"},
		{"bad list of tool texts", "tool_schemas.json", `{"user": {}}`, "tau2/domains/mock/tool_schemas.json: user"},
		{"text of an unknown tool", "tool_schemas.json", `{"assistant": [{"function": {"name": "fly"}}]}`,
			`tau2/domains/mock/tool_schemas.json: assistant lists the tool "fly", which MockTools does not have`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			_, err := mock.Domain().Open(mockFolder(t, map[string]string{tt.file: tt.text}), domains.Options{})
			if err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("got %v, want %s", err, tt.want)
			}
		})
	}
}

// TestToolTextsOfTheFolder holds that descriptions and schemas come from the folder's file where it has them.
func TestToolTextsOfTheFolder(t *testing.T) {
	w, err := mock.Domain().Open(mockFolder(t, map[string]string{"tool_schemas.json": `{"assistant": [{"type": "function",
		"function": {"name": "get_users", "description": "Theirs.", "parameters": {"x": 1}}}], "user": [{"function": {"name": "dismiss_notification", "description": "Too."}}]}`}),
		domains.Options{})
	if err != nil {
		t.Fatal(err)
	}
	got, _ := w.Agent.Tool("get_users")
	if got.Spec.Description != "Theirs." || string(got.Spec.Parameters) != `{"x": 1}` {
		t.Errorf("get_users: %+v", got.Spec)
	}
	if got, _ := w.User.Tool("dismiss_notification"); got.Spec.Description != "Too." || !strings.Contains(string(got.Spec.Parameters), "notification_id") {
		t.Errorf("dismiss_notification: %+v", got.Spec)
	}
	ours, err := mock.Domain().Open(mockFolder(t, nil), domains.Options{})
	if err != nil {
		t.Fatal(err)
	}
	for i, tool := range ours.Agent.Tools {
		if w.Agent.Tools[i].Spec.Name != tool.Spec.Name || tool.Spec.Description == "" || tool.Spec.Description == "Theirs." {
			t.Errorf("tool %d: %+v", i, tool.Spec)
		}
	}
}
