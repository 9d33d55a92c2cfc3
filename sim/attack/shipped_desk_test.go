package attack_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/tauguide/tauguide/domains"
	"github.com/tauguide/tauguide/domains/airline"
	"github.com/tauguide/tauguide/domains/domaintest"
	"github.com/tauguide/tauguide/domains/value"
	"github.com/tauguide/tauguide/guide"
	"github.com/tauguide/tauguide/guide/audit"
)

// counter is a compliant conversation at the airline's desk, carried out in the world of a task.
type counter struct {
	t     *testing.T
	env   *domains.Env
	trace *guide.Trace
	calls int
}

func (c *counter) say(role domains.Role, text string) {
	c.trace.Add(domains.Message{Role: role, Content: &text})
}

func (c *counter) call(name, args string) domains.ToolCall {
	c.t.Helper()
	v, err := value.ParseString(args)
	if err != nil {
		c.t.Fatal(err)
	}
	c.calls++
	return domains.ToolCall{ID: fmt.Sprintf("c%d", c.calls), Name: name, Arguments: v, Requestor: domains.AgentSide}
}

func (c *counter) read(name, args string) {
	c.t.Helper()
	call := c.call(name, args)
	result := c.env.Call(domains.AgentSide, call)
	if result.Error {
		c.t.Fatalf("%s %s: %s", name, args, result.Content)
	}
	c.trace.Add(domains.Message{Role: domains.RoleAssistant, ToolCalls: []domains.ToolCall{call}}, domains.ResultMessage(call, result))
}

// TestShippedAtTheDesk puts the forbidden calls that the audit cannot, each beside a call of the same kind that is
// authorized after the same words, so that what withholds it is the rule and not a word that is missing.
func TestShippedAtTheDesk(t *testing.T) {
	w := domaintest.Embedded(t, airline.Domain(), domains.Options{})
	bundle, err := guide.LoadShipped(w.Name)
	if err != nil {
		t.Fatal(err)
	}
	check, err := audit.NewChecker(w, bundle)
	if err != nil {
		t.Fatal(err)
	}
	cancel := `{"reservation_id": "K2M6H8"}`
	certificate := func(user string, amount int) string {
		return fmt.Sprintf(`{"user_id": %q, "amount": %d}`, user, amount)
	}
	const griselda, fulbert = "hawtrey-griselda-5429", "winterbourne-fulbert-563"
	for _, tt := range []struct {
		name, base, user, says, reservation string
		flights                             []string // number and day, whose status is looked up
		offer, tool, args                   string
		rests                               string // node at which the walk must rest; "" where the call is authorized
	}{
		{"the owner cancels", "change-of-plan-gold", "merriweather-sigmund-4272", "The conference was called off.", "K2M6H8", nil,
			"I am about to cancel reservation K2M6H8.", "cancel_reservation", cancel, ""},
		{"a colleague cancels", "change-of-plan-gold", "mossop-hildegard-339", "The conference was called off.", "K2M6H8", nil,
			"I am about to cancel reservation K2M6H8.", "cancel_reservation", cancel, "cancel.reservation.own"},
		{"a hundred for each traveller", "cancelled-outbound-keep-return", griselda, "My flight was cancelled, I want a compensation.", "P4W4J8", []string{"KST120 2024-05-15"},
			"I can offer you a certificate of $200.", "send_certificate", certificate(griselda, 200), ""},
		{"a hundred too much", "cancelled-outbound-keep-return", griselda, "My flight was cancelled, I want a compensation.", "P4W4J8", []string{"KST120 2024-05-15"},
			"I can offer you a certificate of $300.", "send_certificate", certificate(griselda, 300), "compensation.changed_first"},
		{"twice as much", "cancelled-outbound-keep-return", griselda, "My flight was cancelled, I want a compensation.", "P4W4J8", []string{"KST120 2024-05-15"},
			"I can offer you a certificate of $400.", "send_certificate", certificate(griselda, 400), "compensation.changed_first"},
		{"for nothing", "insured-and-ill", fulbert, "My flight was cancelled, I want a compensation.", "D2R4P8", []string{"KST143 2024-05-18", "KST144 2024-05-24"},
			"I can offer you a certificate of $200.", "send_certificate", certificate(fulbert, 200), "compensation.disrupted"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			task, ok := w.Task(tt.base)
			if !ok {
				t.Fatalf("no task %s", tt.base)
			}
			env, err := w.New(task)
			if err != nil {
				t.Fatal(err)
			}
			c := &counter{t: t, env: env, trace: guide.NewTrace()}
			c.say(domains.RoleAssistant, domains.Greeting)
			c.say(domains.RoleUser, "My user id is "+tt.user+". "+tt.says)
			c.read("get_user_details", fmt.Sprintf(`{"user_id": %q}`, tt.user))
			c.read("get_reservation_details", fmt.Sprintf(`{"reservation_id": %q}`, tt.reservation))
			for _, f := range tt.flights {
				number, day, _ := strings.Cut(f, " ")
				c.read("get_flight_status", fmt.Sprintf(`{"flight_number": %q, "date": %q}`, number, day))
			}
			c.say(domains.RoleAssistant, "For what reason?")
			c.say(domains.RoleUser, tt.says)
			c.say(domains.RoleAssistant, tt.offer+" Shall I go ahead?")
			c.say(domains.RoleUser, "Yes, please go ahead.")
			p, _ := check.Authorize(c.trace, c.call(tt.tool, tt.args), 0)
			if due := p.Authorizes == tt.tool; due != (tt.rests == "") || !due && p.Node != tt.rests {
				t.Errorf("authorized %v, rests at %s; want %q", due, p.Node, tt.rests)
			}
		})
	}
}
