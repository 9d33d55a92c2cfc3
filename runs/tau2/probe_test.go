package tau2_test

import (
	"path/filepath"
	"testing"

	"github.com/tauguide/tauguide/domains/all"
	"github.com/tauguide/tauguide/domains/telecom"
	"github.com/tauguide/tauguide/runs/tau2"
)

func TestProbe(t *testing.T) {
	files, _ := filepath.Glob("/work/shared/trajectories/*/*.json")
	for _, f := range files {
		s, err := tau2.Open(f)
		if err != nil {
			t.Logf("%s\n   OPEN %v", f, err)
			continue
		}
		if err := s.NameAs("", "", append(all.Domains(), telecom.Domain())); err != nil {
			t.Logf("%s\n   NAME %v", f, err)
		}
		n, msgs := 0, 0
		for one, err := range s.Simulations() {
			if err != nil {
				t.Logf("%s\n   READ %v", f, err)
				break
			}
			n++
			msgs += len(one.Record.Messages)
		}
		t.Logf("%s\n   %s %s %s tasks %d sims %d msgs %d", filepath.Base(f), s.Layout, s.Domain(), s.System(), len(s.Header.Tasks), n, msgs)
		for _, o := range s.Oddities() {
			t.Logf("      %s", o)
		}
	}
}
