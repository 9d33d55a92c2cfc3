package guide

import (
	"fmt"
	"regexp"
	"slices"
	"time"

	"cel.dev/cel-go/cel"
	"cel.dev/cel-go/common/ast"
	"cel.dev/cel-go/common/types"
	"cel.dev/cel-go/common/types/ref"
	"cel.dev/cel-go/common/types/traits"

	"github.com/tauguide/tauguide/domains"
	"github.com/tauguide/tauguide/domains/yamlfile"
)

// The helpers of every domain are macros: they hand the hidden trace to a function and refuse, with a position, tools
// that the agent does not have and patterns that are not RE2. guide/checks/README.md documents them.

// toolHelper is a helper whose first argument names a tool, or several, and whose optional second one is a map of
// arguments that the call must have, or the value of one of them.
type toolHelper struct {
	name   string
	result *cel.Type
	reads  bool // only tools that do not mutate make sense
	call   func(calls []*Call, args ref.Val) ref.Val
}

func toolHelpers() []toolHelper {
	find := func(calls []*Call, args ref.Val, ok bool) (n int, last *Call) {
		for _, c := range calls {
			if (c.OK || !ok) && c.has(args) {
				n, last = n+1, c
			}
		}
		return n, last
	}
	index := func(c *Call) ref.Val {
		if c == nil {
			return types.Int(-1)
		}
		return types.Int(c.Index)
	}
	succeeded := func(calls []*Call, args ref.Val) ref.Val {
		n, _ := find(calls, args, true)
		return types.Bool(n > 0)
	}
	return []toolHelper{
		{name: "has_call", result: cel.BoolType, call: func(calls []*Call, args ref.Val) ref.Val {
			n, _ := find(calls, args, false)
			return types.Bool(n > 0)
		}},
		{name: "call_ok", result: cel.BoolType, call: succeeded},
		{name: "read_ok", result: cel.BoolType, reads: true, call: succeeded},
		{name: "count_ok", result: cel.IntType, call: func(calls []*Call, args ref.Val) ref.Val {
			n, _ := find(calls, args, true)
			return types.Int(n)
		}},
		{name: "index_ok", result: cel.IntType, call: func(calls []*Call, args ref.Val) ref.Val {
			_, last := find(calls, args, true)
			return index(last)
		}},
		{name: "last_result", result: cel.DynType, call: func(calls []*Call, args ref.Val) ref.Val {
			_, last := find(calls, args, true)
			if last == nil {
				return types.NullValue
			}
			return last.celResult
		}},
		{name: "result", result: cel.DynType, call: func(calls []*Call, args ref.Val) ref.Val {
			_, last := find(calls, args, true)
			if last == nil {
				return types.NewErr("there is no such result yet")
			}
			return last.celResult
		}},
	}
}

// has reports whether the call has all the arguments given, or, where one value is given, an argument that is it.
func (c *Call) has(given ref.Val) bool {
	own := c.celArgs.(traits.Mapper)
	args, ok := given.(traits.Mapper)
	if given != nil && !ok {
		for it := own.Iterator(); it.HasNext() == types.True; {
			if v := own.Get(it.Next()); sameID(v, given) {
				return true
			}
		}
		return false
	}
	if args == nil {
		return true
	}
	for it := args.Iterator(); it.HasNext() == types.True; {
		k := it.Next()
		v, ok := own.Find(k)
		if !ok || v.Equal(args.Get(k)) != types.True {
			return false
		}
	}
	return true
}

// sameID compares ids, which may be numbers in one place and texts in another.
func sameID(a, b ref.Val) bool {
	return a.Equal(b) == types.True || fmt.Sprint(a.Value()) == fmt.Sprint(b.Value())
}

// textHelper is a helper over what one party said.
type textHelper struct {
	name string
	said func(*Trace) []Said
	bool bool // whether anything was found, rather than where
	list bool // looks for words, not for a pattern
}

