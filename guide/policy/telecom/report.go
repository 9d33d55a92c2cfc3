package telecom

import (
	"maps"
	"regexp"
	"slices"
	"strings"
)

// report is what a text of the customer reports of the phone, in the order of its clauses.
type report struct {
	observed   []observation
	access     []permissionNote
	quotesBar  bool // it quotes the status bar
	paid, boot bool // a bill was paid; the phone was restarted
}

// observation is a state of a part of the phone.
type observation struct {
	aspect *aspect
	state  string
}

func readReport(text string) *report {
	clauses := reporting(split(text))
	r := &report{quotesBar: barMark.MatchString(strings.Join(clauses, " "))}
	bar := ""
	for _, c := range clauses {
		lower := strings.ToLower(c)
		bar = r.look(c, lower, bar)
		if note, ok := permissionsIn(c, lower); ok {
			r.access = append(r.access, note)
		}
		r.paid = r.paid || saysPaid.MatchString(c)
		r.boot = r.boot || saysRestarted.MatchString(c)
	}
	return r
}

// look files what a clause says, and returns what the status bar has said of the signal so far in this text. The bar
// says that data are disabled also where there is no signal at all, which is not about the switch.
func (r *report) look(clause, lower, bar string) string {
	for i := range aspects {
		a := &aspects[i]
		state := a.stateIn(clause, lower)
		if state == "" {
			continue
		}
		if a.name == "service" {
			bar = state
		}
		r.observed = append(r.observed, observation{a, state})
	}
	if strings.Contains(clause, "📵 Data Disabled") && bar == "ok" {
		i := slices.IndexFunc(aspects, func(a aspect) bool { return a.name == "data" })
		r.observed = append(r.observed, observation{&aspects[i], "off"})
	}
	return bar
}

// stateIn is the state that a clause gives an aspect, "" if it gives none. Of several wordings the last one counts.
func (a *aspect) stateIn(clause, lower string) string {
	if !slices.ContainsFunc(a.hints, func(h string) bool { return strings.Contains(lower, h) }) {
		return ""
	}
	for _, w := range slices.Backward(a.words) {
		if w.pattern.MatchString(clause) {
			return w.state
		}
	}
	return ""
}

// PhoneState is what a part of the phone was reported to be.
type PhoneState struct {
	State   string // "" until it was reported
	At      int    // index of the latest report, -1 if there is none
	BadAt   int    // index of the latest report of a fault
	FixedAt int    // index of the first good report after a fault, -1 while there is none
}

func (s *PhoneState) set(state string, bad bool, index int) {
	s.State, s.At = state, index
	switch {
	case bad:
		s.BadAt, s.FixedAt = index, -1
	case s.BadAt >= 0 && s.FixedAt < 0:
		s.FixedAt = index
	}
}

// Phone is the latest report of each aspect, and of the messaging app's permissions.
func (k *Known) Phone() map[string]*PhoneState {
	out := map[string]*PhoneState{"permissions": {At: -1, BadAt: -1, FixedAt: -1}}
	for _, a := range aspects {
		out[a.name] = &PhoneState{At: -1, BadAt: -1, FixedAt: -1}
	}
	granted := map[string]bool{}
	for _, u := range k.trace.User {
		r := k.texts.reports.Of(u.Text)
		if u.Turn == 1 && !r.quotesBar {
			continue
		}
		for _, x := range r.observed {
			out[x.aspect.name].set(x.state, slices.Contains(x.aspect.fault, x.state), u.Index)
		}
		for _, note := range r.access {
			note.apply(granted)
			if granted["sms"] && granted["storage"] {
				out["permissions"].set("granted", false, u.Index)
			} else {
				out["permissions"].set("missing", true, u.Index)
			}
		}
	}
	return out
}

// PaidAt is the index of the customer's latest report of a payment, -1 if there is none.
func (k *Known) PaidAt() int { return k.reportedAt(func(r *report) bool { return r.paid }) }

// RestartedAt is the index of the customer's latest report of a restart, -1 if there is none.
func (k *Known) RestartedAt() int { return k.reportedAt(func(r *report) bool { return r.boot }) }

func (k *Known) reportedAt(what func(*report) bool) int {
	for _, u := range slices.Backward(k.trace.User) {
		if what(k.texts.reports.Of(u.Text)) {
			return u.Index
		}
	}
	return -1
}

var (
	permissionList  = regexp.MustCompile(`(?i)permissions?\b.{0,40}\b(for|granted|include|access|sms|storage|phone)|has (permission|access)|no permissions`)
	permissionGiven = regexp.MustCompile(`(?i)\b(granted|allowed|enabled|gave|given|added)\b`)
	permissionLacks = regexp.MustCompile(`(?i)missing|lack|only|don['’]t see|doesn['’]t|does not|\bno\b|not (granted|listed)|isn['’]t|but not|without`)
)

// permissionNote is what a clause says of the two permissions that picture messages need: a list of what the app has,
// one that was granted, or one that is missing.
type permissionNote struct {
	kind  permissionKind
	named map[string]bool // sms, storage
}

type permissionKind int

const (
	permissionsListed permissionKind = iota
	permissionsGranted
	permissionsMissing
)

func permissionsIn(clause, lower string) (permissionNote, bool) {
	if !strings.Contains(lower, "permission") && !strings.Contains(lower, "access") {
		return permissionNote{}, false
	}
	named := map[string]bool{}
	for _, p := range []string{"sms", "storage"} {
		named[p] = strings.Contains(lower, p)
	}
	lacks, some := permissionLacks.MatchString(clause), named["sms"] || named["storage"]
	switch {
	case !lacks && permissionGiven.MatchString(clause) && (some || strings.Contains(lower, "both") || strings.Contains(lower, "permissions")):
		return permissionNote{permissionsGranted, named}, true
	case lacks && !strings.Contains(lower, "only") && some:
		return permissionNote{permissionsMissing, named}, true
	case permissionList.MatchString(clause):
		return permissionNote{permissionsListed, named}, true
	}
	return permissionNote{}, false
}

func (n permissionNote) apply(granted map[string]bool) {
	both := !n.named["sms"] && !n.named["storage"]
	switch n.kind {
	case permissionsGranted:
		for p, is := range n.named {
			granted[p] = granted[p] || is || both
		}
	case permissionsMissing:
		for p, is := range n.named {
			granted[p] = granted[p] && !is
		}
	case permissionsListed:
		maps.Copy(granted, n.named)
	}
}
