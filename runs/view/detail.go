package view

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/tauguide/tauguide/domains"
	"github.com/tauguide/tauguide/metrics/rubric"
	"github.com/tauguide/tauguide/runs/show"
	"github.com/tauguide/tauguide/sim"
	"github.com/tauguide/tauguide/sim/llm"
)

// taskPart is what the conversation was about.
type taskPart struct {
	Slice   string
	Purpose text
	Brief   []fact // what the user was told
}

func taskOf(w show.View) *taskPart {
	t := w.Task
	if t == nil {
		return nil
	}
	out := &taskPart{Slice: string(w.Slice), Purpose: textOf(show.Purpose(t))}
	add := func(name string, s *string) {
		if s != nil && strings.TrimSpace(*s) != "" {
			out.Brief = append(out.Brief, fact{Name: name, Value: textOf(*s)})
		}
	}
	in := t.UserScenario.Instructions
	add("persona", t.UserScenario.Persona)
	add("brief", &in.Plain)
	add("reason for the call", &in.ReasonForCall)
	add("known", in.KnownInfo)
	add("not known", in.UnknownInfo)
	add("instructions", &in.TaskInstructions)
	add("ticket", t.Ticket)
	return out
}

// check is something that was looked at, and how it came out.
type check struct {
	Mark, Class string
	Text        text
	Why         text
	At          string // anchor of the message that decided it; "" for none
}

func checkOf(ok bool, what, why string) check {
	c := check{Mark: show.Mark(ok), Class: "passed", Text: textOf(what), Why: textOf(why)}
	if !ok {
		c.Class = "failed"
	}
	return c
}

// rewardPart is how the reward came about.
type rewardPart struct {
	Value      string
	Pending    *text
	Notes      []text
	Components []component
	Checks     []check
	Gold       []check
	Diff       []change
	Judge      []usageLine
}

type component struct {
	Type, State, Class, Counted string
	Why                         text
}

type change struct{ Path, Want, Got text }

func rewardOf(w show.View) rewardPart {
	out := rewardPart{Value: "not scored yet", Gold: gold(w)}
	s := w.Score
	if s == nil {
		return out
	}
	out.Value = reward(s.Reward)
	if s.Pending != "" {
		told := textOf(s.Pending)
		out.Pending = &told
	}
	if note, ok := s.Info.Info["note"].(string); ok {
		out.Notes = append(out.Notes, textOf(note))
	}
	if s.Origin != "" {
		out.Notes = append(out.Notes, textOf("the reward is from "+s.Origin))
	}
	if s.Drift > 0 {
		out.Notes = append(out.Notes, textOf(fmt.Sprintf("replaying gave %d results other than recorded", s.Drift)))
	}
	for _, c := range s.Components {
		k := component{Type: show.Safe(string(c.Type)), State: show.Safe(string(c.State)), Counted: "diagnostic, not scored", Why: textOf(c.Why), Class: stateClass(c.State)}
		if c.Counted {
			k.Counted = "counted"
		}
		out.Components = append(out.Components, k)
	}
	for _, a := range s.Info.EnvAssertions {
		out.Checks = append(out.Checks, checkOf(a.Met, "assertion "+a.Assertion.FuncName, ""))
	}
	for _, c := range s.Info.CommunicateChecks {
		out.Checks = append(out.Checks, checkOf(c.Met, "told the user: "+c.Info, c.Justification))
	}
	for _, v := range s.Info.NLAssertions {
		out.Checks = append(out.Checks, checkOf(v.Met, "judged: "+v.Assertion, v.Justification))
	}
	for _, d := range s.Diff {
		out.Diff = append(out.Diff, change{textOf(d.Path), textOf(d.Want), textOf(d.Got)})
	}
	for _, c := range s.JudgeCalls {
		out.Judge = append(out.Judge, lineOf(c))
	}
	return out
}

func stateClass(s sim.State) string {
	switch string(s) {
	case "pass":
		return "passed"
	case "fail":
		return "failed"
	}
	return "pending"
}

// gold is the reference path beside what was matched of it.
func gold(w show.View) []check {
	if w.Task == nil || w.Task.Criteria == nil {
		return nil
	}
	var out []check
	for i, a := range w.Task.Criteria.Actions {
		by := ""
		if a.Requestor == domains.UserSide {
			by = "user: "
		}
		c := check{Text: textOf(by + show.ActionText(a.Name, a.Arguments))}
		if w.Score != nil && i < len(w.Score.Info.ActionChecks) {
			c = checkOf(w.Score.Info.ActionChecks[i].Match, by+show.ActionText(a.Name, a.Arguments), "")
		}
		out = append(out, c)
	}
	return out
}

// procedurePart is what the trace rubric and the table of needed reads say.
type procedurePart struct {
	Summary    string
	Failed     []check
	Satisfied  []check
	NearMisses []check
}

