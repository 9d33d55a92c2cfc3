package telecom_test

import (
	"crypto/sha256"
	"encoding/hex"
	"os"
	"path/filepath"
	"testing"
	"unicode/utf8"

	"github.com/tauguide/tauguide/domains"
	"github.com/tauguide/tauguide/domains/domaintest"
	"github.com/tauguide/tauguide/domains/telecom"
)

// undescribed opens the domain on the reference's data without its tool_schemas.json, so that the schemas are the ones
// that our declarations give.
func undescribed(t *testing.T) *domains.World {
	t.Helper()
	from := filepath.Join(domaintest.Shared(t), "tau2", "tau2", "domains", "telecom")
	root := t.TempDir()
	to := filepath.Join(root, "tau2", "domains", "telecom")
	if err := os.CopyFS(to, os.DirFS(from)); err != nil {
		t.Fatal(err)
	}
	if err := os.Remove(filepath.Join(to, "tool_schemas.json")); err != nil {
		t.Fatal(err)
	}
	data, err := domains.Folder(root)
	if err != nil {
		t.Fatal(err)
	}
	w, err := telecom.Domain().Open(data, domains.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return w
}

func TestSchemas(t *testing.T) {
	for _, c := range []struct {
		name string
		open func(*testing.T) *domains.World
	}{
		{"real", func(t *testing.T) *domains.World { return domaintest.Real(t, telecom.Domain(), domains.Options{}) }},
		{"real data, our texts", undescribed},
		{"embedded", func(t *testing.T) *domains.World { return domaintest.Embedded(t, telecom.Domain(), domains.Options{}) }},
	} {
		t.Run(c.name, func(t *testing.T) {
			if agent, user := domaintest.Schemas(t, c.open(t)); agent != 13 || user != 30 {
				t.Errorf("compared %d and %d tools, want 13 and 30", agent, user)
			}
		})
	}
}

func TestGoldVectors(t *testing.T) {
	t.Parallel()
	tasks, actions, failing := domaintest.Gold(t, telecom.Domain())
	if tasks != 114 || actions != 516 || failing != 0 {
		t.Errorf("replayed %d tasks, %d actions, %d of them failing; want 114, 516, 0", tasks, actions, failing)
	}
}

func TestGoldAssertions(t *testing.T) {
	if checked, met := domaintest.Assertions(t, telecom.Domain()); checked != 209 || met != 209 {
		t.Errorf("checked %d assertions, %d of them met; want 209 and 209", checked, met)
	}
}

func TestFuzzVectors(t *testing.T) {
	t.Parallel()
	if n := domaintest.Fuzz(t, telecom.Domain()); n != 1800 {
		t.Errorf("ran %d calls, want 1800", n)
	}
}

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
