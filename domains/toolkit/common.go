package toolkit

import (
	"github.com/tauguide/tauguide/domains"
	"github.com/tauguide/tauguide/domains/record"
	"github.com/tauguide/tauguide/domains/value"
)

// Calculator is the tool calculate.
func Calculator[D domains.Database]() Tool[D] {
	return Tool[D]{
		Name: "calculate", Kind: domains.Generic, Doc: "Work out an arithmetic expression.",
		Params: []Param{Text("expression", "Numbers, + - * /, parentheses and spaces, such as '3 * (12.5 + 1)'")},
		Run: func(_ D, a Args) (Result, error) {
			text, err := Calculate(a.Get("expression"))
			if err != nil {
				return nil, err
			}
			return Say(text)
		},
	}
}

// Transfer is the tool transfer_to_human_agents; who is what the domain calls its callers.
func Transfer[D domains.Database](who string) Tool[D] {
	return Tool[D]{
		Name: "transfer_to_human_agents", Kind: domains.Generic,
		Doc: "Hand the " + who + " over to a human agent, with a summary. Only if the " + who + " asks for it explicitly or the request lies outside of " +
			"what the policy and the tools allow.",
		Params: []Param{Text("summary", "What the "+who+" wants and what was done so far")},
		Run:    func(D, Args) (Result, error) { return Say("Transfer successful") },
	}
}

// Details is a tool that shows the record which its only argument names.
func Details[D domains.Database, V any](name, doc string, id Param, t record.Type[V], find func(D, Value) (string, *V, error)) Tool[D] {
	return Tool[D]{Name: name, Kind: domains.Read, Doc: doc, Params: []Param{id}, Run: func(db D, a Args) (Result, error) {
		_, rec, err := find(db, a.Get(id.Name))
		if err != nil {
			return nil, err
		}
		return Show(t, rec)
	}}
}

// Lower is the reference's str.lower() of an argument.
func Lower(v Value) (string, error) {
	s, ok := v.Text()
	if !ok {
		return "", domains.Refuse("'%s' object has no attribute 'lower'", v.TypeName())
	}
	return value.Lower(s), nil
}
