package store

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tauguide/tauguide/sim"
)

// TestResultsAreThoseOfScores: what the index takes from a line is what the whole line says, and the same lines are refused.
func TestResultsAreThoseOfScores(t *testing.T) {
	const key = `"version":1,"domain":"d","system":"s","task":"t","trial":2,"attempt":3,`
	for line, good := range map[string]bool{
		`{` + key + `"reward":1,"reward_info":{"reward":1,"action_checks":[{"action":{"arguments":{"a":[{}]}}}],"reward_breakdown":{"DB":1}},"components":[{"type":"DB","state":"pass","counted":true}],"db_diff":[{"path":"a","want":"1","got":"2"}],"replay_drift":2,"sent":[1,2,3],"record_sha256":"abc","sum":"00"}`: true,
		`{` + key + `"reward":null,"reward_info":{"reward":0},"pending":"no judge","judge_calls":[{"role":"judge","usage":{"prompt":7}}],"requests":2}`:                                                                                                                                                                  true,
		`{` + key + `"reward":0.5,"reward_info":{"reward":0},"origin":"elsewhere"}`:                                                    true,
		`{` + key + `"reward":0.5,"reward_info":{"reward":0}}`:                                                                         false,
		`{` + key + `"reward":2,"reward_info":{"reward":2}}`:                                                                           false,
		`{` + key + `"reward":1,"reward_info":{"reward":1,"reward_breakdown":{"DB":0}}}`:                                               false,
		`{` + key + `"reward":1,"reward_info":{"reward":1},"components":[{"type":"DB","state":"fail","counted":true}],"unknown":[{}]}`: false,
		`{` + key + `"reward":1`: false,
	} {
		whole, err := decodeScore([]byte(line))
		result, also := decodeResult([]byte(line))
		if (err == nil) != good || (also == nil) != good {
			t.Errorf("%s: %v and %v", line, err, also)
		}
		if !good {
			continue
		}
		whole.Info, whole.Components, whole.Diff = sim.RewardInfo{}, nil, nil
		if diff := cmp.Diff(whole, result); diff != "" {
			t.Errorf("%s (-score +result):\n%s", line, diff)
		}
	}
}
