package check

import (
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/tauguide/tauguide/domains"
)

// LintKind names what is suspicious.
type LintKind string

// The kinds. All but the last two make a figure mean something else than it says; what a policy or a scenario names is a
// matter of the conversation.
const (
	LintTool     LintKind = "unknown_tool"     // a gold action calls what its side does not have
	LintArgument LintKind = "unknown_argument" // or gives it arguments that it does not take, or too few
	LintNeedle   LintKind = "needle"           // a text to be told that no message can hold, or that every one does
	LintField    LintKind = "unknown_field"    // a field of criteria or initial state that nothing reads
	LintAutoPass LintKind = "auto_pass"        // a counted component that has nothing to look at
	LintIdle     LintKind = "idle_pass"        // doing nothing gets the full reward
	LintPolicy   LintKind = "policy_tool"      // the policy names a tool that its reader lacks
	LintUserTool LintKind = "user_tool"        // a task gives the user a tool that does not exist
	LintRecord   LintKind = "record"           // a record breaks a rule of the data's invariants.yaml
	LintTempt    LintKind = "temptation"       // a tempting call that cannot be made, changes nothing or is not noticed
	LintFigure   LintKind = "figure"           // a number to be told that proves nothing when it is
	LintNeedless LintKind = "needless_action"  // a change of the gold plan without which the task is as well done
)

// Lint is one suspicious place in the data.
type Lint struct {
	Kind  LintKind `json:"kind"`
	Task  string   `json:"task,omitempty"` // empty where it is about the domain
	Field string   `json:"field"`
	Why   string   `json:"why"`
}

// lints looks at everything that can be judged without running it.
func lints(w *domains.World) []Lint {
	out := policyLints(w)
	for i := range w.Tasks {
		l := linter{world: w, task: &w.Tasks[i]}
		l.look()
		out = append(out, l.found...)
	}
	return out
}

// linter looks at one task.
type linter struct {
	world *domains.World
	task  *domains.Task
	found []Lint
}

func (l *linter) add(kind LintKind, field, why string, args ...any) {
	l.found = append(l.found, Lint{Kind: kind, Task: l.task.ID, Field: field, Why: fmt.Sprintf(why, args...)})
}

func (l *linter) look() {
	l.userTools()
	l.found = append(l.found, UnknownFields(l.task)...)
	c := l.task.Criteria
	if c == nil {
		l.add(LintIdle, "evaluation_criteria", "there are none, so every conversation gets the reward 1")
		return
	}
	for i, a := range c.Actions {
		l.action(fmt.Sprintf("evaluation_criteria.actions[%d]", i), a)
	}
	for i, needle := range c.CommunicateInfo {
		l.needle(fmt.Sprintf("evaluation_criteria.communicate_info[%d]", i), needle)
	}
	l.autoPass(c)
	l.idle(c)
	for i := range l.task.Temptation {
		l.temptation(i)
	}
	if len(l.task.Temptation) > 0 { // our own tasks are checked for more than those of others
		l.needless(c)
		l.figures(c)
	}
}

func (l *linter) counted(t domains.RewardType) bool {
	return slices.Contains(l.task.Criteria.RewardBasis, t)
}

// userTools looks at the task's choice of the user's tools: one wrong name, and the reference leaves the user none.
func (l *linter) userTools() {
	if l.task.UserTools == nil {
		return
	}
	for i, name := range *l.task.UserTools {
		if _, ok := l.world.User.Tool(name); !ok {
			l.add(LintUserTool, fmt.Sprintf("user_tools[%d]", i), "the user has no tool %q; with it in the list the user gets no tools at all", name)
		}
	}
}

// action looks at one call of the gold plan.
func (l *linter) action(field string, a domains.Action) {
	own, other, whose := l.world.Agent, l.world.User, "user"
	if a.Requestor == domains.UserSide {
		own, other, whose = l.world.User, l.world.Agent, "agent"
	}
	tool, ok := own.Tool(a.Name)
	if !ok {
		hint := "nobody has it"
		if _, theirs := other.Tool(a.Name); theirs {
			hint = "it is the " + whose + "'s"
		}
		l.add(LintTool, field+".name", "%s has no tool %q (%s), so the gold plan does without this call", a.Requestor, a.Name, hint)
		return
	}
	params := parameters(tool)
	args, _ := a.Arguments.Map()
	for name := range args.All() {
		if params.Properties != nil && params.Properties[name] == nil {
			l.add(LintArgument, field+".arguments."+name, "%s takes no such argument, so the call errs", a.Name)
		}
	}
	for _, name := range params.Required {
		if _, given := args.Get(name); !given {
			l.add(LintArgument, field+".arguments", "%s needs the argument %s, so the call errs", a.Name, name)
		}
	}
	if a.CompareArgs == nil {
		return
	}
	for _, name := range *a.CompareArgs {
		if _, given := args.Get(name); !given {
			l.add(LintArgument, field+".compare_args", "%s is compared, and the action has no such argument: only calls without it can match", name)
		}
	}
}

