package guide

import (
	"context"

	"cel.dev/cel-go/cel"
	"cel.dev/cel-go/common"
	"cel.dev/cel-go/common/ast"
	"cel.dev/cel-go/common/operators"
	"cel.dev/cel-go/common/types"
)

// Fact is what a part of a check comes to.
type Fact struct {
	Expression string
	Value      string // in the language of checks
}

// Facts tells what the parts of a node's check come to for a request: variables and their members, and calls of
// functions, but not what only combines them. Parts that were not looked at, since others had decided, are left out.
func (c *Checker) Facts(t *Trace, r Request, n *Node) []Fact {
	if n.Check == "" {
		return nil
	}
	looked := c.looking(n)
	if looked.program == nil {
		return nil
	}
	ctx, cancel := context.WithTimeout(context.Background(), maxTime)
	defer cancel()
	_, details, _ := looked.program.ContextEval(ctx, c.bind(t, &r).vars) // what fails has parts that do not
	if details == nil || details.State() == nil {
		return nil
	}
	var out []Fact
	for _, x := range looked.parts {
		value, ok := details.State().Value(x.id)
		if ok && !types.IsUnknownOrError(value) {
			out = append(out, Fact{x.text, types.Format(value)})
		}
	}
	return out
}

// looked is a check that tells what its parts come to.
type looked struct {
	program cel.Program
	parts   []part
}

type part struct {
	id   int64
	text string
}

// looking compiles the check of a node once more, to be looked into. It is nil for one that does not compile.
func (c *Checker) looking(n *Node) looked {
	key := programKey{n.Check, proposed(n)}
	c.mu.Lock()
	defer c.mu.Unlock()
	if l, ok := c.looked[key]; ok {
		return l
	}
	var l looked
	if d, err := c.env.at(key.tool); err == nil {
		l = lookInto(d, n.Check)
	}
	c.looked[key] = l
	return l
}

func lookInto(d *dialect, check string) (l looked) {
	env, err := d.env.Extend(cel.EnableMacroCallTracking()) // so that helpers are named as they are written
	if err != nil {
		return l
	}
	compiled, iss := env.CompileSource(common.NewStringSource(check, ""))
	if iss != nil && iss.Err() != nil {
		return l
	}
	if l.program, err = env.Program(compiled, cel.EvalOptions(cel.OptTrackState), cel.InterruptCheckFrequency(100), cel.CostLimit(maxCost)); err != nil {
		return looked{}
	}
	tree := compiled.NativeRep()
	seen := map[string]bool{}
	collect(tree.Expr(), func(x ast.Expr) {
		text, err := cel.ExprToString(x, tree.SourceInfo())
		if err == nil && !seen[text] {
			seen[text] = true
			l.parts = append(l.parts, part{x.ID(), text})
		}
	})
	return l
}

// collect finds the parts of an expression that are not combined of others by operators.
func collect(x ast.Expr, found func(ast.Expr)) {
	switch x.Kind() {
	case ast.CallKind:
		name := x.AsCall().FunctionName()
		if _, operator := operators.FindReverse(name); !operator || name == operators.Index {
			found(x)
			return
		}
		for _, arg := range x.AsCall().Args() {
			collect(arg, found)
		}
	case ast.SelectKind, ast.IdentKind, ast.ComprehensionKind:
		found(x)
	}
}
