package llm

import (
	"encoding/json"
	"fmt"
	"sync"
)

func (e *encoder) toolList(tools []Tool) error {
	e.open('[')
	for _, t := range tools {
		if err := e.declared.write(t, &e.jsonWriter); err != nil {
			return fmt.Errorf("tool %q: parameters are not valid JSON: %w", t.Name, err)
		}
	}
	e.close(']')
	return nil
}

// toolTexts are the tools of requests as they were written: all requests of a role have the same ones, and their schemas
// are half of most requests. Safe for concurrent use; the zero value has none, and nil keeps none.
type toolTexts struct {
	mu   sync.RWMutex
	made map[toolKey][]byte
}

// toolKey is a [Tool] that can be compared.
type toolKey struct{ name, description, parameters string }

// write appends a tool.
func (c *toolTexts) write(t Tool, w *jsonWriter) error {
	if c == nil {
		return w.tool(t)
	}
	c.mu.RLock()
	text, ok := c.made[toolKey{t.Name, t.Description, string(t.Parameters)}] // nothing is copied
	c.mu.RUnlock()
	if ok {
		w.sep()
		w.buf = append(w.buf, text...)
		return nil
	}
	var own jsonWriter
	if err := own.tool(t); err != nil {
		return err
	}
	c.mu.Lock()
	if c.made == nil {
		c.made = map[toolKey][]byte{}
	}
	c.made[toolKey{t.Name, t.Description, string(t.Parameters)}] = own.buf
	c.mu.Unlock()
	return w.tool(t)
}

func (w *jsonWriter) tool(t Tool) error {
	w.open('{')
	w.str("type", "function")
	w.name("function")
	w.open('{')
	w.str("name", t.Name)
	if t.Description != "" {
		w.str("description", t.Description)
	}
	parameters := t.Parameters
	if len(parameters) == 0 || string(parameters) == "null" {
		parameters = json.RawMessage(`{"type":"object","properties":{}}`)
	}
	if err := w.raw("parameters", parameters); err != nil {
		return err
	}
	w.close('}')
	w.close('}')
	return nil
}
