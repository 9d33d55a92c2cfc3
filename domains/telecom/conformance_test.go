package telecom_test

import (
	"crypto/sha256"
	"encoding/hex"
	"testing"
	"unicode/utf8"

	"github.com/tauguide/tauguide/domains"
	"github.com/tauguide/tauguide/domains/domaintest"
	"github.com/tauguide/tauguide/domains/telecom"
)

func TestPolicies(t *testing.T) {
	var file struct {
		SHA256     string `json:"policy_sha256"`
		Chars      int    `json:"policy_len_chars"`
		SoloSHA256 string `json:"solo_policy_sha256"`
	}
	domaintest.Vectors(t, "tools_telecom.json", &file)
	// The vectors have the manual policies whole; the first digits of the workflow ones are
	// docs/reference/domains.md#policies.
	for _, c := range []struct {
		name    string
		options domains.Options
		sha256  string
		chars   int
	}{
		{"default", domains.Options{}, file.SHA256, file.Chars},
		{"manual", domains.Options{Policy: domains.PolicyManual}, file.SHA256, 23318},
		{"manual, solo", domains.Options{Policy: domains.PolicyManual, Solo: true}, file.SoloSHA256, 22819},
		{"workflow", domains.Options{Policy: domains.PolicyWorkflow}, "4713ad7b8c70d176", 22164},
		{"workflow, solo", domains.Options{Policy: domains.PolicyWorkflow, Solo: true}, "9425f99b3392be03", 20745},
	} {
		t.Run(c.name, func(t *testing.T) {
			w := domaintest.Real(t, telecom.Domain(), c.options)
			sum := sha256.Sum256([]byte(w.Policy))
			if got := hex.EncodeToString(sum[:])[:len(c.sha256)]; got != c.sha256 {
				t.Errorf("policy hash %s, recorded %s", got, c.sha256)
			}
			if n := utf8.RuneCountInString(w.Policy); n != c.chars {
				t.Errorf("policy of %d characters, recorded %d", n, c.chars)
			}
		})
	}
}

func TestPristineHashes(t *testing.T) {
	w := domaintest.Real(t, telecom.Domain(), domains.Options{})
	agent, user := w.Fresh()
	for _, c := range []struct{ name, got, want string }{
		{"agent", agent.Hash(), "304cf5ef059852e117ea801ab9a5efc24c9713ec887679dc2e30acceb4b6742d"},
		{"user", user.Hash(), "e1f3a8637388808221228ff3f87294444e6b64caf721f5eb243a85d0a9380b28"},
	} {
		if c.got != c.want {
			t.Errorf("%s database hashes to %s, want %s", c.name, c.got, c.want)
		}
	}
}