func procedureOf(w show.View) (*procedurePart, error) {
	found, err := show.ProcedureOf(w)
	if err != nil || found.Rubric == nil && len(found.NearMisses) == 0 {
		return nil, err
	}
	out := &procedurePart{}
	if found.Rubric != nil {
		applicable, satisfied := found.Rubric.Count()
		out.Summary = fmt.Sprintf("%d of %d applicable checks satisfied", satisfied, applicable)
		if applicable == 0 {
			out.Summary = "no check applies"
		}
		for _, r := range found.Rubric.Results {
			c := checkOf(r.State == rubric.Satisfied, fmt.Sprintf("%s (%s): %s", r.ID, r.Family, r.Text), r.Why)
			if r.At >= 0 {
				c.At = strconv.Itoa(r.At)
			}
			switch r.State {
			case rubric.Failed:
				out.Failed = append(out.Failed, c)
			case rubric.Satisfied:
				out.Satisfied = append(out.Satisfied, c)
			}
		}
	}
	for _, n := range found.NearMisses {
		c := checkOf(false, fmt.Sprintf("%s was made without reading %s", n.Tool, show.Lacking(n)), "")
		c.At = strconv.Itoa(n.Index)
		out.NearMisses = append(out.NearMisses, c)
	}
	return out, nil
}

// usageLine is a model call, or the sum of a role's.
type usageLine struct {
	Role, Model, Calls               string
	Prompt, Cached, Completion, Cost string
	Tries, Seconds, At, Finish, Note string
}

// lineOf describes one model call.
func lineOf(c sim.ModelCall) usageLine {
	l := usageLine{Role: show.Safe(c.Role), Model: show.Safe(c.Model), Prompt: counted(c.Usage.PromptTokens), Cached: counted(c.Usage.CachedTokens),
		Completion: counted(c.Usage.CompletionTokens), Cost: cost(c.Cost), Tries: strconv.Itoa(c.Transport.Attempts), Seconds: seconds(c.Transport.Elapsed),
		At: strconv.Itoa(c.Index), Finish: show.Safe(c.Finish)}
	var notes []string
	if c.Transport.Replayed {
		notes = append(notes, "from a recording")
	}
	if c.Transport.Served != "" && c.Transport.Served != c.Model {
		notes = append(notes, "served by "+c.Transport.Served)
	}
	if len(c.Dropped) > 0 {
		notes = append(notes, "dropped "+strings.Join(c.Dropped, ", "))
	}
	if len(c.Quirks) > 0 {
		notes = append(notes, strings.Join(c.Quirks, ", "))
	}
	l.Note = show.Safe(strings.Join(notes, "; "))
	return l
}

// usageOf sums the model calls of a conversation and its grading by role, and lists those of the conversation.
func usageOf(w show.View) (sums, calls []usageLine) {
	type sum struct {
		n, tries                               int
		prompt, cached, completion             llm.Count
		cost, seconds                          float64
		unpriced, uncounted, unread, unfetched int
	}
	by := map[string]*sum{}
	all := w.Record.Calls
	if w.Score != nil {
		all = slices.Concat(all, w.Score.JudgeCalls)
	}
	add := func(to *llm.Count, c llm.Count, missing *int) {
		to.N += c.N
		if !c.Known {
			*missing++
		}
	}
	for _, c := range all {
		s := by[c.Role]
		if s == nil {
			s = &sum{}
			by[c.Role] = s
		}
		s.n++
		s.tries += c.Transport.Attempts
		s.seconds += c.Transport.Elapsed
		add(&s.prompt, c.Usage.PromptTokens, &s.uncounted)
		add(&s.completion, c.Usage.CompletionTokens, &s.unread)
		add(&s.cached, c.Usage.CachedTokens, &s.unfetched)
		if c.Cost == nil {
			s.unpriced++
		} else {
			s.cost += *c.Cost
		}
	}
	for role, s := range by {
		sums = append(sums, usageLine{Role: show.Safe(role), Calls: strconv.Itoa(s.n), Prompt: lacking(grouped(s.prompt.N), s.uncounted, s.n),
			Cached: lacking(grouped(s.cached.N), s.unfetched, s.n), Completion: lacking(grouped(s.completion.N), s.unread, s.n),
			Cost: lacking(dollars(s.cost), s.unpriced, s.n), Tries: strconv.Itoa(s.tries), Seconds: seconds(s.seconds)})
	}
	slices.SortFunc(sums, func(a, b usageLine) int { return cmp.Compare(a.Role, b.Role) })
	for _, c := range w.Record.Calls {
		calls = append(calls, lineOf(c))
	}
	return sums, calls
}

// lacking marks a sum that misses some of its parts, or all.
func lacking(sum string, missing, of int) string {
	switch missing {
	case 0:
		return sum
	case of:
		return "?"
	}
	return fmt.Sprintf("≥ %s (%d of %d not known)", sum, missing, of)
}
