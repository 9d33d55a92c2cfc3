package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/tauguide/tauguide/sim/llm/faultserver"
	"github.com/tauguide/tauguide/sim/llm/probe"
)

var outcome = regexp.MustCompile(`'((?:[^'\\]|\\.)*)'|"((?:[^"\\]|\\.)*)"`)

// graded is a judge's answer by which all outcomes that it was asked for are met.
func graded(t *testing.T, r faultserver.Request) string {
	var results []string
	for _, m := range r.JSON(t)["messages"].([]any) {
		content, _ := m.(map[string]any)["content"].(string)
		_, list, _ := strings.Cut(content, "expectedOutcomes:\n")
		for _, o := range outcome.FindAllStringSubmatch(list, -1) {
			results = append(results, fmt.Sprintf(`{"expectedOutcome": %s, "metExpectation": true}`, faultserver.Quote(o[1]+o[2])))
		}
	}
	return `{"results": [` + strings.Join(results, ", ") + `]}`
}

// byModel is a server whose models answer a probe each in its own way. The good ones talk as customer and agent do, grade
// as a judge, let calls pass as a guard, and find no request as a verifier.
func byModel(t *testing.T) *faultserver.Server {
	const call = `{"role":"assistant","content":null,"tool_calls":[{"id":"c1","type":"function","function":{"name":"lookup_parcel","arguments":"{\"id\":\"P-17\"}"}}]}`
	said := func(text string) string {
		return fmt.Sprintf(`{"role":"assistant","content":%s}`, faultserver.Quote(text))
	}
	return faultserver.NewFunc(t, func(_ int, r faultserver.Request) faultserver.Reply {
		answer := func(model any, message string) faultserver.Reply {
			return faultserver.Raw(fmt.Sprintf(`{"model":%q,"choices":[{"message":%s,"finish_reason":"stop"}],"usage":{"prompt_tokens":%d,"completion_tokens":9}}`, model, message, len(r.Body)/5))
		}
		if r.Header.Get("Authorization") != "Bearer sk-planted-0123456789" {
			return faultserver.Error(401, "", "invalid_api_key", "", "Incorrect API key "+r.Header.Get("Authorization"))
		}
		model, text := r.JSON(t)["model"], string(r.Body)
		roles := strings.Join(regexp.MustCompile(`"role":"(\w+)"`).FindAllString(text, -1), " ")
		switch {
		case model == "talker":
			return answer(model, said("<tool_call>{\"name\": \"lookup_parcel\"}</tool_call> \x1b[2J"))
		case model == "gone":
			return faultserver.Error(404, "invalid_request_error", "model_not_found", "model", "The model does not exist")
		case model == "alternating" && !strings.HasPrefix(roles, `"role":"system" "role":"user"`):
			return faultserver.Error(400, "BadRequestError", "", "", "Conversation roles must alternate user/assistant/user/assistant/...")
		case model == "flat" && strings.Count(roles, "system") > 1:
			return faultserver.Error(400, "BadRequestError", "", "", "System message must be at the beginning.")
		case strings.Contains(text, "expectedOutcomes:"):
			return answer(model, said(graded(t, r)))
		case strings.Contains(text, `"name":"lookup_parcel"`) && !strings.Contains(roles, "tool"):
			return answer(model, call)
		case strings.Contains(text, "VERDICT"):
			return answer(model, said("VERDICT: PASS"))
		case strings.Contains(text, "roster"):
			return answer(model, said(`{"reconcile": {"intents": []}, "traverse": []}`))
		}
		return answer(model, said("What is it about?"))
	})
}

