package view_test

import (
	"encoding/json"
	"io"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"golang.org/x/net/html"

	"github.com/tauguide/tauguide/domains"
	"github.com/tauguide/tauguide/domains/value"
	"github.com/tauguide/tauguide/runs/view"
	"github.com/tauguide/tauguide/sim"
)

// hostile are texts that mean something to a browser or a terminal.
func hostile() []string {
	return []string{
		`<script>alert(1)</script>`, `"><img src=x onerror=alert(1)>`, `' onmouseover='x`, `</pre></details></title></textarea><script>x</script>`, `<!-- --><![CDATA[ ]]>`,
		`javascript:alert(1)`, `{{.Title}} {{template "head"}}`, "\x1b[2J\x1b]8;;http://x\x07", "a\u202eb\u2066c\u200d", "line\u2028para\u2029", "nul\x00", "bad \xff\xfe utf", "\ufeff\u200b\u00ad",
		"&lt;b&gt; &#60;script&#62; &amp;", "###STOP###", strings.Repeat("<b>", 50), "\r\n\r\nHTTP/1.1 200", "\U000e0041\ue000",
	}
}

// everywhere is a record that has a text in every place that can hold one.
func everywhere(text string) sim.Record {
	args := value.OfMap(value.MapOf(value.Pair{Key: text, Value: value.OfString(text)}))
	calls := []sim.ToolCall{{ID: text, Name: text, Arguments: args, Requestor: domains.AgentSide}, {ID: "2", Name: text, Malformed: text, Reason: text, Requestor: domains.AgentSide}}
	said := domains.Text(text)
	cost := 0.5
	r := talk("t", sim.Message{Role: domains.RoleUser, Content: said}, sim.Message{Role: domains.RoleAssistant, Content: said, ToolCalls: calls},
		sim.Message{Role: domains.RoleTool, ID: text, Content: said, Requestor: domains.AgentSide}, sim.Message{Role: domains.RoleTool, ID: "2", Content: said, Error: true, Requestor: domains.AgentSide})
	r.Fault = &sim.Fault{Kind: text, Side: domains.Side(text), Text: text}
	r.Events = []sim.Event{{Kind: sim.EventKind(text), Side: domains.Side(text), Index: 1, Text: text, Messages: []sim.Message{{Role: domains.Role("developer"), Content: said, ToolCalls: calls}}, Data: map[string]any{text: text}},
		{Kind: "guidance", Index: -5, Text: text}, {Kind: "intercept", Index: 1 << 40, Messages: []sim.Message{{Role: domains.RoleAssistant, Content: said, ToolCalls: calls}},
			Data: map[string]any{"mode": text, "refusals": []any{map[string]any{"tool": text, "reason": text, "held": true}}}}}
	r.Calls = []sim.ModelCall{{Role: text, Model: text, Index: 1, Cost: &cost, Finish: text, Dropped: []string{text}, Quirks: []string{text}, Transport: sim.Transport{Served: text}}}
	r.Times.Started = text
	r.Extra = map[string]json.RawMessage{"x": json.RawMessage(`1`)}
	return r
}

// elements parses a page and returns the names of its elements and attributes, and all of its text.
func elements(tb testing.TB, body string) (names []string, text string) {
	tb.Helper()
	var b strings.Builder
	z := html.NewTokenizer(strings.NewReader(body))
	for {
		switch z.Next() {
		case html.ErrorToken:
			if z.Err() != io.EOF {
				tb.Fatal(z.Err())
			}
			return names, b.String()
		case html.StartTagToken, html.SelfClosingTagToken:
			tok := z.Token()
			names = append(names, tok.Data)
			for _, a := range tok.Attr {
				names = append(names, tok.Data+" "+a.Key)
				if a.Key == "href" && strings.Contains(strings.ToLower(a.Val), "javascript:") {
					tb.Errorf("a link to %q", a.Val)
				}
				b.WriteString(a.Val)
			}
		case html.TextToken:
			b.Write(z.Text())
		case html.CommentToken:
			names = append(names, "comment")
		}
	}
}

// harmless checks that a page has the elements and attributes of the same page with plain texts, and nothing invisible.
func harmless(tb testing.TB, text, plain, body string) {
	tb.Helper()
	known := map[string]bool{"span": true, "span class": true} // for escapes and cut texts
	want, _ := elements(tb, plain)
	for _, n := range want {
		known[n] = true
	}
	got, all := elements(tb, body)
	for _, n := range got {
		if !known[n] {
			tb.Errorf("text %q made %q", text, n)
		}
	}
	if i := strings.IndexFunc(all, func(r rune) bool {
		return r != '\n' && (unicode.IsControl(r) || unicode.Is(unicode.Bidi_Control, r) || r == '\u2028' || r == '\u2029')
	}); i >= 0 {
		tb.Errorf("text %q: the page holds %q", text, all[i:min(len(all), i+8)])
	}
	count := func(names []string) int {
		return len(slices.DeleteFunc(names, func(n string) bool { return strings.HasPrefix(n, "span") || n == "b" || n == "i" })) // escapes part names
	}
	if a, b := count(want), count(got); a != b {
		tb.Errorf("text %q: %d elements and attributes, want %d", text, b, a)
	}
}

