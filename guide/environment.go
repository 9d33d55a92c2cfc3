package guide

import (
	"fmt"
	"maps"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"time"

	"cel.dev/cel-go/cel"
	"cel.dev/cel-go/common"
	"cel.dev/cel-go/common/ast"
	"cel.dev/cel-go/common/types"
	"cel.dev/cel-go/common/types/ref"

	"github.com/tauguide/tauguide/domains"
	"github.com/tauguide/tauguide/domains/yamlfile"
)

// Vocabulary is what a domain adds to the language of checks. The zero Vocabulary adds nothing.
type Vocabulary struct {
	// Facts is the domain's view of what the agent has been told by tools so far. It must depend on the agent's calls
	// in the trace only, and returns plain Go values as Native makes them, under the same keys for every trace.
	Facts func(*Trace) map[string]any
	// Helpers declares functions, usually with cel.Function; guide/checks/README.md documents them.
	Helpers []cel.EnvOption
	// Targets names for each mutating tool the argument that holds the id of the record it changes.
	Targets map[string]string
	// Now is the domain's own clock. Where there is none, checks cannot ask for the time.
	Now time.Time
}

// Inventory is the tools of a domain.
type Inventory struct {
	Agent *domains.Kit
	User  *domains.Kit // nil where the user has none
}

// InventoryOf returns the tools of an open domain.
func InventoryOf(w *domains.World) Inventory { return Inventory{Agent: w.Agent, User: w.User} }

func (in Inventory) names() []string {
	var out []string
	if in.Agent != nil {
		for _, t := range in.Agent.Tools {
			out = append(out, t.Spec.Name)
		}
	}
	return out
}

// The variables of checks (docs/reference/guide.md#checks). traceVar cannot be written in an expression; the helper
// macros pass it to their functions.
const (
	traceVar   = "@trace"
	callsVar   = "calls"
	byUserVar  = "said_by_user"
	byAgentVar = "said_by_agent"
	factsVar   = "facts"
	requestVar = "request"
	callVar    = "call"
	nowVar     = "now"

	groundedVar = requestVar + ".grounded_values"
	argsVar     = callVar + ".args"
)

const (
	maxExpression = 4000             // code points of a check
	maxCost       = 500_000          // CEL cost units of a check with comprehensions
	maxTime       = 10 * time.Second // far beyond what maxCost allows: only a machine that hangs gets there
)

// environment compiles checks of one domain. It is safe for concurrent use after it was made, except for compile.
type environment struct {
	dialects map[string]*dialect // by the tool of the proposed call, "" where there is none
	patterns map[string]*regexp.Regexp
	tools    map[string]arguments
}

// dialect is what checks of one place can say.
type dialect struct {
	env     *cel.Env
	members map[string][]string // of variables, by name: any other is refused
}

func newEnvironment(in Inventory, v Vocabulary) (*environment, error) {
	e := &environment{dialects: map[string]*dialect{}, patterns: map[string]*regexp.Regexp{}, tools: argumentsOf(in)}
	members := map[string][]string{requestVar: {"id", "intent", "target", "selection", "grounded_values"}, callVar: {"name", "args"}}
	said := cel.ListType(cel.MapType(cel.StringType, cel.DynType))
	opts := []cel.EnvOption{
		cel.CrossTypeNumericComparisons(true),
		cel.ParserExpressionSizeLimit(maxExpression),
		cel.ASTValidators(cel.ValidateRegexLiterals(), cel.ValidateTimestampLiterals(), cel.ValidateDurationLiterals()),
		cel.Variable(traceVar, traceType),
		cel.Variable(callsVar, said),
		cel.Variable(byUserVar, said),
		cel.Variable(byAgentVar, said),
		cel.Variable(factsVar, cel.MapType(cel.StringType, cel.DynType)),
		cel.Variable(requestVar, cel.MapType(cel.StringType, cel.DynType)),
	}
	if !v.Now.IsZero() {
		opts = append(opts, cel.Variable(nowVar, cel.TimestampType))
	}
	if v.Facts != nil {
		members[factsVar] = slices.Sorted(maps.Keys(v.Facts(NewTrace())))
	}
	opts = append(opts, merged(e.tools).declare(groundedVar, members)...)
	opts = append(opts, coreHelpers(e, in)...)
	opts = append(opts, v.Helpers...)
	env, err := cel.NewEnv(opts...)
	if err != nil {
		return nil, fmt.Errorf("language of checks: %w; correct the vocabulary's helpers", err)
	}
	e.dialects[""] = &dialect{env, members}
	return e, nil
}

