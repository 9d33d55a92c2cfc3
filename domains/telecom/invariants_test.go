package telecom_test

import (
	"testing"

	"github.com/tauguide/tauguide/domains"
	"github.com/tauguide/tauguide/domains/domaintest"
	"github.com/tauguide/tauguide/domains/telecom"
)

func embedded(t testing.TB) *domains.World {
	return domaintest.Embedded(t, telecom.Domain(), domains.Options{})
}

func TestInvariants(t *testing.T) { domaintest.Invariants(t, embedded) }

func TestInvariantsOfTheRealData(t *testing.T) {
	domaintest.Invariants(t, func(t testing.TB) *domains.World { return domaintest.Real(t, telecom.Domain(), domains.Options{}) })
}

func TestInvariantsInSoloMode(t *testing.T) {
	domaintest.Invariants(t, func(t testing.TB) *domains.World {
		return domaintest.Embedded(t, telecom.Domain(), domains.Options{Solo: true})
	})
}

func TestPreImages(t *testing.T) {
	if n := domaintest.PreImages(t, telecom.Domain()); n != 2 {
		t.Errorf("compared %d databases, want 2", n)
	}
}

func FuzzEnv(f *testing.F) { domaintest.FuzzEnv(f, embedded(f)) }
