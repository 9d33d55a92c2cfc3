package main

import (
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	scripted "github.com/tauguide/tauguide/agents/synthetic"
	"github.com/tauguide/tauguide/domains"
	"github.com/tauguide/tauguide/domains/all"
	"github.com/tauguide/tauguide/sim/synthetic"
)

// TestAuthorOverHTTP has scripted models behind an address write a set, and an endpoint that refuses write none.
func TestAuthorOverHTTP(t *testing.T) {
	worlds, err := all.Open("embedded", []string{"retail"}, "")
	if err != nil {
		t.Fatal(err)
	}
	models := synthetic.New(map[string]*domains.World{"retail": worlds[0]}, synthetic.Config{Scripts: scripted.Scripts()})
	good := httptest.NewServer(synthetic.NewServer(models))
	defer good.Close()
	bad := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		http.Error(w, `{"error":{"message":"no such key","code":"invalid_api_key"}}`, http.StatusUnauthorized)
	}))
	defer bad.Close()
	dir := t.TempDir()
	for _, c := range []struct {
		name string
		args []string
		code int
		want string
	}{
		{"served", []string{"--model", "writer", "--synthetic", "--base-url", good.URL + "/v1"}, exitOK, "retail: 7 checklists and general_rules.yaml written to "},
		{"refused", []string{"--model", "writer", "--base-url", bad.URL + "/v1"}, exitError, "nothing was written: stage classify: "},
	} {
		t.Run(c.name, func(t *testing.T) {
			to := filepath.Join(dir, c.name)
			code, stdout, stderr := command(t, noEnv, append([]string{"author", "checklists", "retail", "--out", to}, c.args...)...)
			if code != c.code || !strings.Contains(stdout+stderr, c.want) {
				t.Errorf("code %d, want %d\n%s%s", code, c.code, stdout, stderr)
			}
			if _, err := os.Stat(filepath.Join(to, "cancel_pending_order.yaml")); (err == nil) != (c.code == exitOK) {
				t.Errorf("the checklist: %v", err)
			}
		})
	}
}
