package telecom_test

import (
	"testing"

	"github.com/tauguide/tauguide/domains"
	"github.com/tauguide/tauguide/domains/telecom"
	"github.com/tauguide/tauguide/domains/value"
)

const (
	agent = domains.AgentSide
	user  = domains.UserSide
)

// small opens the small company of testdata.
func small(t *testing.T, o domains.Options) *domains.World {
	t.Helper()
	data, err := domains.Folder("testdata")
	if err != nil {
		t.Fatal(err)
	}
	w, err := telecom.Domain().Open(data, o)
	if err != nil {
		t.Fatal(err)
	}
	return w
}

// trial is an environment with shorthands.
type trial struct {
	*testing.T
	env *domains.Env
}

// start opens an environment: of the task plain, or linked, in which the user has line L1.
func start(t *testing.T, task string) trial {
	t.Helper()
	w := small(t, domains.Options{})
	spec, ok := w.Task(task)
	if !ok {
		t.Fatalf("no task %s", task)
	}
	e, err := w.New(spec)
	if err != nil {
		t.Fatal(err)
	}
	return trial{t, e}
}

func object(t *testing.T, text string) value.Value {
	t.Helper()
	v, err := value.ParseString(text)
	if err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	return v
}

func (t trial) call(side domains.Side, name, args string) domains.ToolResult {
	t.Helper()
	return t.env.Call(side, domains.ToolCall{ID: "c", Name: name, Arguments: object(t.T, args), Requestor: side})
}

// says checks the result of a call.
func (t trial) says(side domains.Side, name, args, want string) {
	t.Helper()
	if got := t.call(side, name, args); got.Content != want {
		t.Errorf("%s %s says\n%s\nwant\n%s", name, args, got.Content, want)
	}
}

// does calls any function; the result is its literal form.
func (t trial) does(side domains.Side, name, args string) (string, error) {
	t.Helper()
	v, err := t.env.Invoke(domains.EnvCall{Side: side, Func: name, Arguments: object(t.T, args)})
	return v.Repr(), err
}

// must is does for a function that has to succeed, in or out of step with what the other side holds.
func (t trial) must(side domains.Side, name, args string) string {
	t.Helper()
	got, err := t.does(side, name, args)
	if err != nil {
		t.Fatalf("%s %s: %v", name, args, err)
	}
	return got
}

func (t trial) handset() *telecom.Handset {
	t.Helper()
	_, db := t.env.Databases()
	return db.(*telecom.UserDB).Root
}

func (t trial) accounts() *telecom.Accounts {
	t.Helper()
	db, _ := t.env.Databases()
	return db.(*telecom.AgentDB).Root
}

func ptr[T any](v T) *T { return &v }
