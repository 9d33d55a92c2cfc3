package checks

import (
	"slices"
	"strings"
	"sync"

	"github.com/tauguide/tauguide/guide"
)

// conversation is a trace with what its texts say.
type conversation struct {
	*guide.Trace
	user, agent []utterance
}

// utterance is a text with what it says.
type utterance struct {
	guide.Said
	says *speech
}

// affirms is Said.Affirms. Without a tag the answer depends on the text only.
func (u utterance) affirms() bool {
	if u.Act != "" {
		return u.Affirms()
	}
	return u.says.affirms()
}

type speeches struct{ *memo[*speech] }

func newSpeeches() speeches { return speeches{newMemo(newSpeech)} }

// hear reads a trace, once for each of its lengths.
func (k speeches) hear(t *guide.Trace) *conversation {
	return derived(t, k.memo, func() *conversation {
		utter := func(list []guide.Said) []utterance {
			out := make([]utterance, len(list))
			for i, s := range list {
				out[i] = utterance{s, k.of(s.Text)}
			}
			return out
		}
		return &conversation{Trace: t, user: utter(t.User), agent: utter(t.Agent)}
	})
}

// speech is what a text says by itself, whoever said it and when. Each part is read when it is first asked for.
type speech struct {
	text, lower string
	affirms     func() bool
	numbers     func() []spokenNumber
	tokens      func() []string
	data, money func() []float64 // GB; dollars
	place       func() string    // of the customer: yes (away), no (at home), ""
	asksPlace   func() bool
	denies      func() bool
	split       func() []string
	picks       func() []pick
	report      func() *report
}

// spokenNumber is what looks like the number of a phone: its digits without a leading 1, and where it stands.
type spokenNumber struct {
	digits string
	at     int
}

func newSpeech(text string) *speech {
	s := &speech{text: strings.Clone(text)}
	s.lower = strings.ToLower(s.text)
	s.affirms = sync.OnceValue(func() bool { return guide.Said{Text: s.text}.Affirms() })
	s.numbers = sync.OnceValue(func() []spokenNumber { return numbersIn(s.text) })
	s.tokens = sync.OnceValue(func() []string { return tokenPattern.FindAllString(s.lower, -1) })
	s.data = sync.OnceValue(s.readData)
	s.money = sync.OnceValue(s.readMoney)
	s.place = sync.OnceValue(s.readPlace)
	s.asksPlace = sync.OnceValue(func() bool {
		return strings.Contains(s.text, "?") && containsAny(s.lower, askedHints) && askedAway.MatchString(s.text)
	})
	s.denies = sync.OnceValue(func() bool { return strings.Contains(s.lower, "no") && saysNo.MatchString(s.text) })
	s.split = sync.OnceValue(func() []string { return split(s.text) })
	s.picks = sync.OnceValue(s.readPicks)
	s.report = sync.OnceValue(s.readReport)
	return s
}

// numberAt is where the text names a phone number, -1 if it does not.
func (s *speech) numberAt(phone string) int {
	want := strings.TrimPrefix(digitsOf(phone), "1")
	if !strings.Contains(s.text, want[max(0, len(want)-2):]) {
		return -1
	}
	if i := slices.IndexFunc(s.numbers(), func(n spokenNumber) bool { return n.digits == want }); i >= 0 {
		return s.numbers()[i].at
	}
	return -1
}
