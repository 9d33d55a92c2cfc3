package guide_test

import (
	"fmt"
	"testing"

	"github.com/tauguide/tauguide/domains"
	"github.com/tauguide/tauguide/domains/domaintest"
	"github.com/tauguide/tauguide/domains/mock"
	"github.com/tauguide/tauguide/domains/value"
	"github.com/tauguide/tauguide/guide"
	"github.com/tauguide/tauguide/guide/checks"
)

func mockWorld(t testing.TB) *domains.World {
	t.Helper()
	return domaintest.Embedded(t, mock.Domain(), domains.Options{})
}

func mockVocabulary(t testing.TB) guide.Vocabulary {
	t.Helper()
	return checks.For(mockWorld(t))
}

func mockGraph(t testing.TB) *guide.Graph {
	t.Helper()
	b, err := guide.LoadShipped("mock")
	if err != nil {
		t.Fatal(err)
	}
	g, err := guide.Compose(b)
	if err != nil {
		t.Fatal(err)
	}
	return g
}

func mockChecker(t testing.TB) *guide.Checker {
	t.Helper()
	c, err := guide.NewChecker(mockGraph(t), guide.InventoryOf(mockWorld(t)), mockVocabulary(t))
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// talk builds a conversation by hand; calls run in a real environment.
type talk struct {
	t    testing.TB
	env  *domains.Env
	msgs []domains.Message
	n    int
}

func newTalk(t testing.TB) *talk {
	t.Helper()
	w := mockWorld(t)
	env, err := w.New(&w.Tasks[0])
	if err != nil {
		t.Fatal(err)
	}
	return (&talk{t: t, env: env}).agent(domains.Greeting)
}

func (k *talk) user(s string) *talk {
	k.msgs = append(k.msgs, domains.Message{Role: domains.RoleUser, Content: &s})
	return k
}

func (k *talk) agent(s string) *talk {
	k.msgs = append(k.msgs, domains.Message{Role: domains.RoleAssistant, Content: &s})
	return k
}

func (k *talk) call(name, args string) *talk {
	k.t.Helper()
	c := toolCall(k.t, name, args)
	k.n++
	c.ID = fmt.Sprintf("c%d", k.n)
	k.msgs = append(k.msgs, domains.Message{Role: domains.RoleAssistant, ToolCalls: []domains.ToolCall{c}},
		domains.ResultMessage(c, k.env.Call(domains.AgentSide, c)))
	return k
}

func toolCall(t testing.TB, name, args string) domains.ToolCall {
	t.Helper()
	v, err := value.ParseString(args)
	if err != nil {
		t.Fatal(err)
	}
	return domains.ToolCall{Name: name, Arguments: v, Requestor: domains.AgentSide}
}
