package llm

import (
	"fmt"
	"slices"
)

// CheckExtra says why the field key of r.Extra cannot be sent, or nil. It knows of clashes with the fields that r has
// itself; what depends on the model or on tools shows only when the request is made.
func (r Request) CheckExtra(key string) error {
	e := &encoder{}
	return e.extraFault(key, r)
}

func (e *encoder) extraFault(key string, req Request) error {
	switch {
	case slices.Contains(reserved, key):
		return fmt.Errorf("extra field %q: set by the request itself, remove it", key)
	case e.written(key, req):
		return fmt.Errorf("extra field %q: also set by the request, remove one", key)
	}
	return nil
}
