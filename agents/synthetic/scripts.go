// Package synthetic gathers the scripts of all roles that systems and overlays ask models for, beside the agent, user
// and judge of sim/synthetic. They show that the machinery works, and say nothing of any real model.
package synthetic

import (
	"maps"

	guided "github.com/tauguide/tauguide/guide/synthetic"
	"github.com/tauguide/tauguide/sim/synthetic"
)

// Scripts returns the scripts by role, for synthetic.Config.
func Scripts() map[string]synthetic.Script {
	out := guided.Scripts()
	for _, more := range []map[string]synthetic.Script{flowScripts(), guardScripts(), authorScripts(), attackScripts()} {
		maps.Copy(out, more)
	}
	return out
}
