package view_test

import (
	"fmt"
	"html"
	"net/url"
	"regexp"
	"strings"
	"testing"

	"github.com/tauguide/tauguide/domains"
	"github.com/tauguide/tauguide/runs/runtest"
	"github.com/tauguide/tauguide/runs/transcript"
	"github.com/tauguide/tauguide/sim"
	"pgregory.net/rapid"
)

var article = regexp.MustCompile(`(?s)<article id="([me]\d+)".*?</article>`)

// TestHitsAreOnThePage looks for words of every passage of a run, as they come and across white space and in another case:
// the list finds each, and the page marks it in its article, which is not folded away.
func TestHitsAreOnThePage(t *testing.T) {
	dir := smallRun(t)
	s := serve(t, dir)
	type passage struct{ page, id, text string }
	var all []passage
	for rec, err := range runtest.Open(t, dir).Records() {
		if err != nil {
			t.Fatal(err)
		}
		for _, p := range transcript.Passages(rec) {
			for _, text := range p.Texts {
				all = append(all, passage{fmt.Sprintf("/small/trial/%s/%s/%s/%d/", rec.Domain, rec.System, rec.Task, rec.Trial), p.ID(), text})
			}
		}
	}
	rapid.Check(t, func(t *rapid.T) {
		p := rapid.SampledFrom(all).Draw(t, "passage")
		words := strings.Fields(strings.ReplaceAll(p.text, `"`, " "))
		if len(words) == 0 {
			t.Skip("nothing but quotes")
		}
		from := rapid.IntRange(0, len(words)-1).Draw(t, "from")
		phrase := words[from]
		for _, w := range words[from+1 : min(len(words), from+rapid.IntRange(1, 3).Draw(t, "words"))] {
			if strings.Contains(strings.Join(strings.Fields(p.text), " "), phrase+" "+w) {
				phrase += " " + w
			}
		}
		if rapid.Bool().Draw(t, "upper") {
			phrase = strings.ToUpper(phrase)
		}
		q := url.Values{"q": {`"` + phrase + `"`}}.Encode()
		if list := html.UnescapeString(s.page("/small/trials/?" + q + "&" + url.Values{"task": {strings.Split(p.page, "/")[5]}}.Encode())); !strings.Contains(list, p.page+"?") {
			t.Fatalf("the list for %q has no link to %s", phrase, p.page)
		}
		body := s.page(p.page + "?" + q)
		for _, a := range article.FindAllStringSubmatch(body, -1) {
			if a[1] != p.id {
				continue
			}
			if !strings.Contains(a[0], "<mark>") {
				t.Fatalf("%q is not marked in %s of %s:\n%s", phrase, p.id, p.page, a[0])
			}
			for _, fold := range regexp.MustCompile(`(?s)<details[^>]*>.*?</details>`).FindAllString(a[0], -1) {
				if strings.Contains(fold, "<mark>") && !strings.HasPrefix(fold[:strings.Index(fold, ">")+1], "<details") || strings.Contains(fold, "<mark>") && !strings.Contains(fold[:strings.Index(fold, ">")], " open") {
					t.Fatalf("%q is folded away in %s of %s", phrase, p.id, p.page)
				}
			}
			return
		}
		t.Fatalf("%s has no article %s", p.page, p.id)
	})
}

// TestSearchOnPages: words of both sides and of calls, across what folds and what is escaped, with the state of the list in the address.
func TestSearchOnPages(t *testing.T) {
	say := func(role domains.Role, text string) sim.Message {
		return sim.Message{Role: role, Content: domains.Text(text)}
	}
	a := talk("first", say(domains.RoleUser, "Straße \u212aelvin <b>bold</b> hid\u202eden"), say(domains.RoleAssistant, "one\n two"))
	b := talk("second", say(domains.RoleUser, "one"), say(domains.RoleAssistant, "two"))
	s := serve(t, written(t, a, b))
	for query, want := range map[string][2]bool{
		"STRASSE": {}, "straße": {true, false}, "kelvin": {true, false}, "<B>bold</b>": {true, false}, `hid\u{202e}den`: {true, false}, "hid\u202eden": {true, false},
		"one two": {true, true}, `"one two"`: {true, false}, "onetwo": {}, "one absent": {}, `"`: {true, true},
	} {
		body := words(s.page("/made/trials/?" + url.Values{"q": {query}}.Encode()))
		if got := [2]bool{strings.Contains(body, "first / 0"), strings.Contains(body, "second / 0")}; got != want {
			t.Errorf("%q finds %v, want %v", query, got, want)
		}
	}
	body := s.page("/made/trials/?q=kelvin&sort=-task&page=1&outcome=pending")
	for _, want := range []string{"/made/trial/mock/A/first/0/?outcome=pending&amp;q=kelvin&amp;sort=-task#m0", "<mark>\u212aelvin</mark>", `href="/made/trials/?outcome=pending&amp;q=kelvin&amp;sort=-steps"`, `aria-sort="descending"`, "1 ? pending"} {
		if !strings.Contains(body, want) {
			t.Errorf("%q is missing in\n%s", want, body)
		}
	}
	body = s.page("/made/trial/mock/A/first/0/?q=kelvin")
	if !strings.Contains(body, "Straße <mark>\u212aelvin</mark> &lt;b&gt;") || !strings.Contains(words(body), "1 with kelvin : message 0") {
		t.Errorf("the page does not mark it:\n%s", body)
	}
}
