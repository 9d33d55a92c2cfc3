package view

import (
	"context"
	"fmt"

	"github.com/tauguide/tauguide/runs/store"
	"github.com/tauguide/tauguide/runs/transcript"
	"github.com/tauguide/tauguide/runs/trials"
)

// nth is a part of something by one or two places in it.
type nth struct {
	Of   any
	I, K int
}

// wholePath is the page of an attempt with nothing but the pictures of its walks, as large as they are.
func wholePath(base string, attempt int) string { return fmt.Sprintf("%sa%d/workflow/", base, attempt) }

// whole is that page.
func (v *request) whole(r *trials.Line, ref store.Ref) (page, error) {
	t, err := v.trialOf(ref, r)
	if err != nil {
		return page{}, err
	}
	c, err := transcript.NewConversation(t)
	if err != nil {
		return page{}, err
	}
	here := fmt.Sprintf("%s / %d", r.Task, r.Trial)
	trial := v.to(fmt.Sprintf("%sa%d/", v.path(r), ref.Attempt), nil)
	return v.render("walk.html", "Workflow: "+here, v.crumbs(anchor{To: trial, Text: here}, anchor{Text: "workflow"}),
		map[string]any{"Trial": trial, "Requests": c.Walks.Requests, "Pictures": c.Pictures(context.Background())})
}
