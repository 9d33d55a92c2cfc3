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

// about writes the head of a result: when, what, and the tasks.
func (x *exporter) about(s *stream) error {
	m := x.run.Manifest()
	stamp, extra := localTime(m.Created), map[string]json.RawMessage(nil)
	var info json.RawMessage
	var err error
	if head := x.head; head != nil && head.Info != nil {
		info, err = completed(head.Info)
	} else {
		info, err = x.info(m)
	}
	if err != nil {
		return err
	}
	if x.head != nil {
		extra = x.head.Extra
		stamp = cmp.Or(x.head.Timestamp, stamp)
	}
	s.member("timestamp", stamp)
	s.member(exportKey, ExportNote{Program: x.options.Program, System: x.options.System, Note: m.Note, Synthetic: m.Synthetic,
		Data: append([]domains.Source{}, m.Data[x.options.Domain]...)})
	s.member("info", info)
	for _, name := range slices.Sorted(maps.Keys(extra)) {
		s.member(name, extra[name])
	}
	return x.tasks(s)
}

// completed is a recorded info block with the members that newer versions of the reference have.
func completed(info json.RawMessage) (json.RawMessage, error) {
	o, _ := objectOf(info) // reading saw that it is one
	out := newObject(infoFields, o)
	part := func(name string, fields []field, member, absent string) {
		values, _ := objectOf(o[name])
		in := newObject(fields, values)
		in.suggest(member, absent)
		out.set(name, in)
	}
	part("user_info", userFields, "implementation", "unknown")
	part("agent_info", agentFields, "implementation", "unknown")
	part("environment_info", environmentFields, "domain_name", "")
	return out.json()
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

// tasks writes the tasks: of an imported run those that came with it, and then those of the plan that did not.
func (x *exporter) tasks(s *stream) error {
	s.token(jsontext.String("tasks"))
	s.token(jsontext.BeginArray)
	done := map[string]bool{}
	write := func(id string, raw json.RawMessage) {
		values, ok := objectOf(raw)
		if !ok || done[id] {
			return
		}
		done[id] = true
		task, err := newObject(taskFields, values).json()
		if s.err == nil {
			s.err = err
		}
		s.value(task)
	}
	if x.head != nil {
		for _, t := range x.head.Tasks {
			write(t.ID, t.Raw)
		}
	}
	for _, p := range x.plan {
		if done[p.Task] || x.options.World == nil {
			continue
		}
		if t, ok := x.options.World.Task(p.Task); ok {
			write(t.ID, t.Raw)
		}
	}
	x.out.Tasks = len(done)
	s.token(jsontext.EndArray)
	return s.err
}
