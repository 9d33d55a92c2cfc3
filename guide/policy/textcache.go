package policy

import (
	"strings"
	"sync"
)

// maxTexts is how many texts a cache holds before it starts afresh: a few hundred conversations.
const maxTexts = 4096

// TextCache keeps what was read from a text. That depends on the text alone, and the same texts come back at every
// length of a conversation, and in every conversation that repeats what a tool said. It is safe for concurrent use.
type TextCache[V any] struct {
	read func(text string) V

	mu    sync.Mutex
	known map[string]V
}

// NewTextCache makes a cache for what read reads.
func NewTextCache[V any](read func(string) V) *TextCache[V] {
	return &TextCache[V]{read: read, known: map[string]V{}}
}

// Of returns what the text says, which must not be changed.
func (c *TextCache[V]) Of(text string) V {
	c.mu.Lock()
	v, ok := c.known[text]
	c.mu.Unlock()
	if ok {
		return v
	}
	text = strings.Clone(text) // it may be a part of a whole conversation
	v = c.read(text)
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.known) >= maxTexts {
		clear(c.known)
	}
	c.known[text] = v
	return v
}