// schema is what is needed of a tool's JSON Schema.
type schema struct {
	Properties map[string]json.RawMessage `json:"properties"`
	Required   []string                   `json:"required"`
}

func parameters(t *domains.Tool) schema {
	var s schema
	if json.Unmarshal(t.Spec.Parameters, &s) != nil {
		return schema{} // a schema that cannot be read tells nothing about arguments
	}
	return s
}

// needle looks at a text that the agent must tell: it is searched for in messages without their commas
// (docs/reference/tau2.md#communicate).
func (l *linter) needle(field, needle string) {
	effect := "COMMUNICATE is not counted, so no reward depends on it"
	if l.counted(domains.RewardCommunicate) {
		effect = "no conversation can get a reward"
	}
	switch {
	case strings.Contains(needle, ","):
		l.add(LintNeedle, field, "%q can never match: commas are taken out of the agent's messages before it is searched for; %s", needle, effect)
	case needle == "":
		l.add(LintNeedle, field, "an empty text is in every message: it is always met")
	case strings.TrimSpace(needle) == "":
		l.add(LintNeedle, field, "white space is in nearly every message: it is met without being told")
	}
}

// autoPass looks for counted components that have nothing to look at.
func (l *linter) autoPass(c *domains.Criteria) {
	empty := func(t domains.RewardType, field string, n int) {
		if n == 0 && l.counted(t) {
			l.add(LintAutoPass, "evaluation_criteria."+field, "%s is counted, and there is nothing to look at: it always passes", t)
		}
	}
	empty(domains.RewardAction, "actions", len(c.Actions))
	empty(domains.RewardEnv, "env_assertions", len(c.EnvAssertions))
	empty(domains.RewardCommunicate, "communicate_info", len(c.CommunicateInfo))
	empty(domains.RewardNL, "nl_assertions", len(c.NLAssertions))
	if l.counted(domains.RewardDB) && c.Actions == nil && c.EnvAssertions == nil {
		l.add(LintAutoPass, "evaluation_criteria.actions", "DB is counted, and actions are null: it always passes; an empty list would want the database unchanged")
	}
	if len(c.RewardBasis) == 0 {
		l.add(LintAutoPass, "evaluation_criteria.reward_basis", "no component is counted: the reward is always 1")
	}
}

// idle looks whether a conversation without any call and any fact told gets the full reward.
func (l *linter) idle(c *domains.Criteria) {
	if len(c.Actions) > 0 && l.counted(domains.RewardAction) || len(c.CommunicateInfo) > 0 && l.counted(domains.RewardCommunicate) ||
		len(c.NLAssertions) > 0 && l.counted(domains.RewardNL) {
		return
	}
	if l.counted(domains.RewardDB) && (c.Actions != nil || c.EnvAssertions != nil) && l.changes(c) {
		return
	}
	if l.counted(domains.RewardEnv) && !l.holds(c) {
		return
	}
	l.add(LintIdle, "evaluation_criteria", "an agent that does nothing gets the reward 1: the wanted end state is the one at the start, and nothing else is counted")
}

// changes reports whether the gold plan leaves another state than it found. A task that cannot start is not idle.
func (l *linter) changes(c *domains.Criteria) bool {
	before, err := start(l.world, l.task)
	if err != nil {
		return true
	}
	after, err := start(l.world, l.task)
	if err != nil {
		return true
	}
	for _, a := range c.Actions {
		_ = after.Apply(a) // passed over where it fails, as in scoring
	}
	return len(before.Diff(after)) > 0
}

// holds reports whether all assertions hold at the start.
func (l *linter) holds(c *domains.Criteria) bool {
	env, err := start(l.world, l.task)
	if err != nil {
		return false
	}
	for _, a := range c.EnvAssertions {
		if ok, err := env.Check(a); err != nil || !ok {
			return false
		}
	}
	return true
}

var (
	word = regexp.MustCompile(`[A-Za-z_][A-Za-z0-9_]*`)
	// called is a name in the form of a call: name(
	called = regexp.MustCompile(`\b([a-z][a-z0-9]*(?:_[a-z0-9]+)+)\(`)
)

// policyLints looks for tools in the policy that the agent does not have: those of the user, and names written as calls
// that nobody has.
func policyLints(w *domains.World) []Lint {
	known := map[string]bool{}
	for _, t := range w.AgentTools() {
		known[t.Name] = true
	}
	var users, nobodys []string
	for _, name := range word.FindAllString(w.Policy, -1) {
		if _, ok := w.User.Tool(name); ok && !known[name] {
			known[name] = true
			users = append(users, name)
		}
	}
	for _, m := range called.FindAllStringSubmatch(w.Policy, -1) {
		if !known[m[1]] {
			known[m[1]] = true
			nobodys = append(nobodys, m[1])
		}
	}
	var out []Lint
	add := func(names []string, why string) {
		if len(names) > 0 {
			out = append(out, Lint{Kind: LintPolicy, Field: "policy", Why: fmt.Sprintf("it names %d %s: %s", len(names), why, strings.Join(names, ", "))})
		}
	}
	add(users, "of the user's tools, which the agent cannot call")
	add(nobodys, "tools that neither side has")
	return out
}
