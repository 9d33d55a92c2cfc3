package checks

import (
	"strings"
	"sync"

	"github.com/tauguide/tauguide/guide"
)

// memoTexts is how many texts a memo holds before it starts afresh: a few hundred conversations.
const memoTexts = 4096

// memo keeps what was read from a text. That depends on the text alone, and the same texts come back at every length of
// a conversation, and in every conversation that repeats what a tool said. It is safe for concurrent use.
type memo[V any] struct {
	read func(text string) V

	mu    sync.Mutex
	known map[string]V
}

func newMemo[V any](read func(string) V) *memo[V] {
	return &memo[V]{read: read, known: map[string]V{}}
}

// of returns what the text says. Who gets it must not change it.
func (m *memo[V]) of(text string) V {
	m.mu.Lock()
	v, ok := m.known[text]
	m.mu.Unlock()
	if ok {
		return v
	}
	v = m.read(text)
	m.mu.Lock()
	defer m.mu.Unlock()
	if len(m.known) >= memoTexts {
		clear(m.known)
	}
	m.known[strings.Clone(text)] = v
	return v
}

// derived is Trace.Derived with a type.
func derived[V any](t *guide.Trace, key any, work func() V) V {
	return t.Derived(key, func() any { return work() }).(V)
}

// containsAny reports whether a text holds one of the words. It spares most texts a regular expression.
func containsAny(text string, words []string) bool {
	for _, w := range words {
		if strings.Contains(text, w) {
			return true
		}
	}
	return false
}
