package store

import (
	"maps"
	"sync"
	"testing"
)

// TestSyncsSeeWhatWasWrittenBefore: whoever has returned from a shared sync finds in it what it wrote before the call.
func TestSyncsSeeWhatWasWrittenBefore(t *testing.T) {
	type write struct{ writer, n int }
	var s syncs
	var mu sync.Mutex
	written, lasting := map[write]bool{}, map[write]bool{}
	var g sync.WaitGroup
	for writer := range 8 {
		g.Go(func() {
			for n := range 50 {
				mu.Lock()
				written[write{writer, n}] = true
				mu.Unlock()
				_ = s.do(func() error {
					mu.Lock()
					defer mu.Unlock()
					lasting = maps.Clone(written)
					return nil
				})
				mu.Lock()
				if !lasting[write{writer, n}] {
					t.Errorf("write %d of %d is not lasting", n, writer)
				}
				mu.Unlock()
			}
		})
	}
	g.Wait()
}
