package tau2

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/tauguide/tauguide/domains"
	"github.com/tauguide/tauguide/domains/value"
	"github.com/tauguide/tauguide/runs/config"
	"github.com/tauguide/tauguide/runs/store"
)

// about writes the head of a result: when, what, and the tasks.
func (x *exporter) about(s *stream) error {
	m := x.run.Manifest()
	head, info := x.head, json.RawMessage(nil)
	var err error
	if head != nil && head.Info != nil {
		info, err = completed(head.Info)
	} else {
		info, err = x.info(m)
	}
	if err != nil {
		return err
	}
	stamp := localTime(m.Created)
	note := ExportNote{Program: x.options.Program, System: x.options.System, Note: m.Note, Synthetic: m.Synthetic, Data: m.Data[x.options.Domain]}
	if head != nil && head.Timestamp != "" {
		stamp = head.Timestamp
	}
	if note.Data == nil {
		note.Data = []domains.Source{}
	}
	o := newObject(nil, nil)
	o.set("timestamp", stamp)
	o.set(exportKey, note)
	if o.err != nil {
		return o.err
	}
	s.member("timestamp", o.values["timestamp"])
	s.member(exportKey, o.values[exportKey])
	s.member("info", info)
	if head != nil {
		for _, name := range slices.Sorted(maps.Keys(head.Extra)) {
			s.member(name, head.Extra[name])
		}
	}
	return x.tasks(s)
}

// completed is a recorded info block with the members that newer versions of the reference have.
func completed(info json.RawMessage) (json.RawMessage, error) {
	o, ok := objectOf(info)
	if !ok {
		return nil, errors.New("the info block is no object")
	}
	for name, fields := range map[string][]field{"user_info": userFields, "agent_info": agentFields, "environment_info": environmentFields} {
		part, _ := objectOf(o[name])
		in := newObject(fields, part)
		switch name {
		case "environment_info":
			in.suggest("domain_name", "")
		default:
			in.suggest("implementation", "unknown")
		}
		raw, err := in.json()
		if err != nil {
			return nil, err
		}
		o[name] = raw
	}
	return newObject(infoFields, o).json()
}

// info describes one of our runs as the reference describes its own.
func (x *exporter) info(m store.Manifest) (json.RawMessage, error) {
	c, w := m.Config, x.options.World
	i := slices.IndexFunc(c.Systems, func(s config.System) bool { return s.Name == x.options.System })
	if i < 0 {
		return nil, fmt.Errorf("the config of the run has no system %q", x.options.System)
	}
	system := c.Systems[i]
	names := []string{system.Agent}
	for _, o := range system.Overlays {
		names = append(names, o.Name)
	}
	agentName, userName, domain, solo := strings.Join(names, "+"), "user_simulator", x.options.Domain, false
	for _, d := range c.Domains {
		if d.Name == domain {
			solo = d.Solo
			if d.PolicyType == domains.PolicyWorkflow {
				domain += "-workflow"
			}
			break
		}
	}
	if solo { // the names by which the reference knows that there was no user
		agentName, userName = "llm_agent_solo", "dummy_user"
	}
	party := func(fields []field, implementation, model string) (json.RawMessage, error) {
		o := newObject(fields, nil)
		o.set("implementation", implementation)
		if cm, ok := c.Models[model]; ok {
			o.set("llm", cm.Model)
			o.set("llm_args", modelArguments(cm))
		}
		return o.json()
	}
	o := newObject(infoFields, nil)
	var err1, err2 error
	o.values["agent_info"], err1 = party(agentFields, agentName, system.Model)
	o.values["user_info"], err2 = party(userFields, userName, c.User.Model)
	env := newObject(environmentFields, nil)
	env.set("domain_name", domain)
	if w != nil {
		env.set("policy", w.Policy)
	}
	raw, err3 := env.json()
	if err := errors.Join(err1, err2, err3); err != nil {
		return nil, err
	}
	o.values["environment_info"] = raw
	o.set("num_trials", x.trials())
	o.set("max_steps", c.Limits.MaxSteps)
	o.set("max_errors", c.Limits.MaxErrors)
	o.set("seed", c.Seed)
	return o.json()
}

// trials is how many trials the plan has of each task.
func (x *exporter) trials() int {
	n := 1
	for _, p := range x.run.Plan() {
		if p.Domain == x.options.Domain && p.System == x.options.System {
			n = max(n, p.Trial+1)
		}
	}
	return n
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
	write := func(id string, raw json.RawMessage) error {
		values, ok := objectOf(raw)
		if !ok || done[id] {
			return nil
		}
		done[id] = true
		task, err := newObject(taskFields, values).json()
		if err != nil {
			return err
		}
		s.value(task)
		return s.err
	}
	if x.head != nil {
		for _, t := range x.head.Tasks {
			if err := write(t.ID, t.Raw); err != nil {
				return err
			}
		}
	}
	for _, p := range x.run.Plan() {
		if p.Domain != x.options.Domain || p.System != x.options.System || done[p.Task] || x.options.World == nil {
			continue
		}
		if t, ok := x.options.World.Task(p.Task); ok {
			if err := write(t.ID, t.Raw); err != nil {
				return err
			}
		}
	}
	x.out.Tasks = len(done)
	s.token(jsontext.EndArray)
	return s.err
}