// trialOf renders the page of a record, and that of it beside another.
func trialOf(tb testing.TB, r sim.Record) (trial, beside string) {
	tb.Helper()
	other := talk("t")
	other.System = "B"
	site, err := view.Open([]string{written(tb, r, other)}, noEnv)
	if err != nil {
		tb.Fatal(err)
	}
	get := func(path string) string {
		w := httptest.NewRecorder()
		site.Handler().ServeHTTP(w, httptest.NewRequest("GET", "http://localhost"+path, nil))
		if w.Code != 200 {
			tb.Fatalf("%s: status %d\n%s", path, w.Code, w.Body)
		}
		return w.Body.String()
	}
	return get("/made/trial/mock/A/t/0/"), get("/made/trial/mock/A/t/0/beside/made/B/0/")
}

func TestHostileTexts(t *testing.T) {
	plain, beside := trialOf(t, everywhere("word"))
	for _, text := range append(hostile(), "<a href='x'>\x1b[1m\u202e\xff") {
		got, gotBeside := trialOf(t, everywhere(text))
		harmless(t, text, plain, got)
		harmless(t, text, beside, gotBeside)
	}
	got, _ := trialOf(t, everywhere("a\u202eb\x1b\x00"))
	if want := `a<span class="esc">\u{202e}</span>b<span class="esc">\u{1b}\u{0}</span>`; strings.Count(got, want) < 8 {
		t.Errorf("escapes are not visible: %s", got)
	}
}

// TestHostileNames uses the texts as names: of tasks, systems and domains, and of a run.
func TestHostileNames(t *testing.T) {
	names := slices.DeleteFunc(hostile(), func(s string) bool { return !utf8.ValidString(s) }) // JSON cannot name those
	names = append(names, "..", ".", "a/b", `a\b`, "%2e%2e%2f", "index.html", "[mobile_data_issue]data_mode_off|"+strings.Repeat("x:y|", 45)+"[PERSONA:None]", "con", "UPPER", "upper", "", " ", "~", "a?b#c")
	var records []sim.Record
	for i, name := range names {
		r := talk(name)
		r.System, r.Domain = names[(i+1)%len(names)], "mock"
		if i%2 == 1 {
			r.Domain = name
		}
		records = append(records, r)
	}
	s := serve(t, written(t, records...))
	found := 0
	for _, path := range []string{"/", "/made/", "/made/trials/", "/made/trials/?task=%3Cscript%3E%22%00%E2%80%AE", "/made/matrix/"} {
		body := s.page(path)
		tagNames, _ := elements(t, body)
		for _, n := range tagNames {
			if n == "img" || n == "b" && path != "/made/matrix/" || n == "comment" || strings.Contains(n, " on") {
				t.Errorf("%s has %q", path, n)
			}
		}
		if n := strings.Count(body, "<script"); n != 1 {
			t.Errorf("%s has %d scripts, want the viewer's own", path, n)
		}
		for _, l := range links(body) {
			if strings.Contains(l, "/trial/") && path == "/made/trials/" {
				found++
				if strings.ContainsAny(l, `%\"'<> `) || strings.Contains(l, "..") {
					t.Errorf("address %q", l)
				}
				if status, body, _ := s.get(l); status != 200 {
					t.Errorf("%s: status %d\n%s", l, status, words(body))
				}
			}
		}
	}
	if found != len(records) {
		t.Errorf("%d of %d trials are linked", found, len(records))
	}
}

// TestLongTexts cuts what would make a page unusable, and says so.
func TestLongTexts(t *testing.T) {
	got, _ := trialOf(t, talk("t", sim.Message{Role: domains.RoleUser, Content: domains.Text(strings.Repeat("ä", 150_000))}))
	if len(got) > 200_000 || !strings.Contains(got, "200000 more bytes: see the record") || !strings.Contains(got, "the whole text") {
		t.Errorf("%d bytes", len(got))
	}
}

func FuzzTexts(f *testing.F) {
	f.Add("<a href='x'>\x1b[1m\u202e\xff") // TestHostileTexts has the others
	plain, _ := trialOf(f, everywhere("word"))
	folded, _ := trialOf(f, everywhere(strings.Repeat("word ", 60)))
	f.Fuzz(func(t *testing.T, text string) {
		if text == "" || strings.TrimSpace(text) == "" || strings.HasPrefix(strings.TrimSpace(text), "{") || strings.HasPrefix(strings.TrimSpace(text), "[") {
			return // blank texts leave elements out
		}
		got, _ := trialOf(t, everywhere(text))
		if strings.Count(got, "<summary><code>") > 0 {
			harmless(t, text, folded, got)
		} else {
			harmless(t, text, plain, got)
		}
	})
}
