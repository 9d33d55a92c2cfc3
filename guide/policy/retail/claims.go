package retail

import (
	"regexp"
	"slices"
	"strings"

	"github.com/tauguide/tauguide/guide"
	"github.com/tauguide/tauguide/guide/policy"
)

// What is read from plain text: these are heuristics, and guide/checks/README.md says what they recognise.

var (
	saysNotNeeded = regexp.MustCompile(`(?i)no longer (need|want)|\b(not|n['’]t|never)( \w+)? need|\bno need\b|\bn['’]t want (it|them|this|these|that order|the order)\b|changed (my|his|her|our) mind|\bnobody\b.{0,20}\bneeds?\b|no use for`)
	saysMistake   = regexp.MustCompile(`(?i)\bmistake(s|n|nly)?\b|\baccident(al|ally)?\b|\bin error\b|\bunintention|\bn['’]t mean to (order|buy|place)`)
	deniedBefore  = regexp.MustCompile(`(?i)(\b(no|not|never|without)|n['’]t)( \w+){0,3} $`)
	// otherReason is what people say when they give a reason of another kind.
	otherReason = regexp.MustCompile(`(?i)\bbecause\b|\bcheaper\b|\b(better|lower) (price|deal)\b|\btoo (long|late|slow|expensive)\b|\bdelay|\breason is\b|\bonly reason\b|\bsince (i|you|it|its|they|we|he|she|the|my|this|that)\b|\bdue to\b|\bon account of\b`)
	// reminder asks whether the list of items is complete, or says that there is no second time.
	reminder = regexp.MustCompile(`(?i)\b(only|just) (be )?(\w+ ){0,3}(once|one time)\b|\bonce per order\b|\bone[- ]time\b|\b(any|no|other|additional|more|further) (other |additional |more )?(items?|changes|products?)\b|\ball (of )?(the |your )?(items?|changes)\b|\bmissing\b|\bonly (the|this|these|those)\b|\beverything (that )?you\b|\bthe only (item|change|one)s?\b|\b(is|are) (this|that|these|those) (all|everything|the complete)\b|\b(is|that's|was) (all|everything)\b|\banything else\b.{0,40}\b(order|change|exchange|modify|include|add)\b|\bcan(not|'t| no longer)( \w+){0,4} (again|afterwards?|any ?more|further)\b`)
	original = regexp.MustCompile(`\b(original|originally|same)\b`)
)

// givesReason reports whether a text names a reason for cancelling, of the two that count.
func givesReason(text, reason string) bool {
	switch reason {
	case notNeeded:
		return saysNotNeeded.MatchString(text)
	case byMistake:
		return slices.ContainsFunc(saysMistake.FindAllStringIndex(text, -1), func(at []int) bool { return !deniedBefore.MatchString(text[:at[0]]) })
	}
	return false
}

// theOther is the other one of the two reasons for cancelling.
func theOther(reason string) string {
	if reason == notNeeded {
		return byMistake
	}
	return notNeeded
}

// ReasonGiven reports whether the reason of a cancellation is one that counts and is the customer's own: they said it,
// or they said yes to a summary with it and gave no reason of another kind.
func (r *Request) ReasonGiven() bool {
	reason := r.Args.Text("reason")
	if !IsCancelReason(reason) {
		return false
	}
	said, other := false, false
	for _, u := range r.user {
		said = said || givesReason(u.Text, reason)
		other = other || otherReason.MatchString(u.Text) || givesReason(u.Text, theOther(reason))
	}
	return said || !other && r.Agreed()
}

// Reminded reports whether the agent, once it had seen the order, asked to make sure that the list is complete, and the
// customer has answered since.
func (r *Request) Reminded() bool {
	o := r.Order()
	if o == nil || len(r.user) == 0 {
		return false
	}
	answered := r.user[len(r.user)-1].Index
	return slices.ContainsFunc(r.agent, func(s guide.Said) bool {
		return s.Index > o.seen && s.Index < answered && reminder.MatchString(s.Text)
	})
}

var addressParts = []string{"address1", "address2", "city", "zip"}

// AddressGiven reports whether street, second line, city and zip code come from the customer, or from an address of
// theirs that a tool has shown.
func (r *Request) AddressGiven() bool {
	var said strings.Builder
	for _, u := range r.user {
		said.WriteString(u.Text + "\n")
	}
	heard := fold(said.String())
	var known []policy.Record
	if p := r.Profile(); p != nil {
		known = append(known, p.Address)
	}
	for _, o := range r.Orders {
		if r.Owns(o) {
			known = append(known, o.Address)
		}
	}
	return !slices.ContainsFunc(addressParts, func(part string) bool {
		v := r.Args.Text(part)
		if v == "" {
			return part != "address2"
		}
		return !heard.has(v) && !slices.ContainsFunc(known, func(a policy.Record) bool { return a.Text(part) == v })
	})
}

// methodChosen reports whether the customer named the method, or said yes to a text that did.
func (r *Request) methodChosen(id string) bool {
	for i, a := range r.agent {
		if answer := r.answerTo(i); answer.Affirms() && r.namesMethod(fold(a.Text), fold(answer.Text)) {
			return true
		}
	}
	return slices.ContainsFunc(r.user, func(s guide.Said) bool { return r.tells(fold(s.Text), id) })
}
