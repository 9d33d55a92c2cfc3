package view

import (
	"fmt"
	"html"
	"net/url"
	"regexp"
	"sort"
	"strconv"

	"github.com/tauguide/tauguide/runs/store"
	"github.com/tauguide/tauguide/runs/transcript"
	"github.com/tauguide/tauguide/runs/trials"
)

// part fills in the steps that a page of an attempt shows, and where the others are.
func (c *trialPage) part(v *request, own string, query url.Values) {
	starts := c.Conversation.Parts()
	k := sort.SearchInts(starts, c.End) - 1
	ends := append(starts[1:], len(c.Steps))
	c.Turns, c.Shown, c.Texts = c.Conversation.Turns(), c.Steps[c.First:c.End], map[string]string{}
	for _, s := range c.Shown {
		for _, id := range s.Long() {
			c.Texts[id] = v.to(own+"text/"+id+"/", nil)
		}
	}
	if len(starts) == 1 || v.inlined != nil {
		return
	}
	at := func(n int) string {
		q := url.Values{"from": {strconv.Itoa(starts[n-1])}}
		for name, values := range query {
			q[name] = values
		}
		return v.to(own, q)
	}
	c.Parts = v.pages(paging{page: k + 1, pages: len(starts)}, at)
	c.elsewhere = map[string]string{}
	for n := range starts {
		to := at(n + 1)
		for _, s := range c.Steps[starts[n]:ends[n]] {
			for _, id := range s.IDs() {
				if n != k {
					c.elsewhere[id] = to
				}
			}
		}
	}
}

// placeLink matches links to places of a conversation. Texts cannot look like one, as their quotation marks are escaped.
var placeLink = regexp.MustCompile(`href="#([em]\d+)"`)

// spread makes the links of a page lead to the parts that show their places.
func (c *trialPage) spread(body []byte) []byte {
	return placeLink.ReplaceAllFunc(body, func(link []byte) []byte {
		id := string(placeLink.FindSubmatch(link)[1])
		if to := c.elsewhere[id]; to != "" {
			return fmt.Appendf(nil, `href="%s#%s"`, html.EscapeString(to), id)
		}
		return link
	})
}

// text is the page of all that was said at one place of a conversation.
func (v *request) text(r *trials.Line, ref store.Ref, id string) (page, error) {
	t, err := v.trialOf(ref, r)
	if err != nil {
		return page{}, err
	}
	c, err := transcript.NewConversation(t)
	if err != nil {
		return page{}, err
	}
	whole, ok := c.Whole(id)
	if !ok {
		return page{}, notFound("the conversation has no such place: go on from its page")
	}
	title := fmt.Sprintf("%s of %s / %d", id, r.Task, r.Trial)
	return v.render("text.html", title, v.crumbs(anchor{To: v.trialAt(r, nil), Text: fmt.Sprintf("%s / %d", r.Task, r.Trial)}, anchor{Text: id}),
		transcript.Highlighted(transcript.LaidOut(whole)))
}
