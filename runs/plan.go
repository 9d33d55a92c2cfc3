package runs

import "github.com/tauguide/tauguide/sim"

// Planned is one trial of a plan.
type Planned struct {
	sim.Key
	Seed int64 `json:"seed"` // sent to providers
}