// at is what the checks of an authorization of the tool can say, or those of other nodes where tool is "".
func (e *environment) at(tool string) (*dialect, error) {
	if d := e.dialects[tool]; d != nil {
		return d, nil
	}
	members := maps.Clone(e.dialects[""].members)
	opts := append(e.tools[tool].declare(argsVar, members), cel.Variable(callVar, cel.MapType(cel.StringType, cel.DynType)))
	env, err := e.dialects[""].env.Extend(opts...)
	if err != nil {
		return nil, fmt.Errorf("language of checks: %w", err)
	}
	e.dialects[tool] = &dialect{env, members}
	return e.dialects[tool], nil
}

// problem is why an expression does not compile. Line counts from 0, Column from 1.
type problem struct {
	line, column int
	text         string
	notBool      bool
}

// compile makes a program of an expression; name is for messages, as file:node, and tool that of the proposed call, ""
// where none is.
func (e *environment) compile(expr, name, tool string) (cel.Program, []problem) {
	d, err := e.at(tool)
	if err != nil {
		return nil, []problem{{text: err.Error()}}
	}
	compiled, iss := d.env.CompileSource(common.NewStringSource(expr, name))
	if iss != nil && iss.Err() != nil {
		var out []problem
		for _, err := range iss.Errors() {
			text := err.Message
			if strings.HasPrefix(text, "undeclared reference to '"+callVar+"'") { // not what cel-go takes it for
				text = "undeclared reference to '" + callVar + "', the proposed call, which only a tool_authorization has: elsewhere request.grounded_values has its arguments, and request.target what it is about"
			}
			out = append(out, problem{line: err.Location.Line() - 1, column: err.Location.Column() + 1, text: text})
		}
		return nil, out
	}
	if bad := d.unknownMembers(compiled.NativeRep()); bad != nil {
		return nil, bad
	}
	if t := compiled.OutputType(); !t.IsExactType(types.BoolType) {
		return nil, []problem{{text: fmt.Sprintf("the expression is of type %s", t), notBool: true}}
	}
	opts := []cel.ProgramOption{cel.EvalOptions(cel.OptOptimize), cel.InterruptCheckFrequency(100)}
	if loops(compiled.NativeRep()) {
		opts = append(opts, cel.CostLimit(maxCost))
	}
	prg, err := d.env.Program(compiled, opts...)
	if err != nil {
		return nil, []problem{{text: err.Error()}}
	}
	return prg, nil
}

// unknownMembers finds selections from variables that these never have; a plain map would turn a misspelling into a check
// that can never hold.
func (d *dialect) unknownMembers(a *ast.AST) []problem {
	var out []problem
	visit := func(x ast.Expr) {
		if x.Kind() != ast.SelectKind {
			return
		}
		variable, field := dotted(x.AsSelect().Operand()), x.AsSelect().FieldName()
		if known, fixed := d.members[variable]; fixed && !slices.Contains(known, field) {
			at := a.SourceInfo().GetStartLocation(x.ID())
			out = append(out, problem{line: at.Line() - 1, column: at.Column() + 1,
				text: fmt.Sprintf("%s has no member %s; %s", variable, field, yamlfile.Suggest(field, known))})
		}
	}
	ast.PostOrderVisit(a.Expr(), ast.NewExprVisitor(visit))
	return out
}

// dotted is the dotted name of a variable or of a selection from one, "" of anything else.
func dotted(x ast.Expr) string {
	switch x.Kind() {
	case ast.IdentKind:
		return x.AsIdent()
	case ast.SelectKind:
		if of := dotted(x.AsSelect().Operand()); of != "" {
			return of + "." + x.AsSelect().FieldName()
		}
	}
	return ""
}

// loops reports whether an expression has a comprehension, so that its cost can grow with more than the trace.
func loops(a *ast.AST) bool {
	found := false
	ast.PostOrderVisit(a.Expr(), ast.NewExprVisitor(func(e ast.Expr) { found = found || e.Kind() == ast.ComprehensionKind }))
	return found
}

// traceType is the type of the hidden variable; expressions can only hand it on.
var traceType = cel.OpaqueType("guide.Trace")

// traceVal carries a trace through CEL.
type traceVal struct{ *Trace }

func (t traceVal) ConvertToNative(reflect.Type) (any, error) {
	return nil, fmt.Errorf("a trace has no native form")
}
func (t traceVal) ConvertToType(ref.Type) ref.Val { return types.NewErr("a trace has no other type") }
func (t traceVal) Equal(other ref.Val) ref.Val {
	o, ok := other.(traceVal)
	return types.Bool(ok && o.Trace == t.Trace)
}
func (t traceVal) Type() ref.Type { return traceType }
func (t traceVal) Value() any     { return t.Trace }
