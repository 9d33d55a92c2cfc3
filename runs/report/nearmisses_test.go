package report_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/tauguide/tauguide/domains"
	"github.com/tauguide/tauguide/metrics"
	"github.com/tauguide/tauguide/runs/report"
	"github.com/tauguide/tauguide/runs/store"
	"github.com/tauguide/tauguide/sim"
)

// Where the guards cannot run, the figure by the tables is given, and that by the guards says why it is not.
func TestNearMissesWithoutGuards(t *testing.T) {
	elsewhere := func(k sim.Key) (sim.Record, error) {
		rec, err := cancelling(k)
		text, _ := json.Marshal(rec.Messages)
		rec.Messages = nil
		return rec, errors.Join(err, json.Unmarshal([]byte(strings.ReplaceAll(string(text), "#T8678834", "#T0")), &rec.Messages))
	}
	for _, tt := range []struct {
		name   string
		change func(*report.Source)
		why    string
	}{
		{"no world", func(s *report.Source) { s.World = nil }, "the data of retail is not at hand"},
		{"data that is gone", func(s *report.Source) {
			s.World = func(string) (*domains.World, error) { return nil, fmt.Errorf("%w: no folder", store.ErrData) }
		}, "the guards need the data of retail: data of the run not at hand: no folder"},
		{"another state", func(s *report.Source) { s.Record = elsewhere }, "retail/ReAct/cancel-gift-card-order/0: the conversation does not replay: message 1: cancel_pending_order gave"},
		{"a task that the data lacks", func(s *report.Source) {
			s.World = func(domain string) (*domains.World, error) {
				w, err := embedded(domain)
				if err != nil {
					return nil, err
				}
				other := *w
				other.Tasks = nil
				return &other, nil
			}
		}, "the data has no such task"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			in := one(t, report.Options{})
			tt.change(&in.Sources[0])
			table := build(t, "nmr", in)
			if c := find(t, table, "nmr_percent", "retail", "ReAct"); c.Text != "50.0" {
				t.Errorf("by the table %+v", c)
			}
			for _, key := range []string{"path_nmr_percent", "path_missing"} {
				if c := find(t, table, key, "retail", "ReAct"); c.Text != "-" || c.Value != nil || !strings.Contains(c.Why, tt.why) {
					t.Errorf("%s by the guards: %+v, want the reason %q", key, c, tt.why)
				}
			}
		})
	}
}

// A domain that has neither a table nor guards has dashes in every column.
func TestNearMissesOfAnUnknownDomain(t *testing.T) {
	in := one(t, report.Options{})
	s := &in.Sources[0]
	s.Domains = append(s.Domains, report.Domain{Name: "mock"})
	s.Outcomes = append(s.Outcomes, metrics.Outcome{Domain: "mock", System: "ReAct", Task: "1", Mut: true, State: metrics.Success})
	table := build(t, "nmr", in)
	for key, why := range map[string]string{"nmr_percent": "there is no guard table for mock", "path_nmr_percent": "there are no guards for mock"} {
		if c := find(t, table, key, "mock", "ReAct"); c.Text != "-" || c.Why != why {
			t.Errorf("%s: %+v", key, c)
		}
	}
}
