package llm

import (
	"container/list"
	"context"
	"sync"
	"time"
)

// Live counts the calls that are under way, for a status line. The zero value is
// ready; it is safe for concurrent use.
type Live struct {
	mu       sync.Mutex
	calls    list.List // of time.Time, in order of their beginning
	retrying int
}

// LiveState is a snapshot.
type LiveState struct {
	Calls    int       // begun and not yet ended, queueing and waits included
	Retrying int       // of these, waiting to be sent once more
	Oldest   time.Time // when the oldest of them began, zero without one
}

// State returns a snapshot. Of a nil Live it is zero.
func (l *Live) State() LiveState {
	if l == nil {
		return LiveState{}
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	s := LiveState{Calls: l.calls.Len(), Retrying: l.retrying}
	if e := l.calls.Front(); e != nil {
		s.Oldest = e.Value.(time.Time)
	}
	return s
}

// Wrap is the counter as a [Middleware]; it belongs outside of [Retry].
func (l *Live) Wrap(next Client) Client {
	return Func(func(ctx context.Context, req Request) (Response, error) {
		l.mu.Lock()
		e := l.calls.PushBack(time.Now())
		l.mu.Unlock()
		defer func() {
			l.mu.Lock()
			defer l.mu.Unlock()
			l.calls.Remove(e)
		}()
		return next.Complete(ctx, req)
	})
}

// retry counts a call in or out of those that wait. Of a nil Live it does
// nothing.
func (l *Live) retry(n int) {
	if l == nil {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.retrying += n
}
