package tau2_test

import (
	"context"
	"path/filepath"
	"testing"

	"github.com/tauguide/tauguide/domains"
	"github.com/tauguide/tauguide/domains/all"
	"github.com/tauguide/tauguide/domains/telecom"
	"github.com/tauguide/tauguide/runs/tau2"
)

func TestProbe2(t *testing.T) {
	data, err := domains.Folder("/work/shared/tau2")
	if err != nil {
		t.Fatal(err)
	}
	ds := append(all.Domains(), telecom.Domain())
	worlds := map[string]*domains.World{}
	files, _ := filepath.Glob("/work/shared/trajectories/*/*.json")
	for _, f := range files {
		s, err := tau2.Open(f)
		if err != nil {
			continue
		}
		if err := s.NameAs("", "", ds); err != nil {
			t.Fatal(err)
		}
		key := s.Domain()
		solo := s.Header.Facts.Solo()
		if solo {
			key += "solo"
		}
		w := worlds[key]
		if w == nil {
			for _, d := range ds {
				if d.Name == s.Domain() {
					if w, err = d.Open(data, domains.Options{Solo: solo}); err != nil {
						t.Fatal(err)
					}
				}
			}
			worlds[key] = w
		}
		counts := map[tau2.Outcome]int{}
		compdiff := 0
		for one, err := range s.Simulations() {
			if err != nil {
				t.Fatal(err)
			}
			var task *domains.Task
			if one.Task != nil {
				task = one.Task.Task
			} else if tt, ok := w.Task(one.Record.Task); ok {
				task = tt
			}
			if task == nil {
				counts["notask"]++
				continue
			}
			c := tau2.Compare(context.Background(), w, task, one.Record, one.Recorded, tau2.Options{Hashes: false})
			counts[c.Outcome]++
			if len(c.Parts) > 0 {
				compdiff++
			}
			if c.Outcome != tau2.Agree {
				t.Logf("%s %s task %s %v %v: %v %v %s", filepath.Base(f)[:20], one.ID, one.Record.Task, c.Outcome, one.Record.Termination, c.Parts, c.Notes, c.Err)
			}
		}
		t.Logf("%-60.60s %v parts %d", filepath.Base(f), counts, compdiff)
	}
}
