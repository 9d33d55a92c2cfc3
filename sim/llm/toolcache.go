package llm

import (
	"bytes"
	"slices"
	"sync/atomic"
)

// manyLists is how many lists of tools a cache keeps: a model is asked by few
// roles, each with the same list again and again.
const manyLists = 16

// toolCache keeps how lists of tools read in a request. It compares what a list
// holds and relies on no list staying as it is. A nil cache keeps nothing. Safe
// for concurrent use.
type toolCache struct{ lists atomic.Pointer[[]toolText] }

// toolText is a list and its JSON.
type toolText struct {
	tools []Tool
	text  []byte
}

// find returns the JSON of a list, nil if it is not known.
func (c *toolCache) find(tools []Tool) []byte {
	if c == nil {
		return nil
	}
	lists := c.lists.Load()
	if lists == nil {
		return nil
	}
	for _, l := range *lists {
		if slices.EqualFunc(l.tools, tools, sameTool) {
			return l.text
		}
	}
	return nil
}

func sameTool(a, b Tool) bool {
	return a.Name == b.Name && a.Description == b.Description && bytes.Equal(a.Parameters, b.Parameters)
}

// add makes a list known, in place of the oldest where there are many. Of two
// that are added at once one may get lost, which only costs time.
func (c *toolCache) add(tools []Tool, text []byte) {
	if c == nil {
		return
	}
	entry := toolText{tools: slices.Clone(tools), text: bytes.Clone(text)}
	for i := range entry.tools {
		entry.tools[i].Parameters = bytes.Clone(entry.tools[i].Parameters)
	}
	var kept []toolText
	if lists := c.lists.Load(); lists != nil {
		kept = *lists
		kept = kept[max(0, len(kept)-manyLists+1):]
	}
	lists := append(slices.Clone(kept), entry)
	c.lists.Store(&lists)
}
