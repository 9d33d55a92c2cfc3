package view

import (
	"context"
	"fmt"

	"github.com/tauguide/tauguide/domains"
	"github.com/tauguide/tauguide/runs/store"
	"github.com/tauguide/tauguide/runs/transcript"
	"github.com/tauguide/tauguide/runs/trials"
)

// nth is a part of something by one or two places in it.
type nth struct {
	Of   any
	I, K int
}

// guides finds what guided a system, once for all of its trials in a domain. The world is nil if it is not at hand.
func (d *runData) guides(ref store.Ref, w *domains.World) *transcript.Guides {
	key := [2]string{ref.System, ref.Domain}
	if g, ok := d.guided.Load(key); ok {
		return g.(*transcript.Guides)
	}
	g, _ := d.guided.LoadOrStore(key, transcript.GuidesOf(d.manifest, ref.System, w, ref.Domain))
	return g.(*transcript.Guides)
}

// wholePath is the page of an attempt with nothing but the pictures of its walks, as large as they are.
func wholePath(base string, attempt int) string { return fmt.Sprintf("%sa%d/workflow/", base, attempt) }

// whole is that page.
func (v *request) whole(r *trials.Line, ref store.Ref) (page, error) {
	t, _, err := v.trialOf(ref, r)
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
