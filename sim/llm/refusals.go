package llm

import (
	"bytes"
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"
)

// refusals are what an endpoint was seen to refuse for one model.
type refusals struct {
	parameters  []string
	tokenField  string // the other name of the output limit, which is taken
	noDeveloper bool   // the developer role is not understood
}

func (p *provider) refused(model string) refusals {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.refusals[model]
}

// learnable are the parameters that may be left out when an endpoint refuses
// them: they tune sampling. Others change what is asked, so their refusal is an
// error for the user to settle.
var learnable = []string{
	"temperature", "top_p", "top_k", "min_p", "seed", "presence_penalty", "frequency_penalty", "repetition_penalty",
	"logprobs", "top_logprobs", "logit_bias", "parallel_tool_calls",
}

// developerRole is how a refused developer role is named among the parameters
// that were not sent.
const developerRole = "developer role"

// refusedParam is the field that an error objects to: that of its param field, never of its prose alone, but for a
// temperature that nobody asked for.
func refusedParam(e *Error, req Request) string {
	if e.Param == "" && req.TemperatureByDefault && strings.Contains(strings.ToLower(e.Message), "temperature") {
		return "temperature"
	}
	return e.Param
}

// learn remembers a refusal, beside those that were known when the request was made, and tells whether the request is worth sending
// again. It is only where the parameter was in the body, so it ends after as many rounds as there are parameters.
func (p *provider) learn(model, param string, e *Error, body []byte, known refusals) bool {
	if (e.Kind != KindBadRequest && e.Kind != KindTemplate) || (e.Status != 400 && e.Status != 422) {
		return false
	}
	switch {
	case !known.noDeveloper && refusesDeveloper(e, body):
		known.noDeveloper = true
	case !sends(body, param):
		return false
	case slices.Contains(learnable, param):
		known.parameters = append(slices.Clone(known.parameters), param)
	case param == maxTokens && known.tokenField == "":
		known.tokenField = maxCompletionTokens
	case param == maxCompletionTokens && known.tokenField == "":
		known.tokenField = maxTokens
	default:
		return false
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.refusals[model] = p.refusals[model].plus(known)
	return true
}

// plus joins what two calls at once have seen.
func (r refusals) plus(o refusals) refusals {
	all := slices.Concat(r.parameters, o.parameters)
	slices.Sort(all)
	if o.tokenField == "" {
		o.tokenField = r.tokenField
	}
	return refusals{slices.Compact(all), o.tokenField, r.noDeveloper || o.noDeveloper}
}

// sends tells whether the top level of a body has a field.
func sends(body []byte, field string) bool {
	var sent map[string]json.RawMessage
	return field != "" && json.Unmarshal(body, &sent) == nil && sent[field] != nil
}

// messageRole matches how providers point to the role of a message.
var messageRole = regexp.MustCompile(`^messages?([.\[]\d+\]?)?[.\[]role`)

// refusesDeveloper tells whether an endpoint does not know the role developer,
// which was sent: it points to a role, or its words name the role as such.
func refusesDeveloper(e *Error, body []byte) bool {
	if !bytes.Contains(body, []byte(`{"role":"developer"`)) {
		return false
	}
	words := strings.ToLower(e.Message)
	return messageRole.MatchString(e.Param) || (strings.Contains(words, "developer") && strings.Contains(words, "role"))
}

// tell warns once of each parameter that is not sent.
func (p *provider) tell(model string, dropped []string) {
	if p.warn == nil || len(dropped) == 0 {
		return
	}
	var fresh []string
	p.mu.Lock()
	for _, name := range dropped {
		if key := model + "\n" + name; !p.warned[key] {
			p.warned[key] = true
			fresh = append(fresh, name)
		}
	}
	p.mu.Unlock()
	if len(fresh) > 0 {
		p.warn(fmt.Sprintf("endpoint %q: model %s does not take %s: not sent", p.endpoint.Name, model, strings.Join(fresh, ", ")))
	}
}

// report says what an endpoint answered that no row of failures fits.
func (p *provider) report(e *Error) {
	if p.warn != nil {
		p.warn(fmt.Sprintf("endpoint %q: status %d is taken for %s, since no row of configs/failures.yaml fits it: %s", p.endpoint.Name, e.Status, e.Kind, e.Body))
	}
}
