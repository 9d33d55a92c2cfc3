package airline_test

import (
	"testing"

	"github.com/tauguide/tauguide/domains"
	"github.com/tauguide/tauguide/domains/airline"
	"github.com/tauguide/tauguide/domains/domaintest"
)

func TestSchemas(t *testing.T) {
	for name, w := range map[string]*domains.World{
		"real":     domaintest.Real(t, airline.Domain(), domains.Options{}),
		"embedded": domaintest.Embedded(t, airline.Domain(), domains.Options{}),
	} {
		t.Run(name, func(t *testing.T) {
			if n, _ := domaintest.Schemas(t, w); n != 14 {
				t.Errorf("compared %d tools, want 14", n)
			}
		})
	}
}

func TestGoldVectors(t *testing.T) {
	t.Parallel()
	tasks, actions, failing := domaintest.Gold(t, airline.Domain())
	if tasks != 50 || actions != 142 || failing != 0 {
		t.Errorf("replayed %d tasks, %d actions, %d of them failing; want 50, 142, 0", tasks, actions, failing)
	}
}

func TestFuzzVectors(t *testing.T) {
	t.Parallel()
	if n := domaintest.Fuzz(t, airline.Domain()); n != 1800 {
		t.Errorf("ran %d calls, want 1800", n)
	}
}
