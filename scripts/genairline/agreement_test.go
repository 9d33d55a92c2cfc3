package main

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/tauguide/tauguide/domains"
	"github.com/tauguide/tauguide/domains/airline"
)

// TestModelAgreesWithTools runs every reference plan, and every temptation in
// place of a plan, on the domain's own tools too. Both must succeed and leave
// the same database as the model of this package.
func TestModelAgreesWithTools(t *testing.T) {
	shipped := world(t, domains.Embedded())
	_, drafts, err := build()
	if err != nil {
		t.Fatal(err)
	}
	if len(shipped.Tasks) != len(drafts) {
		t.Fatalf("%d tasks are shipped, %d are generated", len(shipped.Tasks), len(drafts))
	}
	for i, d := range drafts {
		stored := shipped.Tasks[i]
		t.Run(d.id+"/plan", func(t *testing.T) { agree(t, shipped, stored.Criteria.Actions, d.plan) })
		for n, c := range d.temptations {
			t.Run(fmt.Sprintf("%s/temptation %d", d.id, n), func(t *testing.T) {
				agree(t, shipped, stored.Temptation[n:n+1], []call{c.call})
			})
		}
	}
}

func agree(t *testing.T, w *domains.World, stored []domains.Action, calls []call) {
	t.Helper()
	env, err := w.New(&domains.Task{ID: "none"})
	if err != nil {
		t.Fatal(err)
	}
	for _, a := range stored {
		if _, err := env.Gold(a); err != nil {
			t.Fatalf("%s: %v", a.Name, err)
		}
	}
	db, _, err := build()
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range calls {
		if err := db.apply(c); err != nil {
			t.Fatalf("%s: %v", c.Name, err)
		}
	}
	want := hash(t, opened(t, db))
	if got := hash(t, env); got != want {
		t.Errorf("the tools leave database %s, the model %s", got, want)
	}
}

// opened lets the domain load the model's database from a data folder.
func opened(t *testing.T, db *database) *domains.Env {
	t.Helper()
	root := t.TempDir()
	folder := filepath.Join(root, "tau2", "domains", "airline")
	if err := os.MkdirAll(folder, 0o755); err != nil {
		t.Fatal(err)
	}
	body, err := render(db)
	if err != nil {
		t.Fatal(err)
	}
	files := map[string][]byte{"db.json": body}
	for _, name := range []string{"policy.md", "tasks.json", "split_tasks.json"} {
		if files[name], err = os.ReadFile(committed(name)); err != nil {
			t.Fatal(err)
		}
	}
	for name, body := range files {
		if err := os.WriteFile(filepath.Join(folder, name), body, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	data, err := domains.Folder(root)
	if err != nil {
		t.Fatal(err)
	}
	env, err := world(t, data).New(&domains.Task{ID: "none"})
	if err != nil {
		t.Fatal(err)
	}
	return env
}

func world(t *testing.T, data domains.Data) *domains.World {
	t.Helper()
	w, err := airline.Domain().Open(data, domains.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return w
}

func hash(t *testing.T, env *domains.Env) string {
	t.Helper()
	h, ok := env.Hash(domains.AgentSide)
	if !ok {
		t.Fatal("the domain has no database")
	}
	return h
}
