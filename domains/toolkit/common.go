package toolkit

import (
	"github.com/tauguide/tauguide/domains"
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
