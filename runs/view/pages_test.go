package view_test

import (
	"encoding/json"
	"net/http"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/tauguide/tauguide/domains"
	"github.com/tauguide/tauguide/runs/store"
	"github.com/tauguide/tauguide/runs/view"
	"github.com/tauguide/tauguide/sim"
)

const aTrial = "/small/trial/retail/Guided/cancel-gift-card-order/0/"

func TestPages(t *testing.T) {
	s := serve(t, smallRun(t))
	for _, tt := range []struct {
		name, path string
		want, not  []string
	}{
		{"start", "/", []string{"1 run: how", "small synthetic finished 10 of 10 ReAct 0.38 Guided 1.00 1 of 2 domains –", "a <small> run & more"}, []string{"being written"}},
		{"run", "/small/", []string{"all 10 trials", "setup", "Pass^k (synthetic)", "retail Guided Mut", "Model calls by role", "How trials ended user_stop"}, []string{"Faults"}},
		{"all trials", "/small/trials/", []string{"1 to 10 of 10", "cancel-gift-card-order / 1 ReAct retail Mut", "finish_task / 0 ReAct mock"}, []string{"Show all"}},
		{"one domain", "/small/trials/?domain=mock", []string{"1 to 2 of 2"}, []string{"cancel-gift-card-order"}},
		{"one system", "/small/trials/?system=Guided", []string{"of 4"}, []string{"finish_task /"}},
		{"part of a task", "/small/trials/?task=ONE-return", []string{"of 4"}, []string{"finish_task /"}},
		{"slice", "/small/trials/?slice=Mut&domain=mock", []string{"of 2"}, nil},
		{"nothing", "/small/trials/?domain=nowhere", []string{"No trial is chosen by this filter"}, nil},
		{"a page beyond the last", "/small/trials/?page=99", []string{"1 to 10 of 10"}, nil},
		{"a page that is no number", "/small/trials/?page=x", []string{"1 to 10 of 10"}, nil},
		{"matrix", "/small/matrix/", []string{"retail mock", "cancel-one-return-one", "Guided"}, nil},
		{"matrix of a domain", "/small/matrix/?domain=mock", []string{"finish_task"}, []string{"Guided"}},
		{"trial", aTrial, []string{"retail/Guided/cancel-gift-card-order/0", "ended user_stop after", "Reward", "Component", "DB", "What the user was told", "firing 1, by code", "guidance",
			"→ find_user_id_by_name_zip (", "result of find_user_id_by_name_zip", "gold actions", "Trace rubric:", "Model calls", "agent/0 clumsy:", "attempt 0 user_stop", "counts shown here", "beside other systems: ReAct", "beside other trials: 1"}, nil},
		{"attempt", aTrial + "a0/", []string{"retail/Guided/cancel-gift-card-order/0"}, nil},
		{"side by side", aTrial + "beside/small/ReAct/0/", []string{"Side by side", "Guided, trial 0, run small", "passed synthetic", "ReAct, trial 0, run small", "firing 1, by code"}, nil},
		{"with itself", aTrial + "beside/small/Guided/0/", []string{"the same, message by message"}, []string{"first difference"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got := words(s.page(tt.path))
			for _, want := range tt.want {
				if !strings.Contains(got, want) {
					t.Errorf("%q is missing in\n%s", want, got)
				}
			}
			for _, not := range tt.not {
				if strings.Contains(got, not) {
					t.Errorf("%q is in\n%s", not, got)
				}
			}
		})
	}
}

