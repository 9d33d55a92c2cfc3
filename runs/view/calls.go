package view

import (
	"cmp"
	"fmt"
	"net/http"
	"slices"
	"strconv"

	"github.com/tauguide/tauguide/runs/store"
	"github.com/tauguide/tauguide/runs/transcript"
	"github.com/tauguide/tauguide/runs/trials"
)

// callsTab is what the tab of the model calls shows.
type callsTab struct {
	Sums    []transcript.CallLine // by role
	At      []callsAt
	Grading []transcript.CallLine
	Whys    []string // why some calls have no page
}

type callsAt struct {
	transcript.CallsAt
	Lines []transcript.CallLine
}

// callsTab lists the calls of an attempt. base is the path of the attempt's page. A copy has a page for each role, on which
// every text is once, in place of one for each call.
func (v *request) callsTab(c transcript.Conversation, base string) (tab callsTab, err error) {
	calls, grading, err := transcript.CallsOf(v.run, c.Trial)
	roles := rolesOf(calls, grading)
	line := func(a transcript.Asked) transcript.CallLine {
		to := ""
		switch {
		case a.Sent == nil:
		case v.still:
			if to = v.to(base+"calls/"+roles.slug[a.Role]+"/", nil); to != "" && v.inlined == nil {
				to += fmt.Sprintf("#c%d", a.Ordinal)
			}
		default:
			to = v.to(fmt.Sprintf("%scalls/%s/%d/", base, roles.slug[a.Role], a.Ordinal), nil)
		}
		return transcript.LineOf(a, to)
	}
	all := c.Record.Calls
	if c.Score != nil {
		all = slices.Concat(all, c.Score.JudgeCalls)
	}
	tab.Sums, tab.Whys = transcript.SumLines(all), transcript.Whys(slices.Concat(calls, grading))
	for _, at := range c.Placed(calls) {
		one := callsAt{CallsAt: at}
		for _, a := range at.Calls {
			one.Lines = append(one.Lines, line(a))
		}
		tab.At = append(tab.At, one)
	}
	for _, a := range grading {
		tab.Grading = append(tab.Grading, line(a))
	}
	return tab, err
}

// rolesOf gives the roles of calls their parts of addresses.
func rolesOf(calls ...[]transcript.Asked) *slugs {
	var names []string
	for _, a := range slices.Concat(calls...) {
		if !slices.Contains(names, a.Role) {
			names = append(names, a.Role)
		}
	}
	return newSlugs(names)
}

// callShown is a model call on a page.
type callShown struct {
	transcript.Exchange
	Line  []transcript.CallLine
	Files []callFiles // of each try
}

type callFiles struct{ Request, Answer string }

// callPages answers for the pages of model calls: those of a role but for what requests have in common, one call whole, and a
// request or an answer as a file.
func (v *request) callPages(r *trials.Line, ref store.Ref, rest []string) (page, error) {
	t, err := v.trialOf(ref, r)
	if err != nil {
		return page{}, err
	}
	calls, grading, err := transcript.CallsOf(v.run, t)
	role := rolesOf(calls, grading).name[rest[0]]
	calls = slices.DeleteFunc(slices.Concat(calls, grading), func(a transcript.Asked) bool { return a.Role != role || a.Sent == nil })
	whole, base, here := len(rest) > 1, fmt.Sprintf("%sa%d/", v.path(r), ref.Attempt), fmt.Sprintf("%s / %d", r.Task, r.Trial)
	var list []callShown
	for i, a := range calls {
		if whole && strconv.Itoa(a.Ordinal) != rest[1] {
			continue
		}
		if len(rest) > 2 {
			return callFile(a, rest[2])
		}
		x, err := transcript.ExchangeOf(calls, i)
		if err != nil {
			return page{}, err
		}
		c := callShown{Exchange: x, Line: []transcript.CallLine{transcript.LineOf(a, "")}}
		if !whole && x.Before != nil {
			c.Parts = slices.DeleteFunc(c.Parts, func(p transcript.Part) bool { return p.Change == "" })
		}
		for i := range a.Sent {
			if at := fmt.Sprintf("%scalls/%s/%d/", base, rest[0], a.Ordinal); !v.still {
				c.Files = append(c.Files, callFiles{v.to(fmt.Sprintf("%srequest-%d.json", at, i), nil), v.to(fmt.Sprintf("%sanswer-%d.txt", at, i), nil)})
			}
		}
		list = append(list, c)
	}
	if len(list) == 0 {
		return page{}, cmp.Or(err, notFound("there is no such model call in this trial, or nothing is known of what was sent"))
	}
	return v.render("call.html", fmt.Sprintf("Calls of %s: %s", role, here), v.crumbs(anchor{To: v.to(base, nil), Text: here}, anchor{Text: "model calls"}),
		map[string]any{"Whole": whole, "Role": role, "Calls": list})
}

// callFile is a request or an answer as it was on the wire.
func callFile(a transcript.Asked, name string) (p page, err error) {
	for i, s := range a.Sent {
		switch name {
		case fmt.Sprintf("request-%d.json", i):
			p.kind = jsonType
			p.body, err = s.Body()
		case fmt.Sprintf("answer-%d.txt", i):
			p.kind, p.body = "application/octet-stream", s.Answer
		default:
			continue
		}
		p.status, p.name = http.StatusOK, fmt.Sprintf("%d.%s", a.Ordinal, name)
		return p, err
	}
	return p, notFound("there is no such request")
}
