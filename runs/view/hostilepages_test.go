package view_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/tauguide/tauguide/domains"
	"github.com/tauguide/tauguide/domains/value"
	"github.com/tauguide/tauguide/runs/config"
	"github.com/tauguide/tauguide/runs/runtest"
	"github.com/tauguide/tauguide/runs/store"
	"github.com/tauguide/tauguide/runs/view"
	"github.com/tauguide/tauguide/runs/view/browsertest"
	"github.com/tauguide/tauguide/sim"
)

// hostileBundle is the workflow of the domain mock with hostile texts in all that its nodes say, and 5,000 nodes more.
func hostileBundle(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	if err := os.CopyFS(dir, os.DirFS("../../guide/bundles/mock")); err != nil {
		t.Fatal(err)
	}
	said, n := regexp.MustCompile(`(?m)^(\s*(?:- id: \w+\n)?\s+)(title|action|expect|satisfied_when|remediation): (.*)$`), 0
	texts := slices.DeleteFunc(hostile(), func(s string) bool {
		return !utf8.ValidString(s) || strings.ContainsAny(s, "\x00\x1b{")
	})
	main := filepath.Join(dir, "main.yaml")
	text, err := os.ReadFile(main)
	if err != nil {
		t.Fatal(err)
	}
	text = said.ReplaceAllFunc(text, func(m []byte) []byte {
		part := said.FindSubmatch(m)
		quoted, _ := json.Marshal(strings.Trim(string(part[3]), `"'`) + " " + texts[n%len(texts)])
		n++
		return fmt.Appendf(nil, "%s%s: %s", part[1], part[2], quoted)
	})
	if n < 10 {
		t.Fatalf("only %d texts of the workflow were changed", n)
	}
	var more bytes.Buffer
	for i := range 5000 {
		quoted, _ := json.Marshal(texts[i%len(texts)][:min(8, len(texts[i%len(texts)]))])
		fmt.Fprintf(&more, "  - {id: x%d, type: agent_action, actor: agent, action: %s, expect: <i>, satisfied_when: <i>, remediation: <i>, edges: [{to: %s, when: satisfied}]}\n",
			i, quoted, map[bool]string{true: fmt.Sprintf("x%d", i+1), false: "decline"}[i < 4999])
	}
	text = bytes.Replace(text, []byte("{to: decline, when: general"), []byte("{to: x0, when: general"), 1)
	if err := os.WriteFile(main, append(text, more.Bytes()...), 0o644); err != nil {
		t.Fatal(err)
	}
	return dir
}

// spoil adds a text to all texts in data.
func spoil(data any, text string) any {
	switch d := data.(type) {
	case string:
		return d + text
	case []any:
		for i := range d {
			d[i] = spoil(d[i], text)
		}
	case map[string]any:
		for k := range d {
			d[k] = spoil(d[k], text)
		}
	}
	return data
}

