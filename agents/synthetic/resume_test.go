package synthetic_test

import (
	"context"
	"errors"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/tauguide/tauguide/domains"
	"github.com/tauguide/tauguide/guide/author"
	"github.com/tauguide/tauguide/sim/llm"
	"github.com/tauguide/tauguide/sim/llm/answers"
)

// TestResumeAfterChanges stops an author after some calls, changes what it works from, and starts it again with the answers
// that were kept: it asks the questions that the change touches, and no question a second time.
func TestResumeAfterChanges(t *testing.T) {
	const before = 4 // calls until it is stopped: plan, its review, two files
	worded := func(stage string) func(llm.Request) llm.Request {
		return func(req llm.Request) llm.Request {
			if text := req.Messages[1].Text(); strings.HasPrefix(text, "<stage>"+stage+"</stage>") {
				text += "\nTake care."
				req.Messages = slices.Clone(req.Messages)
				req.Messages[1].Content = &text
			}
			return req
		}
	}
	for _, c := range []struct {
		name   string
		source func(*author.Source)
		prompt func(llm.Request) llm.Request
		kept   int // answers that are of use again
	}{
		{"nothing", nil, nil, before},
		{"the policy", func(s *author.Source) {
			s.Documents = []domains.Document{{Name: s.Documents[0].Name, Text: s.Documents[0].Text + "\n"}, {Name: "more.md", Text: "# More\n"}}
		}, nil, 0},
		{"the tools", func(s *author.Source) { s.Tools = strings.Replace(s.Tools, "Create", "Make", 1) + "\n" }, nil, 0},
		{"the prompt of plans", nil, worded("plan"), before - 1},
		{"the prompt of reviews of plans", nil, worded("plan review"), before - 1},
		{"the prompt of files", nil, worded("subflow"), 2},
		{"the prompt of the main file", nil, worded("main"), before},
	} {
		t.Run(c.name, func(t *testing.T) {
			d := newDesk(t, "mock")
			out := filepath.Join(t.TempDir(), "flow")
			asked := map[string]int{}
			calls, limit := 0, before
			model := llm.Func(func(ctx context.Context, req llm.Request) (llm.Response, error) {
				if calls == limit {
					return llm.Response{}, errors.New("stopped")
				}
				calls++
				asked[req.Messages[0].Text()+req.Messages[1].Text()]++
				return d.client.Complete(ctx, req)
			})
			start := func(prompt func(llm.Request) llm.Request) (*author.Draft, error) {
				kept, err := answers.Open(out, "writer", func(text string) { t.Error(text) })
				if err != nil {
					t.Fatal(err)
				}
				defer kept.Close()
				client := kept.Client(model)
				draft, _, err := d.write(llm.Func(func(ctx context.Context, req llm.Request) (llm.Response, error) {
					if prompt != nil {
						req = prompt(req)
					}
					return client.Complete(ctx, req)
				}), nil)
				return draft, err
			}
			if _, err := start(nil); err == nil {
				t.Fatal("it was not stopped")
			}
			if c.source != nil {
				c.source(&d.src)
			}
			calls, limit = 0, -1
			draft, err := start(c.prompt)
			if err != nil {
				t.Fatal(err)
			}
			if got := len(draft.Calls) - calls; got != c.kept {
				t.Errorf("%d answers were of use again, want %d", got, c.kept)
			}
			for question, n := range asked {
				if n > 1 {
					t.Errorf("asked %d times: %.200s", n, question)
				}
			}
			if diff := d.differs(draft); diff != "" {
				t.Error(diff)
			}
		})
	}
}
