package main

import (
	"bytes"
	"encoding/json"
)

// table is a JSON object whose members keep the order in which they were put.
type table[T any] struct {
	keys []string
	rows map[string]T
}

func (t *table[T]) put(key string, row T) {
	if t.rows == nil {
		t.rows = map[string]T{}
	}
	if _, ok := t.rows[key]; !ok {
		t.keys = append(t.keys, key)
	}
	t.rows[key] = row
}

// MarshalJSON implements json.Marshaler.
func (t table[T]) MarshalJSON() ([]byte, error) {
	var b bytes.Buffer
	b.WriteByte('{')
	for i, key := range t.keys {
		if i > 0 {
			b.WriteByte(',')
		}
		name, err := encode(key)
		if err != nil {
			return nil, err
		}
		row, err := encode(t.rows[key])
		if err != nil {
			return nil, err
		}
		b.Write(name)
		b.WriteByte(':')
		b.Write(row)
	}
	b.WriteByte('}')
	return b.Bytes(), nil
}

// encode is json.Marshal without the escapes meant for HTML.
func encode(v any) ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		return nil, err
	}
	return bytes.TrimRight(b.Bytes(), "\n"), nil
}

// The two sides of a conversation, as tasks name them.
const (
	agentSide = "assistant"
	userSide  = "user"
)

// call is a call of a tool or of a set-up function, its arguments in the
// order of the parameters.
type call struct {
	side string
	name string
	args table[any]
}

// agent builds a call of the carrier's side from a name and alternating
// parameter names and values.
func agent(name string, pairs ...any) call { return newCall(agentSide, name, pairs) }

// phoneCall builds a call on the customer's phone.
func phoneCall(name string, pairs ...any) call { return newCall(userSide, name, pairs) }

func newCall(side, name string, pairs []any) call {
	c := call{side: side, name: name}
	for i := 0; i+1 < len(pairs); i += 2 {
		c.args.put(pairs[i].(string), pairs[i+1])
	}
	return c
}

func (c call) text(parameter string) string {
	s, _ := c.args.rows[parameter].(string)
	return s
}

func (c call) number(parameter string) float64 {
	n, _ := c.args.rows[parameter].(float64)
	return n
}

func (c call) truth(parameter string) bool {
	b, _ := c.args.rows[parameter].(bool)
	return b
}

func (c call) same(other call) bool {
	a, errA := encode(c.args)
	b, errB := encode(other.args)
	return errA == nil && errB == nil && c.side == other.side && c.name == other.name && bytes.Equal(a, b)
}
