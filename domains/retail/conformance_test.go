package retail_test

import (
	"testing"

	"github.com/tauguide/tauguide/domains"
	"github.com/tauguide/tauguide/domains/domaintest"
	"github.com/tauguide/tauguide/domains/retail"
)

func TestSchemas(t *testing.T) {
	for name, w := range map[string]*domains.World{
		"real":     domaintest.Real(t, retail.Domain(), domains.Options{}),
		"embedded": domaintest.Embedded(t, retail.Domain(), domains.Options{}),
	} {
		t.Run(name, func(t *testing.T) {
			if n, _ := domaintest.Schemas(t, w); n != 16 {
				t.Errorf("compared %d tools, want 16", n)
			}
		})
	}
}

func TestGoldVectors(t *testing.T) {
	t.Parallel()
	tasks, actions, failing := domaintest.Gold(t, retail.Domain())
	if tasks != 114 || actions != 550 || failing != 18 {
		t.Errorf("replayed %d tasks, %d actions, %d of them failing; want 114, 550, 18", tasks, actions, failing)
	}
}

func TestFuzzVectors(t *testing.T) {
	t.Parallel()
	if n := domaintest.Fuzz(t, retail.Domain()); n != 1800 {
		t.Errorf("ran %d calls, want 1800", n)
	}
}