// hostileRun is a run with hostile texts in all that it has: folder, manifest, names, messages, calls, events, workflow. The
// task "huge" has what is large: a line of a megabyte, deep JSON, many events.
func hostileRun(t *testing.T) string {
	t.Helper()
	guided := filepath.Join(t.TempDir(), "guided")
	cfg := parse(t, fmt.Sprintf(`
name: guided
note: hostile
trials: 1
models: {scripted: {synthetic: true, mistakes: {skip_identify: 1}}}
user: {model: scripted}
judge: {model: scripted}
domains: [{name: mock, tasks: [add_task, finish_task]}]
systems: [{name: Guided, agent: policyguide, model: scripted, params: {verifier: deterministic, gate: strict, bundle: %q}}]
`, hostileBundle(t)))
	if _, err := runtest.Run(context.Background(), cfg, config.Options{Out: guided}); err != nil {
		t.Fatal(err)
	}
	r, err := store.Open(guided)
	if err != nil {
		t.Fatal(err)
	}
	dir := filepath.Join(t.TempDir(), `x"><img src=x onerror=alert(1)>`)
	f, err := store.NewImporter(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	add := func(r sim.Record) {
		t.Helper()
		r.Version = sim.RecordVersion
		if r.Termination == "" {
			r.Termination = sim.UserStop
		}
		if err := f.Add(config.Planned{Key: r.Key}, r, nil); err != nil {
			t.Fatal(err)
		}
	}
	texts := slices.DeleteFunc(hostile(), func(s string) bool { return !utf8.ValidString(s) })
	for e := range r.Entries() {
		rec, err := r.Record(e.Key)
		if err != nil {
			t.Fatal(err)
		}
		add(rec) // with the hostile workflow as it walked it
		for i := range rec.Events {
			rec.Events[i].Text += texts[i%len(texts)]
			spoil(rec.Events[i].Data, texts[i%len(texts)])
		}
		rec.Trial = 1
		add(rec)
	}
	every := talk(texts[1])
	every.System, every.Domain = "Guided", "mock"
	for i, text := range hostile() {
		one := everywhere(text)
		every.Calls = append(every.Calls, one.Calls...)
		for _, e := range one.Events {
			if e.Index = len(every.Messages) + 1; i%3 == 0 {
				e.Index = 1 << 40
			}
			every.Events = append(every.Events, e)
		}
		every.Messages = append(every.Messages, one.Messages...)
	}
	add(every)
	for i, name := range texts[2:] {
		named := talk(name, sim.Message{Role: domains.RoleUser, Content: domains.Text(name)})
		named.System = texts[i]
		add(named)
	}
	deep := strings.Repeat(`{"a":[`, 5000) + "1" + strings.Repeat("]}", 5000)
	line := strings.Repeat("<script>alert(1)</script>", 40_000)
	huge := talk("huge", sim.Message{Role: domains.RoleUser, Content: domains.Text(line)},
		sim.Message{Role: domains.RoleAssistant, ToolCalls: []sim.ToolCall{{ID: "1", Name: "f", Requestor: domains.AgentSide,
			Arguments: value.OfMap(value.MapOf(value.Pair{Key: "x", Value: value.OfString(line)}))}}},
		sim.Message{Role: domains.RoleTool, ID: "1", Content: domains.Text(deep), Requestor: domains.AgentSide})
	for range 1000 {
		huge.Events = append(huge.Events, sim.Event{Kind: "guidance", Index: 1, Text: "<b>"})
	}
	huge.Events[0].Data = map[string]any{"x": line}
	add(huge)
	m := r.Manifest()
	m.Name, m.Note = texts[0]+texts[8], strings.Join(texts, " ")
	if err := f.Finish(m, time.Now()); err != nil {
		t.Fatal(err)
	}
	return dir
}

// kindOf is what an address is of, without names and numbers.
func kindOf(path string) string {
	u, _ := url.Parse(path)
	parts := strings.Split(u.Path, "/")
	for i := range parts {
		if i == 1 || i > 2 && (i < 7 || strings.ContainsAny(parts[i], "0123456789~")) {
			parts[i] = "*"
		}
	}
	if u.RawQuery != "" {
		return parts[len(parts)-2] + "?" // whatever is asked
	}
	return strings.Join(parts, "/")
}

// unharmed opens a page, presses every key that means something, and looks for what may not be: the tab reports dialogs, errors
// and requests; the page has to keep its width and its parts.
func unharmed(t *testing.T, b *browsertest.Tab, address string) {
	t.Helper()
	b.Open(address)
	b.Press("jjk?" + browsertest.Escape + "/" + browsertest.Escape)
	b.Fits()
	if got := browsertest.Eval[string](b, `["main", "body > header", "h1"].map(s => document.querySelectorAll(s).length).join()`); got != "1,1,1" {
		t.Errorf("%s has %s of main, header and h1", address, got)
	}
	for _, p := range b.Problems() {
		t.Errorf("%s made %s", address, p)
	}
}

// TestHostilePages opens pages of each kind of a hostile run, served and from the disk.
func TestHostilePages(t *testing.T) {
	site, err := view.Open([]string{hostileRun(t)}, noEnv)
	if err != nil {
		t.Fatal(err)
	}
	s := served(t, site)
	pages, seen, kinds := []string{"/"}, map[string]bool{"/": true}, map[string]int{}
	wide, narrow := browsertest.New(t, browsertest.Wide), browsertest.New(t, browsertest.Look{Width: 390, Height: 844, Dark: true})
	for i := 0; i < len(pages); i++ { // it grows meanwhile
		_, body, head := s.get(pages[i])
		if !strings.HasPrefix(head.Get("Content-Type"), "text/html") {
			continue
		}
		for _, l := range links(body) {
			l, _, _ = strings.Cut(l, "#")
			kind := kindOf(l)
			if l == "" || seen[l] || kinds[kind] >= 2 && !strings.Contains(l, "/huge/") {
				continue
			}
			seen[l] = true
			kinds[kind]++
			pages = append(pages, l)
		}
		unharmed(t, []*browsertest.Tab{wide, narrow}[i%2], s.url+pages[i])
	}
	run := pages[slices.IndexFunc(pages, func(p string) bool { return kindOf(p) == "/*/" })]
	for _, text := range hostile()[:6] {
		unharmed(t, narrow, s.url+run+"trials/?"+url.Values{"q": {text}, "system": {text}, "sort": {text}}.Encode())
	}
	t.Logf("%d pages of %d kinds", len(pages), len(kinds))
	if len(kinds) < 8 {
		t.Errorf("only pages of the kinds %v were found", kinds)
	}

	start, _ := copyOf(t, site)
	dir := filepath.Dir(strings.TrimPrefix(start, "file://"))
	disk := browsertest.New(t, browsertest.Narrow)
	disk.Open(start)
	clear(kinds)
	err = filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
		kind := kindOf(strings.TrimPrefix(path, dir))
		if kinds[kind]++; err == nil && filepath.Ext(path) == ".html" && kinds[kind] < 3 {
			unharmed(t, disk, "file://"+path)
		}
		return err
	})
	if err != nil || len(kinds) < 8 {
		t.Errorf("%v, and files of the kinds %v", err, kinds)
	}
}
