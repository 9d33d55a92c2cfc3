package agents

import "sync"

// Cache keeps what the trials of a run share, so that it is made once. A nil Cache keeps nothing. It is safe for
// concurrent use.
type Cache struct{ made sync.Map }

// Cached returns the value cached for a comparable key, and makes it at the first asking. Failures are kept too.
func Cached[T any](c *Cache, key any, produce func() (T, error)) (T, error) {
	if c == nil {
		return produce()
	}
	once, _ := c.made.LoadOrStore(key, sync.OnceValues(produce))
	return once.(func() (T, error))()
}
