package guide

import (
	"encoding/json"
	"maps"
	"slices"

	"cel.dev/cel-go/cel"

	"github.com/tauguide/tauguide/domains"
)

// arguments are the types that checks know the arguments of a tool by. It is nil where the tool's schema leaves open which
// there are.
type arguments map[string]*cel.Type

// argumentsOf are the arguments of the agent's mutating tools: those are the calls that requests are about.
func argumentsOf(in Inventory) map[string]arguments {
	out := map[string]arguments{}
	for _, t := range in.Agent.Specs() {
		if in.Agent.Mutates(t.Name) {
			out[t.Name] = readArguments(t)
		}
	}
	return out
}

// readArguments reads a tool's JSON Schema. A number may come as an integer and is dynamic, as is all that has no single
// type.
func readArguments(t domains.ToolSpec) arguments {
	var schema struct {
		Properties map[string]struct {
			Type any `json:"type"`
		} `json:"properties"`
	}
	if json.Unmarshal(t.Parameters, &schema) != nil || schema.Properties == nil {
		return nil
	}
	out := arguments{}
	for name, p := range schema.Properties {
		switch p.Type {
		case "string":
			out[name] = cel.StringType
		case "integer":
			out[name] = cel.IntType
		case "boolean":
			out[name] = cel.BoolType
		case "array":
			out[name] = cel.ListType(cel.DynType)
		case "object":
			out[name] = cel.MapType(cel.StringType, cel.DynType)
		default:
			out[name] = cel.DynType
		}
	}
	return out
}

// merged are the arguments of several tools; one that has different types among them is dynamic. It is nil where not all
// arguments are known.
func merged(tools map[string]arguments) arguments {
	if len(tools) == 0 {
		return nil
	}
	out := arguments{}
	for _, args := range tools {
		if args == nil {
			return nil
		}
		for name, t := range args {
			if old, ok := out[name]; ok && !old.IsExactType(t) {
				t = cel.DynType
			}
			out[name] = t
		}
	}
	return out
}

// declare makes the arguments known as members of a variable, with their types.
func (a arguments) declare(variable string, members map[string][]string) []cel.EnvOption {
	if a == nil {
		return nil
	}
	members[variable] = slices.Sorted(maps.Keys(a))
	var out []cel.EnvOption
	for _, name := range members[variable] {
		out = append(out, cel.Variable(variable+"."+name, a[name]))
	}
	return out
}