func textHelpers() []textHelper {
	user := func(t *Trace) []Said { return t.User }
	agent := func(t *Trace) []Said { return t.Agent }
	return []textHelper{
		{name: "user_said", said: user, bool: true},
		{name: "agent_said", said: agent, bool: true},
		{name: "index_user_said", said: user},
		{name: "index_agent_said", said: agent},
		{name: "user_mentioned", said: user, bool: true, list: true},
		{name: "agent_mentioned", said: agent, bool: true, list: true},
		{name: "index_user_mentioned", said: user, list: true},
		{name: "index_agent_mentioned", said: agent, list: true},
	}
}

func (h textHelper) find(t *Trace, match func(string) bool) ref.Val {
	at := -1
	for _, s := range h.said(t) {
		if match(s.Text) {
			at = s.Index
		}
	}
	if h.bool {
		return types.Bool(at >= 0)
	}
	return types.Int(at)
}

func (h textHelper) result() *cel.Type {
	if h.bool {
		return cel.BoolType
	}
	return cel.IntType
}

// hidden is the name of the function behind a helper.
func hidden(name string) string { return "@" + name }

// prepare looks at the arguments of a helper when a check is compiled, and may replace them.
type prepare func(f cel.MacroExprFactory, args []ast.Expr) *cel.Error

// traceHelper makes a helper that reads the trace: in checks it is called name(args...), and run gets the trace and the
// arguments.
func traceHelper(name string, takes []*cel.Type, gives *cel.Type, look prepare, run func(t *Trace, args []ref.Val) ref.Val) []cel.EnvOption {
	call := func(in ...ref.Val) ref.Val { return run(in[0].(traceVal).Trace, in[1:]) }
	return []cel.EnvOption{
		cel.Function(hidden(name), cel.Overload(fmt.Sprintf("%s_trace_%d", name, len(takes)), append([]*cel.Type{traceType}, takes...), gives, cel.FunctionBinding(call))),
		cel.Macros(cel.GlobalMacro(name, len(takes), func(f cel.MacroExprFactory, _ ast.Expr, args []ast.Expr) (ast.Expr, *cel.Error) {
			args = slices.Clone(args)
			if look != nil {
				if err := look(f, args); err != nil {
					return nil, err
				}
			}
			return f.NewCall(hidden(name), append([]ast.Expr{f.NewIdent(traceVar)}, args...)...), nil
		})),
	}
}

// TraceFunction makes a helper of a domain.
func TraceFunction(name string, takes []*cel.Type, gives *cel.Type, run func(t *Trace, args []ref.Val) ref.Val) []cel.EnvOption {
	return traceHelper(name, takes, gives, nil, run)
}

// coreHelpers declares the helpers of every domain.
func coreHelpers(e *environment, in Inventory) []cel.EnvOption {
	var out []cel.EnvOption
	words := cel.ListType(cel.StringType)
	for _, h := range toolHelpers() {
		look := func(f cel.MacroExprFactory, args []ast.Expr) (err *cel.Error) {
			args[0], err = toolList(f, in, args[0], h)
			return err
		}
		for _, takes := range [][]*cel.Type{{words}, {words, cel.DynType}} {
			out = append(out, traceHelper(h.name, takes, h.result, look, func(t *Trace, args []ref.Val) ref.Val {
				return h.call(t.callsOfAny(textList(args[0])), append(args, nil)[1])
			})...)
		}
	}
	for _, h := range textHelpers() {
		if h.list {
			out = append(out, traceHelper(h.name, []*cel.Type{words}, h.result(), nil, func(t *Trace, args []ref.Val) ref.Val {
				list := textList(args[0])
				return h.find(t, func(s string) bool { return mentions(s, list) })
			})...)
			continue
		}
		look := func(f cel.MacroExprFactory, args []ast.Expr) *cel.Error { return e.usePattern(f, args[0]) }
		out = append(out, traceHelper(h.name, []*cel.Type{cel.StringType}, h.result(), look, func(t *Trace, args []ref.Val) ref.Val {
			return h.find(t, e.pattern(string(args[0].(types.String))).MatchString)
		})...)
	}
	consent := func(t *Trace, args []ref.Val) types.Int {
		list := textList(args[0])
		return types.Int(t.ConsentIndex(func(offer, _ Said) bool { return mentions(offer.Text, list) }))
	}
	return slices.Concat(out,
		traceHelper("index_consent", []*cel.Type{words}, cel.IntType, nil, func(t *Trace, args []ref.Val) ref.Val { return consent(t, args) }),
		traceHelper("consent_after_summary", []*cel.Type{words}, cel.BoolType, nil, func(t *Trace, args []ref.Val) ref.Val { return types.Bool(consent(t, args) >= 0) }),
		[]cel.EnvOption{cel.Function("date", cel.Overload("date_string", []*cel.Type{cel.StringType}, cel.TimestampType, cel.UnaryBinding(date)))})
}

