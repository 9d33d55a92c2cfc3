package view

import (
	"context"
	"net/url"
	"slices"
	"strconv"

	"github.com/tauguide/tauguide/runs/trials"
)

// perPage is how many lines a page of a list has.
const perPage = 100

// perLoad is how many conversations that nobody searched before are read for one page: the rest is for the next time that
// the page is loaded, which it does by itself.
const perLoad = 2000

// The outcomes of trials, as everywhere.
type outcome = trials.Outcome

const (
	passed  = trials.Passed
	failed  = trials.Failed
	pending = trials.Pending
)

// answer is what a query found in one state of a run.
type answer struct {
	of    *runData
	query string
	trials.Found
}

// find answers a query. The last answer is kept: whoever goes from trial to trial asks for it again and again.
func (v *request) find(q trials.Query) (trials.Found, error) {
	g, query := v.given, q.Values().Encode()
	g.asking.Lock()
	defer g.asking.Unlock()
	if g.last.of == v.runData && g.last.query == query && g.last.Unread == 0 {
		return g.last.Found, nil
	}
	most := perLoad
	if v.still {
		most = 0
	}
	found, err := g.index.Find(context.Background(), v.run, v.rows, q, most)
	g.last = answer{v.runData, query, found}
	return found, err
}

// around finds the trials before and after one among those that a query finds, by their places; -1 for none.
func around(found trials.Found, at int) (before, after int) {
	before, after = -1, -1
	i := slices.Index(found.Places, at)
	if i > 0 {
		before = found.Places[i-1]
	}
	if i >= 0 && i+1 < len(found.Places) {
		after = found.Places[i+1]
	}
	return before, after
}

// paging says which part of a list a page shows.
type paging struct{ page, pages, from, to int }

func pageOf(q url.Values, n int) paging {
	p := paging{pages: max(1, (n+perPage-1)/perPage)}
	asked, _ := strconv.Atoi(q.Get("page")) // what is no number is page 1, what is too large the last one
	p.page = min(max(asked, 1), p.pages)
	p.from = (p.page - 1) * perPage
	p.to = min(p.from+perPage, n)
	return p
}

// paged is a query with the number of a page.
func paged(q url.Values, n int) url.Values {
	if n > 1 {
		q.Set("page", strconv.Itoa(n))
	}
	return q
}
