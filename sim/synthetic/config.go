package synthetic

import (
	"fmt"
	"maps"
	"math"
	"slices"
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

// rates lists the probabilities by their names in a config.
func (m Mistakes) rates() map[string]float64 {
	return map[string]float64{
		skipIdentify: m.SkipIdentify, actEarly: m.ActBeforeConsent, wrongOrder: m.WrongOrder, grantForbidden: m.GrantForbidden,
		giveUp: m.GiveUp, skipDiagnosis: m.SkipDiagnosis, noRetest: m.NoRetest,
	}
}

// Check reports the first value that makes no sense.
func (c Config) Check() error {
	rates := map[string]float64{"follows_guidance": c.FollowsGuidance}
	for name, p := range c.Mistakes.rates() {
		rates["mistakes."+name] = p
	}
	for _, name := range slices.Sorted(maps.Keys(rates)) {
		if p := rates[name]; math.IsNaN(p) || p < 0 || p > 1 {
			return fmt.Errorf("%s is %v\nhint: give a probability from 0 to 1", name, p)
		}
	}
	if c.Latency < 0 {
		return fmt.Errorf("latency is %v\nhint: give 0 or a positive time", c.Latency)
	}
	return nil
}