// TestEveryLinkLeadsSomewhere follows all links of all pages, with places in pages, and looks for duplicate ids.
func TestEveryLinkLeadsSomewhere(t *testing.T) {
	s := serve(t, tinyRun(t), tinyRun(t))
	seen, queue := map[string]string{}, []string{"/"}
	ids := regexp.MustCompile(` id="([^"]*)"`)
	for len(queue) > 0 {
		path := queue[0]
		queue = queue[1:]
		page, _, _ := strings.Cut(path, "#")
		if _, done := seen[page]; !done {
			seen[page] = s.page(page)
			if strings.HasSuffix(page, ".json") || strings.HasSuffix(page, ".css") || strings.HasSuffix(page, ".js") {
				continue
			}
			have := map[string]bool{}
			for _, m := range ids.FindAllStringSubmatch(seen[page], -1) {
				if have[m[1]] {
					t.Errorf("%s: there are two of id %s", page, m[1])
				}
				have[m[1]] = true
			}
			for _, l := range links(seen[page]) {
				if strings.HasPrefix(l, "#") {
					l = page + l
				}
				if !strings.HasPrefix(l, "/") {
					t.Errorf("%s: link %s", page, l)
				} else if !strings.Contains(l, "?") || strings.Count(l, "&") == 0 { // filters of filters are many
					queue = append(queue, l)
				}
			}
		}
		if _, place, ok := strings.Cut(path, "#"); ok && !strings.Contains(seen[page], ` id="`+place+`"`) {
			t.Errorf("%s: the page has no such place", path)
		}
	}
	if len(seen) < 35 {
		t.Errorf("only %d pages were found", len(seen))
	}
}

// TestNeighboursKeepTheFilter goes through a filtered list from trial to trial.
func TestNeighboursKeepTheFilter(t *testing.T) {
	s := serve(t, smallRun(t))
	list := s.page("/small/trials/?system=Guided&task=cancel")
	first := regexp.MustCompile(`/small/trial/[^"]*`).FindString(list)
	if !strings.Contains(first, "system=Guided&amp;task=cancel") {
		t.Fatalf("the link %s has no filter", first)
	}
	next := regexp.MustCompile(`<a rel="next" href="([^"]*)"`)
	seen := 0
	for path := strings.ReplaceAll(first, "&amp;", "&"); path != ""; seen++ {
		if !strings.Contains(path, "/Guided/") {
			t.Errorf("%s is not of the filter", path)
		}
		m := next.FindStringSubmatch(s.page(path))
		path = ""
		if m != nil {
			path = strings.ReplaceAll(m[1], "&amp;", "&")
		}
	}
	if seen != 4 {
		t.Errorf("%d trials on the way, want 4", seen)
	}
}

func TestRecordIsServedAsItIs(t *testing.T) {
	dir := smallRun(t)
	status, body, head := serve(t, dir).get(aTrial + "a0/record.json")
	want, err := os.ReadFile(recordPath(t, dir, sim.Key{Domain: "retail", System: "Guided", Task: "cancel-gift-card-order"}, 0))
	if err != nil {
		t.Fatal(err)
	}
	if status != http.StatusOK || body != string(want) || !json.Valid([]byte(body)) {
		t.Errorf("status %d, %d bytes, want the %d of the file", status, len(body), len(want))
	}
	if got := head.Get("Content-Disposition"); got != `attachment; filename="retail.Guided.cancel-gift-card-order.0.0.json"` || head.Get("Content-Type") != "application/json; charset=utf-8" {
		t.Errorf("headers %v", head)
	}
}

// TestDivergence looks for the first message that differs.
func TestDivergence(t *testing.T) {
	user := func(s string) sim.Message { return sim.Message{Role: domains.RoleUser, Content: domains.Text(s)} }
	call := func(id, name string) sim.Message {
		return sim.Message{Role: domains.RoleAssistant, ToolCalls: []sim.ToolCall{{ID: id, Name: name, Requestor: domains.AgentSide}}}
	}
	for _, tt := range []struct {
		name  string
		other []sim.Message
		want  string
	}{
		{"alike but for ids", []sim.Message{user("a"), call("y", "f"), user("b")}, "the same, message by message"},
		{"another text", []sim.Message{user("a"), call("x", "f"), user("c")}, "first difference: message 2"},
		{"another call", []sim.Message{user("a"), call("x", "g"), user("b")}, "first difference: message 1"},
		{"shorter", []sim.Message{user("a"), call("x", "f")}, "first difference: message 2"},
		{"empty", nil, "first difference: message 0"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			b := talk("t", tt.other...)
			b.System = "B"
			s := serve(t, written(t, talk("t", user("a"), call("x", "f"), user("b")), b))
			body := s.page("/made/trial/mock/A/t/0/beside/made/B/0/")
			if got := words(body); !strings.Contains(got, tt.want) {
				t.Errorf("%q is missing in %s", tt.want, got)
			}
			if marked := strings.Count(body, `id="diverges"`); marked != strings.Count(tt.want, "first") {
				t.Errorf("%d marks of the difference", marked)
			}
		})
	}
}

