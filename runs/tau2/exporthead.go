package tau2

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"slices"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/tauguide/tauguide/domains"
	"github.com/tauguide/tauguide/domains/value"
	"github.com/tauguide/tauguide/runs/config"
	"github.com/tauguide/tauguide/runs/store"
)

// about writes the head of a result: when, what, and the tasks. Of an imported run it is what the source says, and no more:
// what the source leaves out is left out.
func (x *exporter) about(s *stream) error {
	m := x.run.Manifest()
	if x.head == nil {
		info, err := x.info(m)
		if err != nil {
			return err
		}
		s.member("timestamp", localTime(m.Created))
		x.note(s, m)
		s.member("info", info)
		return x.tasks(s)
	}
	if x.head.Timestamp != "" {
		s.member("timestamp", x.head.Timestamp)
	}
	x.note(s, m)
	info := x.head.Info
	if info == nil { // the domain, which somebody named at the import, is all that is known
		info = json.RawMessage(fmt.Sprintf(`{"environment_info":{"domain_name":%s}}`, quoted(x.options.Domain)))
	}
	s.member("info", info)
	for _, name := range slices.Sorted(maps.Keys(x.head.Extra)) {
		s.member(name, x.head.Extra[name])
	}
	return x.tasks(s)
}

// note writes what our export adds to the format.
func (x *exporter) note(s *stream, m store.Manifest) {
	s.member(exportKey, ExportNote{Program: x.options.Program, System: x.options.System, Note: m.Note, Synthetic: m.Synthetic,
		Data: append([]domains.Source{}, m.Data[x.options.Domain]...)})
}

// info describes one of our runs as the reference describes its own.
func (x *exporter) info(m store.Manifest) (json.RawMessage, error) {
	c := m.Config
	i := slices.IndexFunc(c.Systems, func(s config.System) bool { return s.Name == x.options.System })
	if i < 0 {
		return nil, fmt.Errorf("the config of the run has no system %q", x.options.System)
	}
	system := c.Systems[i]
	agent, user, domain := system.Agent, "user_simulator", x.options.Domain
	for _, o := range system.Overlays {
		agent += "+" + o.Name
	}
	if i := slices.IndexFunc(c.Domains, func(d config.Domain) bool { return d.Name == domain }); i >= 0 {
		d := c.Domains[i]
		if d.Solo { // the names by which the reference knows that there was no user
			agent, user = "llm_agent_solo", "dummy_user"
		}
		if d.PolicyType == domains.PolicyWorkflow {
			domain += "-workflow"
		}
	}
	party := func(fields []field, implementation, model string) *object {
		o := newObject(fields, nil)
		o.set("implementation", implementation)
		if cm, ok := c.Models[model]; ok {
			o.set("llm", cm.Model)
			o.set("llm_args", modelArguments(cm))
		}
		return o
	}
	env := newObject(environmentFields, nil)
	env.set("domain_name", domain)
	if w := x.options.World; w != nil {
		env.set("policy", w.Policy)
	}
	o := newObject(infoFields, nil)
	o.set("agent_info", party(agentFields, agent, system.Model))
	o.set("user_info", party(userFields, user, c.User.Model))
	o.set("environment_info", env)
	trials := 1
	for _, p := range x.plan {
		trials = max(trials, p.Trial+1)
	}
	o.set("num_trials", trials)
	o.set("max_steps", c.Limits.MaxSteps)
	o.set("max_errors", c.Limits.MaxErrors)
	o.set("seed", c.Seed)
	return o.json()
}

// modelArguments are the parameters of a model, without keys and addresses.
func modelArguments(m config.Model) map[string]any {
	out := map[string]any{}
	for name, v := range m.Extra {
		out[name] = v
	}
	if m.Temperature != nil {
		out["temperature"] = value.OfFloat(*m.Temperature)
	}
	if m.TopP != nil {
		out["top_p"] = value.OfFloat(*m.TopP)
	}
	if m.MaxTokens != nil {
		out["max_tokens"] = *m.MaxTokens
	}
	if m.ReasoningEffort != "" {
		out["reasoning_effort"] = m.ReasoningEffort
	}
	return out
}

// tasks writes the tasks: of an imported run those that came with it, as they were, and then those of the plan that the
// data has, if there is any.
func (x *exporter) tasks(s *stream) error {
	s.token(jsontext.String("tasks"))
	s.token(jsontext.BeginArray)
	done := map[string]bool{}
	if x.head != nil {
		for _, t := range x.head.Tasks {
			done[t.ID] = true
			s.value(t.Raw)
		}
	}
	for _, p := range x.plan {
		if done[p.Task] || x.options.World == nil {
			continue
		}
		if t, ok := x.options.World.Task(p.Task); ok {
			done[t.ID] = true
			values, _ := objectOf(t.Raw) // the data was read as objects
			task, err := newObject(taskFields, values).json()
			s.err = cmp.Or(s.err, err)
			s.value(task)
		}
	}
	x.out.Tasks = len(done)
	s.token(jsontext.EndArray)
	return s.err
}
