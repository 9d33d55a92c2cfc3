package synthetic

import (
	"maps"
	"net/http"
	"slices"
	"strings"

	"github.com/tauguide/tauguide/domains"
	"github.com/tauguide/tauguide/domains/value"
	"github.com/tauguide/tauguide/sim/llm"
)

// texts are what requests that carry no tag are recognised by, each with the first task that has it.
type texts struct {
	scenarios map[string]place // what the user is told
	outcomes  map[string]place // what the judge is asked about, as a list literal
	tickets   map[string]place // what a solo agent is told
	openings  map[string]place // what the scripted user says first
}

type place struct {
	domain string
	task   *domains.Task
}

// textsOf collects the texts, domain by domain in the order of their names.
func textsOf(worlds map[string]*domains.World) texts {
	out := texts{map[string]place{}, map[string]place{}, map[string]place{}, map[string]place{}}
	for _, name := range slices.Sorted(maps.Keys(worlds)) {
		w := worlds[name]
		for i := range w.Tasks {
			at := place{name, &w.Tasks[i]}
			add := func(to map[string]place, text string) {
				if _, taken := to[text]; !taken && text != "" {
					to[text] = at
				}
			}
			add(out.scenarios, strings.TrimSpace(at.task.UserScenario.Text()))
			add(out.openings, opening(Input{World: w, Task: at.task}))
			if at.task.Ticket != nil {
				add(out.tickets, strings.TrimSpace(*at.task.Ticket))
			}
			if c := at.task.Criteria; c != nil && len(c.NLAssertions) > 0 {
				add(out.outcomes, value.OfStrings(c.NLAssertions).Repr())
			}
		}
	}
	return out
}

// recognise finds the role and the task of a request from any client: the judge's by the outcomes that it is to grade, the
// user's by the scenario, the agent's by policy or tools and by the ticket or the words of the user. The request's seed
// stands for the trial.
func (m *Models) recognise(req llm.Request) (llm.Tag, error) {
	t := m.texts()
	tag := func(role string, at place) (llm.Tag, error) {
		out := llm.Tag{Domain: at.domain, Task: at.task.ID, Role: role}
		if req.Seed != nil {
			out.RunSeed = *req.Seed
		}
		return out, nil
	}
	system := ""
	for _, msg := range req.Messages {
		if msg.Role == llm.System || msg.Role == llm.Developer {
			system += msg.Text() + "\n"
		}
		if _, outcomes, ok := judgement(msg); ok {
			if at, ok := t.outcomes[outcomes]; ok {
				return tag("judge", at)
			}
			return llm.Tag{}, unrecognised("no task expects the outcomes that are to be graded")
		}
	}
	if at, ok := t.scenarios[within(system, "scenario")]; ok {
		return tag("user", at)
	}
	if at, ok := t.tickets[within(system, "ticket")]; ok {
		return tag("agent", at)
	}
	w := m.governing(req, system)
	if w == nil {
		for _, text := range slices.Sorted(maps.Keys(t.scenarios)) { // in a prompt of somebody's own
			if strings.Contains(system, text) {
				return tag("user", t.scenarios[text])
			}
		}
		return llm.Tag{}, unrecognised("neither a task's scenario nor a domain's policy or tools are in it")
	}
	if at, ok := t.told(w, req.Messages); ok {
		return tag("agent", at)
	}
	return llm.Tag{}, unrecognised("the user has said nothing yet that tells the task")
}

func unrecognised(why string) error {
	return refused(http.StatusNotFound, "unknown_task", "messages", "the request cannot be told to belong to a task: %s\nhint: serve the data that the client has, "+
		"with --data; or send the header %s, such as %s", why, llm.TagHeader, `{"domain":"retail","task":"0","trial":0,"role":"agent","run_seed":300}`)
}

// within is the text between the tags of a prompt.
func within(prompt, tag string) string {
	_, rest, _ := strings.Cut(prompt, "<"+tag+">")
	text, _, _ := strings.Cut(rest, "</"+tag+">")
	return strings.TrimSpace(text)
}

// governing is the world whose policy an agent's prompt has, or which alone has all tools that are offered to it; nil for none.
func (m *Models) governing(req llm.Request, system string) (found *domains.World) {
	for _, name := range slices.Sorted(maps.Keys(m.worlds)) {
		if strings.Contains(system, strings.TrimSpace(m.worlds[name].Policy)) {
			return m.worlds[name]
		}
	}
	for _, name := range slices.Sorted(maps.Keys(m.worlds)) {
		w := m.worlds[name]
		foreign := slices.ContainsFunc(req.Tools, func(t llm.Tool) bool {
			_, has := w.Agent.Tool(t.Name)
			return !has && t.Name != doneTool
		})
		if !foreign && len(req.Tools) > 0 {
			return w
		}
	}
	return nil
}

// told finds the task that the user talks about: by the scripted user's first words, otherwise by the words that its
// messages have in common with the scenario, those with digits first.
func (t texts) told(w *domains.World, msgs []llm.Message) (best place, ok bool) {
	var said []string
	for _, m := range msgs {
		if m.Role == llm.User {
			said = append(said, m.Text())
		}
	}
	if len(said) == 0 {
		return place{}, false
	}
	if at, ok := t.openings[said[0]]; ok && at.domain == w.Name {
		return at, true
	}
	words := wordPattern.FindAllString(strings.ToLower(strings.Join(said, "\n")), -1)
	slices.Sort(words)
	words = slices.Compact(words)
	most := 0
	for i := range w.Tasks {
		scenario, score := strings.ToLower(w.Tasks[i].UserScenario.Text()), 0
		for _, word := range words {
			switch {
			case len(word) < 4 || !strings.Contains(scenario, strings.Trim(word, ".,-")):
			case strings.ContainsAny(word, "0123456789"):
				score += 10
			default:
				score++
			}
		}
		if score > most {
			best, most = place{w.Name, &w.Tasks[i]}, score
		}
	}
	return best, most > 0
}
