package export_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tauguide/tauguide/guide"
	"github.com/tauguide/tauguide/guide/export"
)

// Boxes are the subflows that are not expanded; what only branches in the box for others lead to is not drawn.
func TestExpanded(t *testing.T) {
	for _, tt := range []struct{ domain, names, boxes, others, drawn, absent string }{
		{"mock", "set_status", "identify:identify_member add:add_task status.agree:summary_and_confirm", "", "status.authorize_update exit_done", "status"},
		{"airline", "identify book book.agree", "", "change_flights, change_cabin, change_bags, change_passengers, cancel, compensation",
			"identify.load_profile book.agree.confirm book.authorize_book decline exit_done exit_transfer", "cancel change_cabin"},
		{"retail", "cancel_order", "identify:identify_customer cancel.locate:locate_order cancel.agree:summary_and_confirm",
			"change_address, change_payment, change_items, return_items, exchange_items, change_profile, information", "cancel.authorize_cancel exit_done", "exchange"},
		{"telecom", "pay_bill", "identify:identify_customer pay.agree:summary_and_confirm",
			"lift_suspension, refuel_data, change_plan, roaming, no_service, mobile_data, mms", "pay.authorize_request everything_tried", "layer service_state messages"},
		{"telecom", "mms messages", "identify:identify_customer data:troubleshoot_data speed:troubleshoot_speed",
			"pay_bill, lift_suspension, refuel_data, change_plan, roaming", "service.test layer messages.test", "pay lift"},
	} {
		t.Run(tt.domain+" "+tt.names, func(t *testing.T) {
			p := expanded(t, tt.domain, tt.names)
			var boxes, ids []string
			others := ""
			for _, n := range p.Nodes {
				ids = append(ids, n.ID)
				switch {
				case n.ID == export.Others:
					others = n.Action
				case n.Type == guide.Anchor:
					boxes = append(boxes, n.ID+":"+n.Subflow)
				}
			}
			for _, n := range p.Nodes {
				for _, e := range n.Edges {
					if !slices.Contains(ids, e.To) {
						t.Errorf("%s leads to %s, which is not drawn", n.ID, e.To)
					}
				}
			}
			if d := cmp.Diff([]string{tt.boxes, tt.others}, []string{strings.Join(boxes, " "), others}); d != "" {
				t.Error(d)
			}
			for _, id := range strings.Fields(tt.drawn) {
				if !slices.Contains(ids, id) {
					t.Errorf("%s is not drawn", id)
				}
			}
			for _, id := range strings.Fields(tt.absent) {
				if slices.Contains(ids, id) {
					t.Errorf("%s is drawn", id)
				}
			}
			if p.Title != guideTitle(t, tt.domain)+"; expanded: "+strings.ReplaceAll(tt.names, " ", ", ") {
				t.Errorf("title %q", p.Title)
			}
		})
	}
}

// Groups are nested and say which subflow they are.
func TestExpandedGroups(t *testing.T) {
	p := expanded(t, "airline", "book book.agree")
	golden(t, "airline.book.dot", export.DOT(p))
}

func TestExpandedRefuses(t *testing.T) {
	for _, tt := range []struct{ domain, name, want string }{
		{"airline", "boook", "the workflow of airline has no branch and no subflow \"boook\"\nhint: did you mean \"book\"?"},
		{"telecom", "messages", "only branches that are not expanded lead to messages\nhint: expand one of them, too: pay_bill, "},
		{"airline", "general", "no branch and no subflow \"general\""}, // leads to a node that is drawn anyway
	} {
		b, g := shipped(t, tt.domain)
		if _, err := export.Expanded(b, g, []string{tt.name}); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s %s: %v, want %q", tt.domain, tt.name, err, tt.want)
		}
	}
}

func expanded(t *testing.T, domain, names string) export.Picture {
	t.Helper()
	b, g := shipped(t, domain)
	p, err := export.Expanded(b, g, strings.Fields(names))
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func guideTitle(t *testing.T, domain string) string {
	t.Helper()
	_, g := shipped(t, domain)
	return export.Whole(g).Title
}

func shipped(t *testing.T, domain string) (*guide.Bundle, *guide.Graph) {
	t.Helper()
	b, err := guide.LoadShipped(domain)
	if err != nil {
		t.Fatal(err)
	}
	g, err := guide.Compose(b)
	if err != nil {
		t.Fatal(err)
	}
	return b, g
}
