package synthetic

import (
	"fmt"
	"math"
	"time"
)

// Config says how the scripted models behave.
type Config struct {
	Mistakes Mistakes `yaml:"mistakes" json:"mistakes"`
	// FollowsGuidance is the probability that a piece of guidance is heeded. Each piece is drawn for by itself; the
	// latest one decides.
	FollowsGuidance float64 `yaml:"follows_guidance" json:"follows_guidance"`
	// Latency is added to every answer, for load tests.
	Latency time.Duration `yaml:"latency" json:"latency,omitempty"`
	// Scripts are further roles, and replacements of agent, user and judge.
	Scripts map[string]Script `yaml:"-" json:"-"`
}

// Mistakes are the probabilities, per trial, that the scripted agent makes a mistake of the kind. A kind that a task
// gives no occasion for has no effect there.
type Mistakes struct {
	// SkipIdentify: neither asks who is calling nor looks them up.
	SkipIdentify float64 `yaml:"skip_identify" json:"skip_identify"`
	// ActBeforeConsent: makes one change without a summary and a yes, with the slip that these would have caught.
	ActBeforeConsent float64 `yaml:"act_before_consent" json:"act_before_consent"`
	// WrongOrder: two changes swapped, or a change before the facts are known.
	WrongOrder float64 `yaml:"wrong_order" json:"wrong_order"`
	// GrantForbidden: gives in to a user who insists on what the policy forbids.
	GrantForbidden float64 `yaml:"grant_forbidden" json:"grant_forbidden"`
	// GiveUp: passes the user on to a person half-way.
	GiveUp float64 `yaml:"give_up" json:"give_up"`
	// SkipDiagnosis: starts to mend a device before having looked at it, and so misses one of several causes.
	SkipDiagnosis float64 `yaml:"skip_diagnosis" json:"skip_diagnosis"`
	// NoRetest: calls a device mended without a last look at it, one step early if there are several.
	NoRetest float64 `yaml:"no_retest" json:"no_retest"`
}

// named lists the probabilities with their names in a config.
func (c Config) named() []struct {
	name string
	p    float64
} {
	m := c.Mistakes
	return []struct {
		name string
		p    float64
	}{
		{"mistakes.skip_identify", m.SkipIdentify},
		{"mistakes.act_before_consent", m.ActBeforeConsent},
		{"mistakes.wrong_order", m.WrongOrder},
		{"mistakes.grant_forbidden", m.GrantForbidden},
		{"mistakes.give_up", m.GiveUp},
		{"mistakes.skip_diagnosis", m.SkipDiagnosis},
		{"mistakes.no_retest", m.NoRetest},
		{"follows_guidance", c.FollowsGuidance},
	}
}

// Check reports the first value that makes no sense.
func (c Config) Check() error {
	for _, n := range c.named() {
		if math.IsNaN(n.p) || n.p < 0 || n.p > 1 {
			return fmt.Errorf("%s is %v: give a probability from 0 to 1", n.name, n.p)
		}
	}
	if c.Latency < 0 {
		return fmt.Errorf("latency is %v: give 0 or a positive time", c.Latency)
	}
	return nil
}
