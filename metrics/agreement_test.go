package metrics_test

import (
	"fmt"
	"testing"

	"github.com/tauguide/tauguide/metrics"
)

// TestAgreementByHand covers counts, limits, and what is undefined.
func TestAgreementByHand(t *testing.T) {
	a := metrics.AgreementOf(rated([]string{"yy", "yy", "yn", "ny", "nn", "nn", "yy", "nn"}))
	if a.Both != 3 || a.OnlyFirst != 1 || a.OnlySecond != 1 || a.Neither != 3 || a.Size() != 8 || !near(a.Share.Value, 0.75, 1e-12) || !near(a.Kappa.Value, 0.5, 1e-12) {
		t.Errorf("%+v", a)
	}
	// Fleiss, Cohen and Everitt's standard error for one rating a task: here, with both margins even, sqrt(1 - kappa^2) / sqrt(n - 1).
	if i := a.Kappa.Interval; !near(i.SE*i.SE, (1-0.25)/7, 1e-12) || i.Lo >= 0.5 || i.Hi <= 0.5 {
		t.Errorf("%+v", i)
	}
	// Ratings of one task stay together: four times the same is no more than once.
	fourfold := metrics.AgreementOf(fourTimes(rated([]string{"yy", "yy", "yn", "ny", "nn", "nn", "yy", "nn"})))
	if fourfold.Kappa != a.Kappa {
		t.Errorf("fourfold %+v, once %+v", fourfold.Kappa, a.Kappa)
	}
	opposed := metrics.AgreementOf(rated([]string{"yn", "ny", "yn", "ny", "yn", "ny", "yn", "ny", "yn", "ny"})).Kappa
	if opposed.Value != -1 || opposed.Interval.Lo < -1 || opposed.Interval.Hi > 0 {
		t.Errorf("always opposed: %+v", opposed)
	}
	for name, none := range map[string]metrics.Agreement{"nothing": metrics.AgreementOf(nil), "all yes": metrics.AgreementOf(rated([]string{"yy", "yy"}))} {
		if none.Kappa.Defined || none.Kappa.Reason == "" || none.Kappa.Interval.Defined || none.Kappa.Value != 0 {
			t.Errorf("%s: %+v", name, none.Kappa)
		}
	}
	if alone := metrics.AgreementOf(fourTimes(rated([]string{"yn"}))[:2]); alone.Kappa.Interval.Defined {
		t.Errorf("one task: %+v", alone.Kappa)
	}
}

// fourTimes repeats each rating four times.
func fourTimes(all []metrics.Rated) (out []metrics.Rated) {
	for range 4 {
		out = append(out, all...)
	}
	return out
}

func ExampleAgreementOf() {
	var rated []metrics.Rated // criteria of conversations, by two judges
	for task, answers := range []string{"yy yy yn", "yy yy", "nn ny", "nn yy", "yy yy nn"} {
		for i := 0; i < len(answers); i += 3 {
			rated = append(rated, metrics.Rated{Task: fmt.Sprint(task), First: answers[i] == 'y', Second: answers[i+1] == 'y'})
		}
	}
	a := metrics.AgreementOf(rated)
	show("they agree", a.Share)
	show("kappa", a.Kappa)
	// Output:
	// they agree: 0.833, standard error 0.101, 95 % interval 0.348 to 1.000
	// kappa: 0.625, standard error 0.215, 95 % interval -0.333 to 1.000
}
