package checks

import (
	"maps"
	"regexp"
	"slices"
	"strings"
)

// report is what a text of the customer reports of the phone, in the order of its clauses.
type report struct {
	sights     []sighting
	access     []permissionNote
	quotesBar  bool // it quotes the status bar
	paid, boot bool // a bill was paid; the phone was restarted
}

// sighting is a state of a part of the phone.
type sighting struct {
	aspect *aspect
	state  string
}

// What a clause must hold to be about a payment, or about a restart.
var (
	paidHints   = []string{"paid", "payment", "made", "completed", "approved", "accepted"}
	rebootHints = []string{"restart", "reboot"}
)

func (s *speech) readReport() *report {
	clauses := reporting(s.split())
	r := &report{quotesBar: barMark.MatchString(strings.Join(clauses, " "))}
	bar := ""
	for _, c := range clauses {
		lower := strings.ToLower(c)
		bar = r.look(c, lower, bar)
		if note, ok := permissionsIn(c, lower); ok {
			r.access = append(r.access, note)
		}
		r.paid = r.paid || containsAny(lower, paidHints) && paidPattern.MatchString(c)
		r.boot = r.boot || containsAny(lower, rebootHints) && rebootPattern.MatchString(c)
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
		r.sights = append(r.sights, sighting{a, state})
	}
	if strings.Contains(clause, "📵 Data Disabled") && bar == "ok" {
		i := slices.IndexFunc(aspects, func(a aspect) bool { return a.name == "data" })
		r.sights = append(r.sights, sighting{&aspects[i], "off"})
	}
	return bar
}

// stateIn is the state that a clause gives an aspect, "" if it gives none. Of several wordings the last one counts.
func (a *aspect) stateIn(clause, lower string) string {
	if !containsAny(lower, a.hints) {
		return ""
	}
	for _, w := range slices.Backward(a.words) {
		if w.pattern.MatchString(clause) {
			return w.state
		}
	}
	return ""
}

// phoneFacts is the latest report of each aspect, and of the messaging app's permissions.
func (c *conversation) phoneFacts() map[string]any {
	seen := map[string]*sight{"permissions": unseen()}
	for _, a := range aspects {
		seen[a.name] = unseen()
	}
	granted := map[string]bool{}
	for _, u := range c.user {
		r := u.says.report()
		if u.Turn == 1 && !r.quotesBar {
			continue
		}
		for _, x := range r.sights {
			seen[x.aspect.name].set(x.state, x.aspect.fault[x.state], u.Index)
		}
		for _, note := range r.access {
			note.apply(granted)
			bad := !granted["sms"] || !granted["storage"]
			seen["permissions"].set(map[bool]string{true: "missing", false: "granted"}[bad], bad, u.Index)
		}
	}
	out := map[string]any{}
	for name, s := range seen {
		out[name] = map[string]any{"state": s.state, "at": s.at, "bad_at": s.badAt, "fixed_at": s.fixedAt}
	}
	return out
}

func unseen() *sight { return &sight{at: -1, badAt: -1, fixedAt: -1} }

func (s *sight) set(state string, bad bool, index int) {
	s.state, s.at = state, index
	switch {
	case bad:
		s.badAt, s.fixedAt = index, -1
	case s.badAt >= 0 && s.fixedAt < 0:
		s.fixedAt = index
	}
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