// probed writes a config whose roles are played by these models, and probes it.
func probed(t *testing.T, key, agent, user, judge, verifier string, more ...string) (code int, stdout, stderr string) {
	t.Helper()
	file := filepath.Join(t.TempDir(), "p.yaml")
	srv := byModel(t)
	var models strings.Builder
	for _, m := range []string{"good", "talker", "gone", "alternating", "flat", "o3"} {
		fmt.Fprintf(&models, "  %s: {base_url: %q, key: $KEY, temperature: 0}\n", m, srv.URL)
	}
	for _, m := range []string{"alternating", "flat"} {
		fmt.Fprintf(&models, "  mended-%s: {model: %[1]s, roles: alternate, base_url: %q, key: $KEY}\n", m, srv.URL)
	}
	text := fmt.Sprintf("note: probe\nmodels:\n%s  s: {synthetic: true}\nuser: {model: %s}\njudge: {model: %s}\ndomains: [{name: retail, tasks: [cancel-gift-card-order, change-two-items-then-address]}]\n"+
		"systems:\n  - {name: A, agent: react, model: %s}\n  - {name: B, agent: react, model: %[4]s, overlays: [{policyguide: {verifier: llm, model: %s}}]}\n"+
		"  - {name: C, agent: react, model: %[4]s, overlays: [{policyguard: {model: %[5]s}}]}\n",
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
	for _, want := range []string{"agent    good (good): ok\n  asked: tool call, ", "  asked: tool result, ", "  asked: opening, ", "  asked: guidance, ",
		"user     good (good): ok\n  asked: opening, ", "judge    o3 (o3): ok\n  asked: verdict, ", "verifier s (s): not asked", " + 9 tokens",
		"warning: the model does not take temperature: it was not sent", "-> set models.o3.temperature: null", "\n6 questions were asked\n"} {
		if !strings.Contains(stdout, want) {
			t.Errorf("output lacks %q:\n%s", want, stdout)
		}
	}
	if n := strings.Count(stdout, "agent    good"); n != 1 {
		t.Errorf("the agent's model was probed %d times", n)
	}
}

// TestProbeAfterTheCure: what a finding advises makes the model usable.
func TestProbeAfterTheCure(t *testing.T) {
	for _, model := range []string{"mended-alternating", "mended-flat"} {
		if code, stdout, stderr := probed(t, goodKey, model, "good", "good", "s"); code != exitOK {
			t.Errorf("%s: exit %d: %s%s", model, code, stdout, stderr)
		}
	}
}

// TestProbeOfBadModels: each finding names the question that it is about, and the cure.
func TestProbeOfBadModels(t *testing.T) {
	for _, tt := range []struct {
		name                         string
		agent, user, judge, verifier string
		bad                          string
		want                         []string
	}{
		{"calls in the text, no model, no record", "talker", "good", "gone", "talker", "4 of 5", []string{"agent    talker (talker): FAILED",
			"error: tool call: the call came as text (<tool_call>)", "--tool-call-parser", "judge    gone (gone): FAILED", "error: verdict: ", "set models.gone.model",
			"verifier talker (talker): FAILED", "no usable state record",
			"guard    talker (talker): FAILED", "it has no VERDICT"}},
		{"a template that wants the user first", "alternating", "good", "good", "s", "1 of 5", []string{"error: tool call: ", "error: opening: ", "error: guidance: ",
			"-> set models.alternating.roles: alternate"}},
		{"a template without guidance amid the conversation", "flat", "good", "good", "s", "1 of 5", []string{"  error: guidance: ", "-> set models.flat.roles: alternate"}},
		{"a judge without verdicts", "good", "good", "talker", "s", "1 of 5", []string{"judge    talker (talker): FAILED", "error: verdict: the run cannot use the answer",
			"it has no results"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			code, stdout, stderr := probed(t, goodKey, tt.agent, tt.user, tt.judge, tt.verifier)
			if code != exitThreshold || !strings.Contains(stderr, tt.bad+" models cannot be used") {
				t.Errorf("exit %d: %s", code, stderr)
			}
			for _, want := range tt.want {
				if !strings.Contains(stdout, want) {
					t.Errorf("output lacks %q:\n%s", want, stdout)
				}
			}
			if strings.Contains(stdout, "\x1b") {
				t.Error("a model steers the terminal")
			}
		})
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
	if got.OK || strings.Join(lines, ", ") != "agent good true, user good true, judge gone false, verifier s true, guard s true" {
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
