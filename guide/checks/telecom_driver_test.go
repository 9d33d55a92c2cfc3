package checks_test

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/tauguide/tauguide/domains"
	"github.com/tauguide/tauguide/domains/domaintest"
	"github.com/tauguide/tauguide/domains/telecom"
	"github.com/tauguide/tauguide/domains/value"
	"github.com/tauguide/tauguide/guide"
)

// hotline carries a conversation between an agent that keeps to the policy and a customer who does what they are told.
// Calls of both sides run in the task's real environment, and the customer reports what the phone says.
type hotline struct {
	*driver
	task    *domains.Task
	known   string            // what the customer knows about themselves
	omit    map[string]bool   // steps that the agent leaves out
	profile map[string]any    // of the customer who was looked up
	lines   map[string]string // line id → plan id
}

func newHotline(t testing.TB, c *guide.Checker, w *domains.World, task *domains.Task) *hotline {
	t.Helper()
	h := &hotline{driver: newDriver(t, w, c, task), task: task, lines: map[string]string{}}
	in := task.UserScenario.Instructions
	if in.KnownInfo != nil {
		h.known = firstPerson(*in.KnownInfo)
	}
	h.user(firstPerson(in.ReasonForCall))
	return h
}

// firstPerson lets the customer say what a task tells them.
func firstPerson(s string) string {
	return strings.NewReplacer("You are", "I am", "you are", "I am", "Your", "My", "your", "my", "You", "I", "you", "I").Replace(s)
}

// read makes a call of the agent's and returns its result.
func (h *hotline) read(name string, args ...string) any {
	res := h.call(name, object(args...))
	v, err := value.ParseString(res.Content)
	if err != nil || res.Error {
		return nil
	}
	return guide.Native(v)
}

// device has the customer use their phone and report what it says.
func (h *hotline) device(name string, args value.Value) {
	h.agent("Please use " + name + " on your phone and tell me what you see.")
	h.calls++
	c := domains.ToolCall{ID: fmt.Sprintf("u%d", h.calls), Name: name, Arguments: args, Requestor: domains.UserSide}
	res := h.env.Call(domains.UserSide, c)
	h.trace.Add(domains.Message{Role: domains.RoleUser, ToolCalls: []domains.ToolCall{c}}, domains.ResultMessage(c, res))
	h.user("I have done that. This is what I see now: " + res.Content)
}

func (h *hotline) on(name string) { h.device(name, value.OfMap(nil)) }

var (
	numberIn   = regexp.MustCompile(`\d{3}-\d{3}-\d{4}`)
	customerIn = regexp.MustCompile(`\bC\d+\b`)
	bornIn     = regexp.MustCompile(`(\w+ \w+), born on (\w+) (\d+), (\d{4})`)
)

// identify asks who is there and looks the customer up.
func (h *hotline) identify() {
	h.agent("Before I look into this I have to know who you are. Please tell me your phone number.")
	h.user(h.known)
	var result any
	switch {
	case bornIn.MatchString(h.known):
		m := bornIn.FindStringSubmatch(h.known)
		month := slices.Index([]string{"January", "February", "March", "April", "May", "June", "July", "August", "September", "October", "November", "December"}, m[2]) + 1
		list, _ := h.read("get_customer_by_name", "full_name", m[1], "dob", fmt.Sprintf("%s-%02d-%02s", m[4], month, m[3])).([]any)
		if len(list) == 1 {
			result = list[0]
		}
	case customerIn.MatchString(h.known):
		result = h.read("get_customer_by_id", "customer_id", customerIn.FindString(h.known))
	default:
		result = h.read("get_customer_by_phone", "phone_number", numberIn.FindString(h.known))
	}
	h.profile, _ = result.(map[string]any)
	if h.profile == nil {
		h.t.Fatalf("%s: the customer cannot be found by %q", h.task.ID, h.known)
	}
}

func (h *hotline) customer() string {
	id, _ := h.profile["customer_id"].(string)
	return id
}

func (h *hotline) listed(key string) (out []string) {
	list, _ := h.profile[key].([]any)
	for _, v := range list {
		out = append(out, v.(string))
	}
	return out
}

// readLines looks at all lines of the customer.
func (h *hotline) readLines() {
	for _, id := range h.listed("line_ids") {
		if l, ok := h.read("get_details_by_id", "id", id).(map[string]any); ok {
			h.lines[id], _ = l["plan_id"].(string)
		}
	}
}

func (h *hotline) readBills() { h.read("get_bills_for_customer", "customer_id", h.customer()) }

