package view

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"html"
	"html/template"
	"net/http"
	"net/url"
	"regexp"
	"strings"

	"github.com/tauguide/tauguide/runs/transcript"
	"github.com/tauguide/tauguide/sim"
)

// inlined is what a page has within itself if it is to be a file by itself.
type inlined struct {
	Style  template.CSS
	Script template.JS
}

// policy lets a page by itself run its own script and nothing else, and load nothing.
func (in *inlined) policy() string {
	hash := func(s string) string {
		sum := sha256.Sum256([]byte(s))
		return base64.StdEncoding.EncodeToString(sum[:])
	}
	return fmt.Sprintf("default-src 'none'; script-src 'sha256-%s'; style-src 'sha256-%s'; base-uri 'none'; form-action 'none'",
		hash(string(in.Script)), hash(string(in.Style)))
}

// opens reports whether a path is that of something that opens from the page of a trial: not an attempt, a record, or another
// trial beside it.
func opens(path string) bool {
	parts := strings.Split(path, "/")
	if len(parts) < 8 || parts[2] != "trial" {
		return false
	}
	rest := attempt.ReplaceAllString(strings.Join(parts[7:], "/"), "")
	return rest != "" && rest != "record.json" && !strings.HasPrefix(rest, "beside/")
}

var attempt = regexp.MustCompile(`^a\d+/`)

// Single makes a file of a trial of the first run: the page of the attempt that counts with all that opens from it, to be
// sent or kept. It loads nothing, and links lead nowhere else.
func (s *Site) Single(key sim.Key) ([]byte, error) {
	data, err := s.runs[0].read()
	if err != nil {
		return nil, err
	}
	at, ok := data.at[key]
	if !ok {
		return nil, fmt.Errorf("the run has no trial %s", key.String())
	}
	in := &inlined{Style: template.CSS(s.parts["/style.css"].body), Script: template.JS(s.parts["/script.js"].body)}
	v := &request{site: s, given: s.runs[0], runData: data}
	base := v.path(&data.rows[at])
	type opened struct {
		path  string
		query url.Values
	}
	var queue []opened
	places := map[string]string{}
	v.linker = linker{still: true, inlined: in, to: func(path string, query url.Values) string {
		if !strings.HasPrefix(path, base) || !strings.HasSuffix(path, "/") || !opens(path) {
			return ""
		}
		name := path + "?" + query.Encode()
		if places[name] == "" {
			queue = append(queue, opened{path, query})
			places[name] = fmt.Sprintf("opened-%d", len(queue))
		}
		return "#" + places[name]
	}}
	ref, err := data.counting(&data.rows[at])
	if err != nil {
		return nil, err
	}
	whole, err := v.trial(at, ref)
	if err != nil {
		return nil, err
	}
	var inside []byte
	for i := 0; i < len(queue); i++ { // it grows meanwhile
		p := s.get(queue[i].path, queue[i].query, v.linker)
		if p.kind != htmlType { // of a page that says what is damaged it is as well
			return nil, fmt.Errorf("%s cannot be put into one file: %s", queue[i].path, http.StatusText(p.status))
		}
		inside = append(inside, within(p, fmt.Sprintf("opened-%d", i+1))...)
	}
	return unlinked(bytes.Replace(whole.body, []byte(endOfMain), append(inside, endOfMain...), 1)), nil
}

// endOfMain ends what a page says.
const endOfMain = "</main>"

var (
	ids     = regexp.MustCompile(` id="([^"]*)"`)
	naming  = regexp.MustCompile(`( (?:id|for|aria-labelledby|aria-controls|aria-describedby)="|href="#)([^"]*)"`)
	links   = regexp.MustCompile(`(?s)<a ([^>]*?)href="(#?)([^"]*)"([^>]*)>(.*?)</a>`)
	targets = regexp.MustCompile(` target="[^"]*"`)
)

// idsOf are the ids of elements. Texts cannot look like one, as their quotation marks are escaped.
func idsOf(body []byte) map[string]bool {
	all := map[string]bool{}
	for _, m := range ids.FindAllSubmatch(body, -1) {
		all[string(m[1])] = true
	}
	return all
}

// within makes a part of another page of a page: folded, and with ids that the other does not have.
func within(p page, id string) []byte {
	_, body, _ := bytes.Cut(p.body, []byte("<main>"))
	body, _, _ = bytes.Cut(body, []byte(endOfMain))
	own := idsOf(body)
	body = naming.ReplaceAllFunc(body, func(m []byte) []byte {
		part := naming.FindSubmatch(m)
		if !own[string(part[2])] {
			return m // a place of the other page
		}
		return fmt.Appendf(nil, `%s%s-%s"`, part[1], id, part[2])
	})
	return fmt.Appendf(nil, "<details class=\"opened\" id=\"%s\"><summary>%s</summary>%s</details>\n", id, html.EscapeString(transcript.Safe(p.title)), body)
}

// unlinked makes text of the links that lead out of a page, and opens the others within it.
func unlinked(body []byte) []byte {
	own := idsOf(body)
	body = links.ReplaceAllFunc(body, func(m []byte) []byte {
		part := links.FindSubmatch(m)
		if len(part[2]) > 0 && own[string(part[3])] {
			return m
		}
		return fmt.Appendf(nil, "<span %s%s>%s</span>", part[1], part[4], part[5])
	})
	return targets.ReplaceAll(body, nil)
}
