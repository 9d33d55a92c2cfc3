package runs_test

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/tauguide/tauguide/runs/config"
	"github.com/tauguide/tauguide/runs/runtest"
	"github.com/tauguide/tauguide/sim/llm/faultserver"
)

// brief is a config of models behind an address, which say the same in every role: a conversation of a few words.
func brief(url, model string) string {
	return fmt.Sprintf("note: brief\ntrials: 1\nlimits: {concurrency: 1}\nmodels:\n  m: {base_url: %s, key: k, seed: false, retry: {attempts: 1}%s}\n"+
		"user: {model: m}\ndomains: [{name: retail, tasks: [cancel-gift-card-order, cancel-one-return-one]}]\nsystems: [{name: A, agent: react, model: m}]\n", url, model)
}

// talks serves such a model.
func talks(t *testing.T) *faultserver.Server {
	return faultserver.NewFunc(t, func(n int, r faultserver.Request) faultserver.Reply {
		if strings.Contains(string(r.Body), `"Goodbye."`) {
			return faultserver.Text("###STOP###")
		}
		if strings.Contains(string(r.Body), `"Hello."`) {
			return faultserver.Text("Goodbye.")
		}
		return faultserver.Text("Hello.")
	})
}

// sentTemperatures are those of all requests to a server.
func sentTemperatures(t *testing.T, srv *faultserver.Server) (out []any) {
	for _, r := range srv.Requests() {
		body := r.JSON(t)
		if v, ok := body["temperature"]; ok {
			out = append(out, v)
		} else {
			out = append(out, "none")
		}
	}
	return out
}

// TestTemperatureIsZeroByDefault: agent and user are sent 0 unless the config says otherwise; null sends none.
func TestTemperatureIsZeroByDefault(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		model string
		want  any
	}{
		{"", 0.0}, {", temperature: 0.7", 0.7}, {", temperature: null", "none"}, {", extra: {temperature: 0.3}", 0.3}, {", like: o3", "none"},
	} {
		t.Run(tt.model, func(t *testing.T) {
			t.Parallel()
			srv := talks(t)
			s := runtest.Execute(t, brief(srv.URL, tt.model), config.Options{Out: filepath.Join(t.TempDir(), "run"), Limit: 1})
			got := sentTemperatures(t, srv)
			if len(got) != 3 || got[0] != tt.want || got[1] != tt.want || got[2] != tt.want {
				t.Errorf("sent %v, want %v three times", got, tt.want)
			}
			if told := strings.Contains(strings.Join(s.Warnings, "\n"), "model m does not take temperature: not sent"); told != strings.Contains(tt.model, "o3") {
				t.Errorf("warnings %q", s.Warnings)
			}
		})
	}
}

// TestOlderRunsResumeWithoutTemperature: a run that was begun before 0 was the default is continued as it was made.
func TestOlderRunsResumeWithoutTemperature(t *testing.T) {
	t.Parallel()
	srv, dir := talks(t), filepath.Join(t.TempDir(), "run")
	runtest.Execute(t, brief(srv.URL, ", temperature: null"), config.Options{Out: dir, Limit: 1}) // which is what older programs wrote
	s := runtest.Execute(t, brief(srv.URL, ""), config.Options{Out: dir, Resume: true})
	got := sentTemperatures(t, srv)
	if s.Executed != 1 || len(got) != 6 || got[5] != "none" {
		t.Errorf("%d trials, sent %v", s.Executed, got)
	}
	if !strings.Contains(strings.Join(s.Warnings, "\n"), "no temperature is sent to m, as when the run was begun") {
		t.Errorf("warnings %q", s.Warnings)
	}
	if _, ok := runtest.Open(t, dir).Manifest().Setup.Fields["models.m.temperature"]; !ok {
		t.Error("the manifest does not tell the temperature")
	}
}
