package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestFilesAreBounded: whatever file a user names, a device or more than a megabyte is refused before it is read.
func TestFilesAreBounded(t *testing.T) {
	dir := t.TempDir()
	large := filepath.Join(dir, "large.yaml")
	if err := os.WriteFile(large, []byte("note: "+strings.Repeat("x", 1<<20)), 0o644); err != nil {
		t.Fatal(err)
	}
	for _, file := range []struct{ name, want string }{{os.DevNull, "is no regular file"}, {large, "has 1048582 bytes\nhint: keep it under 1048576"}} {
		attacked := filepath.Join(dir, "attacked.yaml")
		text := func(user, domain string) string {
			return fmt.Sprintf("note: x\nmodels: {m: {synthetic: true}}\nuser: {model: m, attack: naive%s}\ndomains: [{name: retail%s}]\nsystems: [{name: A, agent: react, model: m}]\n", user, domain)
		}
		for _, c := range []struct {
			name, config string
			args         []string
		}{
			{"config", "", []string{"run", file.name}},
			{"plans", text(fmt.Sprintf(", plans: %q", file.name), ""), []string{"run", attacked, "--dry-run"}},
			{"attacks", text("", fmt.Sprintf(", attacks: %q", file.name)), []string{"run", attacked, "--dry-run"}},
			{"catalog", "", []string{"workflow", "validate", "mock", "--catalog", file.name}},
			{"forbidden calls", "", []string{"workflow", "audit", "airline", "--forbidden", file.name}},
		} {
			if err := os.WriteFile(attacked, []byte(c.config), 0o644); err != nil {
				t.Fatal(err)
			}
			if code, _, stderr := command(t, noEnv, c.args...); code == exitOK || !strings.Contains(stderr, file.name+" "+file.want) {
				t.Errorf("%s %s: exit %d, %s", c.name, file.name, code, stderr)
			}
		}
	}
}

// TestDataIsNoDevice: a data folder whose files are devices is refused, as one that ends never would fill the memory.
func TestDataIsNoDevice(t *testing.T) {
	dir := t.TempDir()
	mock := filepath.Join(dir, "tau2", "domains", "mock")
	if err := os.MkdirAll(mock, 0o755); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"db.json", "policy.md", "tasks.json"} {
		if err := os.Symlink(os.DevNull, filepath.Join(mock, name)); err != nil {
			t.Skip(err)
		}
	}
	if code, _, stderr := command(t, noEnv, "domains", "check", "mock", "--data", dir); code == exitOK || !strings.Contains(stderr, "is no regular file") {
		t.Errorf("exit %d: %s", code, stderr)
	}
}
