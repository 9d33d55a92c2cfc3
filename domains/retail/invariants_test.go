package retail_test

import (
	"testing"

	"github.com/tauguide/tauguide/domains"
	"github.com/tauguide/tauguide/domains/domaintest"
	"github.com/tauguide/tauguide/domains/retail"
)

func embedded(t testing.TB) *domains.World {
	return domaintest.Embedded(t, retail.Domain(), domains.Options{})
}

func TestInvariants(t *testing.T) { domaintest.Invariants(t, embedded) }

func TestInvariantsOfTheRealData(t *testing.T) {
	domaintest.Invariants(t, func(t testing.TB) *domains.World { return domaintest.Real(t, retail.Domain(), domains.Options{}) })
}

func TestPreImages(t *testing.T) {
	if n := domaintest.PreImages(t, retail.Domain()); n != 1 {
		t.Errorf("compared %d databases, want 1", n)
	}
}

func FuzzEnv(f *testing.F) { domaintest.FuzzEnv(f, embedded(f)) }
