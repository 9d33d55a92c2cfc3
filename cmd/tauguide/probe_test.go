package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/tauguide/tauguide/sim/llm/faultserver"
	"github.com/tauguide/tauguide/sim/llm/probe"
)

// byModel is a server whose models answer a probe each in its own way.
func byModel(t *testing.T) *faultserver.Server {
	const call = `{"role":"assistant","content":null,"tool_calls":[{"id":"c1","type":"function","function":{"name":"lookup_parcel","arguments":"{\"id\":\"P-17\"}"}}]}`
	answer := func(model, message string) faultserver.Reply {
		return faultserver.Raw(fmt.Sprintf(`{"model":%q,"choices":[{"message":%s,"finish_reason":"stop"}],"usage":{"prompt_tokens":80,"completion_tokens":9}}`, model, message))
	}
	return faultserver.NewFunc(t, func(_ int, r faultserver.Request) faultserver.Reply {
		if r.Header.Get("Authorization") != "Bearer sk-planted-0123456789" {
			return faultserver.Error(401, "", "invalid_api_key", "", "Incorrect API key "+r.Header.Get("Authorization"))
		}
		switch model := r.JSON(t)["model"]; model {
		case "talker":
			return answer("talker", `{"role":"assistant","content":"<tool_call>{\"name\": \"lookup_parcel\"}</tool_call> \u001b[2J"}`)
		case "gone":
			return faultserver.Error(404, "invalid_request_error", "model_not_found", "model", "The model does not exist")
		default:
			return answer(fmt.Sprint(model), call)
		}
	})
}

// probed writes a config whose roles are played by these models, and probes it.
func probed(t *testing.T, key, agent, user, judge, verifier string, more ...string) (code int, stdout, stderr string) {
	t.Helper()
	file := filepath.Join(t.TempDir(), "p.yaml")
	srv := byModel(t)
	var models strings.Builder
	for _, m := range []string{"good", "talker", "gone", "o3"} {
		fmt.Fprintf(&models, "  %s: {base_url: %q, key: $KEY, temperature: 0}\n", m, srv.URL)
	}
	text := fmt.Sprintf("note: probe\nmodels:\n%s  s: {synthetic: true}\nuser: {model: %s}\njudge: {model: %s}\ndomains: [{name: mock}]\n"+
		"systems:\n  - {name: A, agent: react, model: %s}\n  - {name: B, agent: react, model: %[4]s, overlays: [{policyguide: {verifier: llm, model: %s}}]}\n",
		models.String(), user, judge, agent, verifier)
	if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	env := func(string) string { return key }
	return command(t, env, append([]string{"probe", file}, more...)...)
}

const goodKey = "sk-planted-0123456789"

func TestProbeOfGoodModels(t *testing.T) {
	code, stdout, stderr := probed(t, goodKey, "good", "good", "o3", "s")
	if code != exitOK {
		t.Fatalf("exit %d: %s%s", code, stdout, stderr)
	}
	for _, want := range []string{"agent    good (good): ok, ", "user     good (good): ok", "judge    o3 (o3): ok", "verifier s (s): not asked", "80 + 9 tokens",
		"warning: the model does not take temperature: it was not sent", "-> remove temperature from models.o3"} {
		if !strings.Contains(stdout, want) {
			t.Errorf("output lacks %q:\n%s", want, stdout)
		}
	}
	if n := strings.Count(stdout, "agent    good"); n != 1 {
		t.Errorf("the agent's model was probed %d times", n)
	}
}

func TestProbeOfBadModels(t *testing.T) {
	code, stdout, stderr := probed(t, goodKey, "talker", "good", "gone", "talker")
	if code != exitThreshold || !strings.Contains(stderr, "2 of 4 models cannot be used") {
		t.Errorf("exit %d: %s", code, stderr)
	}
	for _, want := range []string{"agent    talker (talker): FAILED", "error: the call came as text (<tool_call>)", "--tool-call-parser", "judge    gone (gone): FAILED", "set models.gone.model",
		"verifier talker (talker): ok", "warning: the call came as text"} {
		if !strings.Contains(stdout, want) {
			t.Errorf("output lacks %q:\n%s", want, stdout)
		}
	}
	if strings.Contains(stdout, "\x1b") {
		t.Error("a model steers the terminal")
	}
}

// TestProbeHidesKeys has the server repeat the key that it refuses.
func TestProbeHidesKeys(t *testing.T) {
	code, stdout, stderr := probed(t, "sk-wrong-0123456789", "good", "good", "good", "good")
	if code != exitThreshold || !strings.Contains(stdout, "models.good.key") || strings.Contains(stdout+stderr, "sk-wrong") {
		t.Errorf("exit %d: %s%s", code, stdout, stderr)
	}
}

func TestProbeAsJSON(t *testing.T) {
	code, stdout, stderr := probed(t, goodKey, "good", "good", "gone", "s", "--json")
	var got struct {
		OK      bool
		Results []probe.Result
	}
	if err := json.Unmarshal([]byte(stdout), &got); err != nil || code != exitThreshold {
		t.Fatalf("exit %d, %v: %s%s", code, err, stdout, stderr)
	}
	var lines []string
	for _, r := range got.Results {
		lines = append(lines, fmt.Sprintf("%s %s %t", r.Role, r.Name, r.OK()))
	}
	if got.OK || strings.Join(lines, ", ") != "agent good true, user good true, judge gone false, verifier s true" {
		t.Errorf("ok %t, %q", got.OK, lines)
	}
}

// TestProbeBeforeAnythingStarts reports what is wrong with the config as run does.
func TestProbeBeforeAnythingStarts(t *testing.T) {
	if code, _, stderr := probed(t, "", "good", "good", "good", "good"); code != exitUsage || !strings.Contains(stderr, "environment variable KEY is not set") {
		t.Errorf("exit %d: %s", code, stderr)
	}
	if code, _, _ := command(t, os.Getenv, "probe"); code != exitUsage {
		t.Errorf("exit %d without a config", code)
	}
}