// TestRunsOfOneName tells runs by their folders, and sets their trials side by side.
func TestRunsOfOneName(t *testing.T) {
	s := serve(t, smallRun(t), smallRun(t))
	if got := words(s.page("/")); strings.Count(got, "finished 10 of 10") != 2 {
		t.Errorf("start page: %s", got)
	}
	got := words(s.page("/small-2/trial/retail/ReAct/cancel-gift-card-order/1/beside/small/ReAct/1/"))
	if !strings.Contains(got, "ReAct, trial 1, run small-2") || !strings.Contains(got, "ReAct, trial 1, run small ") || !strings.Contains(got, "the same") {
		t.Errorf("%s", got)
	}
}

// TestAttempts shows every attempt at a trial, and which counts; and a trial that has not run.
func TestAttempts(t *testing.T) {
	lost := talk("twice")
	lost.Termination, lost.Fault = sim.Infra, &sim.Fault{Kind: "transport", Text: "no route \x1b[31m", Index: 3}
	again := talk("twice", sim.Message{Role: domains.RoleUser, Content: domains.Text("second time")})
	again.Attempt = 1
	s := serve(t, written(t, lost, again, talk("other")))
	for path, wants := range map[string][]string{
		"/made/trial/mock/A/twice/0/":    {"second time", "attempt 0 infrastructure_error", "attempt 1 user_stop – $0.00 counts shown here", "pending"},
		"/made/trial/mock/A/twice/0/a0/": {"∅ void", "This attempt does not count", `no route \u{1b} [31m`, "Nothing was said"},
		"/made/trials/?task=twice":       {"1 to 1 of 1", "? pending", "not scored yet: resume the run"},
		"/made/":                         {"2 of 2 planned trials run, 0 evaluable, 2 pending; not complete"},
	} {
		got := words(s.page(path))
		for _, want := range wants {
			if !strings.Contains(got, want) {
				t.Errorf("%s: %q is missing in\n%s", path, want, got)
			}
		}
	}
	if status, body, _ := s.get("/made/trial/mock/A/twice/0/a7/"); status != http.StatusNotFound || !strings.Contains(words(body), "404 Not Found") {
		t.Errorf("status %d: %s", status, words(body))
	}
}

// TestPaging shows a hundred lines a page.
func TestPaging(t *testing.T) {
	var records []sim.Record
	for i := range 230 {
		r := talk("t")
		r.Trial = i
		records = append(records, r)
	}
	s := serve(t, written(t, records...))
	for path, want := range map[string]string{"/made/trials/": "1 to 100 of 230", "/made/trials/?page=3": "201 to 230 of 230", "/made/trials/?page=9": "201 to 230 of 230", "/made/trials/?page=-1": "1 to 100 of 230"} {
		if got := words(s.page(path)); !strings.Contains(got, want) {
			t.Errorf("%s: %q is missing", path, want)
		}
	}
	if n := strings.Count(s.page("/made/matrix/"), `class="pending"`); n != 8 {
		t.Errorf("the matrix links %d trials of one cell, want 8", n)
	}
}

func TestOpenRefusesWhatIsNoRun(t *testing.T) {
	if _, err := view.Open([]string{t.TempDir()}, noEnv); err == nil || !strings.Contains(err.Error(), "manifest.json") {
		t.Errorf("error %v", err)
	}
	if _, err := store.Writing(t.TempDir()); err != nil {
		t.Errorf("a folder without a lock: %v", err)
	}
}
