package config_test

import (
	"strings"
	"testing"

	"github.com/tauguide/tauguide/runs/config"
)

func TestNearest(t *testing.T) {
	known := []string{"model", "models", "name", "off", "policy_type"}
	for got, want := range map[string]string{"modle": "model", "MODEL": "model", "nmae": "name", "of": "off", "policy": "", "x": "", "": "",
		"policytype": "policy_type", strings.Repeat("y", 1000): ""} {
		if n := config.Nearest(got, known); n != want {
			t.Errorf("nearest to %q is %q, want %q", got, n, want)
		}
	}
}
