package mock_test

import (
	"testing"

	"github.com/tauguide/tauguide/domains"
	"github.com/tauguide/tauguide/domains/domaintest"
	"github.com/tauguide/tauguide/domains/mock"
)

func TestSchemas(t *testing.T) {
	for name, w := range map[string]*domains.World{
		"real":     domaintest.Real(t, mock.Domain(), domains.Options{}),
		"embedded": domaintest.Embedded(t, mock.Domain(), domains.Options{}),
	} {
		t.Run(name, func(t *testing.T) {
			if n, u := domaintest.Schemas(t, w); n != 4 || u != 2 {
				t.Errorf("compared %d and %d tools, want 4 and 2", n, u)
			}
		})
	}
}

func TestGoldVectors(t *testing.T) {
	t.Parallel()
	tasks, actions, failing := domaintest.Gold(t, mock.Domain())
	if tasks != 10 || actions != 8 || failing != 0 {
		t.Errorf("replayed %d tasks, %d actions, %d of them failing; want 10, 8, 0", tasks, actions, failing)
	}
}

func TestFuzzVectors(t *testing.T) {
	t.Parallel()
	if n := domaintest.Fuzz(t, mock.Domain()); n != 1800 {
		t.Errorf("ran %d calls, want 1800", n)
	}
}