// priceOf reads the plan of a line and returns the price of a gigabyte.
func (h *hotline) priceOf(line string) float64 {
	p, _ := h.read("get_details_by_id", "id", h.lines[line]).(map[string]any)
	price, _ := p["data_refueling_price_per_gb"].(float64)
	return price
}

// dueOf looks a bill up and returns its total.
func (h *hotline) dueOf(bill string) float64 {
	b, _ := h.read("get_details_by_id", "id", bill).(map[string]any)
	due, _ := b["total_due"].(float64)
	return due
}

func textArg(c domains.ToolCall, key string) string {
	v, _ := c.ArgumentsMap().Get(key)
	s, _ := v.Text()
	return s
}

func dataArg(c domains.ToolCall) float64 {
	v, _ := c.ArgumentsMap().Get("gb_amount")
	f, _ := v.Float64()
	return f
}

// prepare does all that has to be done before a change, but for what is to be left out.
func (h *hotline) prepare(c domains.ToolCall, answer string) {
	if !h.omit["lines"] {
		h.readLines()
	}
	line := textArg(c, "line_id")
	switch c.Name {
	case "send_payment_request", "resume_line":
		if !h.omit["bills"] {
			h.readBills()
		}
	case "enable_roaming":
		if !h.omit["abroad"] {
			h.agent("Are you outside your usual area, for instance abroad?")
			h.user(h.known)
		}
	case "refuel_data":
		h.read("get_data_usage", "customer_id", h.customer(), "line_id", line)
		if !h.omit["ask"] {
			h.agent("Your data are used up. How much data would you like to add?")
			h.user(fmt.Sprintf("%v GB, please.", dataArg(c)))
		}
	}
	if !h.omit["summary"] {
		h.summarize(c, answer)
	}
}

// summarize names what a change is and costs, and hears the answer.
func (h *hotline) summarize(c domains.ToolCall, answer string) {
	switch c.Name {
	case "send_payment_request":
		bill := textArg(c, "bill_id")
		due := 0.0
		if !h.omit["bills"] {
			due = h.dueOf(bill)
		}
		h.agent(fmt.Sprintf("Bill %s comes to $%.2f. Shall I send you a payment request for it?", bill, due))
	case "refuel_data":
		price := 3.0
		if !h.omit["plans"] {
			price = h.priceOf(textArg(c, "line_id"))
		}
		h.agent(fmt.Sprintf("Adding %v GB to your line at $%.2f per GB comes to $%.2f. Shall I go ahead?", dataArg(c), price, price*dataArg(c)))
	default:
		h.agent(fmt.Sprintf("I am about to use %s for %s. Shall I go ahead?", c.Name, textArg(c, "line_id")))
	}
	h.user(answer)
}

const yes = "Yes, please go ahead."

// propose asks whether a change is due.
func (h *hotline) propose(c domains.ToolCall) (guide.Position, bool) {
	p, ok := h.check.Authorize(h.trace, c, 0)
	return p, ok && p.Authorizes == c.Name
}

// carryOut makes a change and does what has to follow it.
func (h *hotline) carryOut(c domains.ToolCall) {
	res := h.call(c.Name, c.Arguments)
	if res.Error {
		h.t.Errorf("%s: %s: %s", h.task.ID, c.Name, res.Content)
	}
	switch c.Name {
	case "send_payment_request":
		h.agent("I have sent you a payment request. Please check it on your phone and pay it if you accept it.")
	case "resume_line":
		h.agent("The line is active again. Please restart your phone, or else service does not come back.")
	}
}

// test makes the tests that show whether the trouble is gone.
func (h *hotline) test() {
	for _, name := range []string{"check_status_bar", "run_speed_test", "can_send_mms"} {
		h.on(name)
	}
}

// paid has the bills that were paid looked up again.
func (h *hotline) paid() {
	for _, c := range h.trace.CallsOf("send_payment_request") {
		h.read("get_details_by_id", "id", c.Arg("bill_id"))
	}
}

func telecomWorlds(t *testing.T, run func(t *testing.T, w *domains.World)) {
	open := map[string]func(testing.TB) *domains.World{"tau2": realTelecom, "embedded": embeddedTelecom}
	for _, source := range []string{"tau2", "embedded"} {
		t.Run(source, func(t *testing.T) { run(t, open[source](t)) })
	}
}

func realTelecom(t testing.TB) *domains.World {
	t.Helper()
	return domaintest.Real(t, telecom.Domain(), domains.Options{})
}

func embeddedTelecom(t testing.TB) *domains.World {
	t.Helper()
	return domaintest.Embedded(t, telecom.Domain(), domains.Options{})
}
