package airline_test

import (
	"testing"

	"github.com/tauguide/tauguide/domains"
	"github.com/tauguide/tauguide/domains/airline"
	"github.com/tauguide/tauguide/domains/domaintest"
)

func embedded(t testing.TB) *domains.World {
	return domaintest.Embedded(t, airline.Domain(), domains.Options{})
}

func TestInvariants(t *testing.T) { domaintest.Invariants(t, embedded) }

func TestPreImages(t *testing.T) {
	if n := domaintest.PreImages(t, airline.Domain()); n != 1 {
		t.Errorf("compared %d databases, want 1", n)
	}
}

func FuzzEnv(f *testing.F) { domaintest.FuzzEnv(f, embedded(f)) }