func date(v ref.Val) ref.Val {
	t, err := ParseDate(string(v.(types.String)))
	if err != nil {
		return types.NewErr("%s", err)
	}
	return types.Timestamp{Time: t}
}

// callsOfAny returns the agent's calls of any of the tools, in order.
func (t *Trace) callsOfAny(tools []string) []*Call {
	if len(tools) == 1 {
		return t.byTool[tools[0]]
	}
	var calls []*Call
	for _, name := range tools {
		calls = append(calls, t.byTool[name]...)
	}
	slices.SortStableFunc(calls, func(a, b *Call) int { return a.Index - b.Index })
	return calls
}

// pattern returns a compiled pattern. Patterns of checks are literals and were compiled with the check.
func (e *environment) pattern(p string) *regexp.Regexp {
	if re, ok := e.patterns[p]; ok {
		return re
	}
	return regexp.MustCompile(regexp.QuoteMeta(p))
}

func textList(v ref.Val) []string {
	var out []string
	for it := v.(traits.Lister).Iterator(); it.HasNext() == types.True; {
		s, ok := it.Next().(types.String)
		if !ok {
			s = ""
		}
		out = append(out, string(s))
	}
	return out
}

// ParseDate reads the date and time forms of the domains' data: 2024-05-20, with a time after T or a space, with or
// without a zone; without one it is UTC.
func ParseDate(s string) (time.Time, error) {
	for _, layout := range []string{time.DateOnly, "2006-01-02T15:04:05", time.DateTime, "2006-01-02 15:04", time.RFC3339} {
		if t, err := time.Parse(layout, s); err == nil {
			return t.UTC(), nil
		}
	}
	return time.Time{}, fmt.Errorf("%q is no date: want 2024-05-20, alone or with a time", s)
}

// toolList checks the tool literals of a helper and returns them as a list.
func toolList(f cel.MacroExprFactory, in Inventory, arg ast.Expr, h toolHelper) (ast.Expr, *cel.Error) {
	items := []ast.Expr{arg}
	if arg.Kind() == ast.ListKind {
		items = arg.AsList().Elements()
	}
	for _, item := range items {
		name, ok := literal(item)
		if !ok {
			return nil, f.NewError(item.ID(), h.name+" wants the name of a tool in quotes, or a list of such names")
		}
		if in.Agent == nil {
			continue
		}
		t, ok := in.Agent.Tool(name)
		switch {
		case !ok:
			return nil, f.NewError(item.ID(), fmt.Sprintf("the agent has no tool %q; %s", name, yamlfile.Suggest(name, in.names())))
		case h.reads && t.Kind == domains.Write:
			return nil, f.NewError(item.ID(), fmt.Sprintf("%s mutates; ask for it with call_ok", name))
		}
	}
	if arg.Kind() == ast.ListKind {
		return arg, nil
	}
	return f.NewList(arg), nil
}

func literal(e ast.Expr) (string, bool) {
	if e.Kind() != ast.LiteralKind {
		return "", false
	}
	s, ok := e.AsLiteral().(types.String)
	return string(s), ok
}

func (e *environment) usePattern(f cel.MacroExprFactory, arg ast.Expr) *cel.Error {
	p, ok := literal(arg)
	if !ok {
		return f.NewError(arg.ID(), "the pattern must be a text in quotes; to look for a value use the helpers ending in _mentioned")
	}
	re, err := regexp.Compile(p)
	if err != nil {
		return f.NewError(arg.ID(), fmt.Sprintf("the pattern is no RE2: %v", err))
	}
	e.patterns[p] = re
	return nil
}
