package checks_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/tauguide/tauguide/domains"
	"github.com/tauguide/tauguide/domains/domaintest"
	"github.com/tauguide/tauguide/guide"
	"github.com/tauguide/tauguide/guide/audit"
	"github.com/tauguide/tauguide/guide/checks"
)

// recordedTalk returns the longest recorded conversation of a domain with a user and two changes or more.
func recordedTalk(b *testing.B, w *domains.World) (longest []domains.Message) {
	b.Helper()
	files, err := filepath.Glob(filepath.Join(domaintest.Shared(b), "trajectories", w.Name, "sierra-research__*.json"))
	if err != nil || len(files) == 0 {
		b.Fatalf("no recorded conversations of %s: %v", w.Name, err)
	}
	for _, f := range files {
		text, err := os.ReadFile(f)
		if err != nil {
			b.Fatal(err)
		}
		var file struct {
			Simulations []struct {
				Messages []domains.Message `json:"messages"`
			} `json:"simulations"`
		}
		if json.Unmarshal(text, &file) != nil || strings.Contains(f, "no-user") {
			continue // another format, or no user
		}
		for _, s := range file.Simulations {
			if len(s.Messages) > len(longest) && len(changesIn(w, s.Messages...)) >= 2 {
				longest = s.Messages
			}
		}
	}
	if len(longest) == 0 {
		b.Fatalf("no recorded conversation of %s has two changes", w.Name)
	}
	return longest
}

// BenchmarkFacts computes the facts after every message of a conversation that grows: "fresh" with a vocabulary that
// has heard nothing, "known" with one that has heard the conversation before.
func BenchmarkFacts(b *testing.B) {
	for _, domain := range audit.Domains() {
		w := open(b, "tau2", domain)
		talk := recordedTalk(b, w)
		known := checks.For(w)
		for _, state := range []string{"fresh", "known"} {
			b.Run(w.Name+"/"+state, func(b *testing.B) {
				b.ReportAllocs()
				for b.Loop() {
					v := known
					if state == "fresh" {
						v = checks.For(w)
					}
					trace := guide.NewTrace()
					for _, m := range talk {
						trace.Add(m)
						v.Facts(trace)
					}
				}
				b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*len(talk)), "ns/message")
			})
		}
	}
}

// BenchmarkAuthorize judges every change of a recorded conversation at its place.
func BenchmarkAuthorize(b *testing.B) {
	for _, domain := range audit.Domains() {
		w := open(b, "tau2", domain)
		c, talk := checkerFor(b, w), recordedTalk(b, w)
		b.Run(w.Name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				trace := guide.NewTrace()
				for _, m := range talk {
					for _, call := range changesIn(w, m) {
						c.Authorize(trace, call, 0)
					}
					trace.Add(m)
				}
			}
			n := len(changesIn(w, talk...))
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*n), "ns/change")
			b.ReportMetric(float64(n), "changes")
		})
	}
}

// changesIn lists the agent's calls that change something.
func changesIn(w *domains.World, talk ...domains.Message) (out []domains.ToolCall) {
	for _, m := range talk {
		for _, call := range m.ToolCalls {
			if m.Role == domains.RoleAssistant && w.Agent.Mutates(call.Name) {
				out = append(out, call)
			}
		}
	}
	return out
}
