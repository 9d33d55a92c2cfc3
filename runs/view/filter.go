package view

import (
	"context"
	"net/url"
	"strconv"

	"github.com/tauguide/tauguide/runs/trials"
)

// perPage is how many lines a page of a list has.
const perPage = 100

// perLoad is how many conversations that nobody searched before are read for one page: the rest is for the next time that
// the page is loaded, which it does by itself.
const perLoad = 2000

// find answers a query; a copy is made of all that there is to find.
func (v *request) find(q trials.Query) (trials.Found, error) {
	most := perLoad
	if v.still {
		most = 0
	}
	return v.asked.Find(context.Background(), v.run, v.rows, q, most)
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
