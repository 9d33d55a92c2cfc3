package report_test

import (
	"encoding/json"
	"math"
	"strings"
	"testing"

	"github.com/tauguide/tauguide/runs/report"
)

// TestBoundsAreColumns: beside each rate programs find what it is at least and at most, whatever missing trials bring, also
// where it is undefined; where none is missing, both are the figure.
func TestBoundsAreColumns(t *testing.T) {
	s := letters(map[string][]string{"A": {"ssss", "ssvv", "ffff"}, "B": {"ssss", "ssff", "ffff"}})
	for _, c := range []struct {
		table, system, key string
		value              any
		least, most        float64
	}{
		{"pass", "A", "pass^1", 2.0 / 3, 0.5, 2.0 / 3},
		{"pass", "A", "pass^4", nil, 1.0 / 3, 2.0 / 3},
		{"pass", "B", "pass^4", 1.0 / 3, 1.0 / 3, 1.0 / 3},
		{"main", "A", "pass^4_all", nil, 1.0 / 3, 2.0 / 3},
		{"pass-k", "A", "pass@4", nil, 2.0 / 3, 2.0 / 3},
		{"pass-k", "A", "pass@3", nil, 2.0 / 3, 2.0 / 3},
		{"overview", "A", "pass^1_retail", 2.0 / 3, 0.5, 2.0 / 3},
		{"overview", "A", "pass^4_mean", nil, 1.0 / 3, 2.0 / 3},
	} {
		text, err := json.Marshal(tabled(t, c.table, s))
		if err != nil {
			t.Fatal(err)
		}
		var got struct{ Rows []map[string]any }
		if err := json.Unmarshal(text, &got); err != nil {
			t.Fatal(err)
		}
		found := false
		for _, r := range got.Rows {
			if r["system"] != c.system || r["slice"] != nil && r["slice"] != "all" || r["domain"] != nil && r["domain"] != "retail" {
				continue
			}
			found = true
			close := func(key string, want float64) {
				if v, ok := r[key].(float64); !ok || math.Abs(v-want) > 1e-12 {
					t.Errorf("%s of %s: %s is %v, want %v", c.table, c.system, key, r[key], want)
				}
			}
			close(c.key+"_min", c.least)
			close(c.key+"_max", c.most)
			if c.value == nil && r[c.key] != nil {
				t.Errorf("%s of %s: %s is %v", c.table, c.system, c.key, r[c.key])
			}
		}
		if !found {
			t.Errorf("table %s has no row of %s", c.table, c.system)
		}
		if head, _, _ := strings.Cut(write(t, report.CSV, tabled(t, c.table, s)), "\n"); !strings.Contains(head, c.key+"_method,"+c.key+"_min,"+c.key+"_max") {
			t.Errorf("csv of %s begins with %s", c.table, head)
		}
	}
}
