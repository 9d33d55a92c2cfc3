package synthetic

import (
	"cmp"
	"encoding/json"
	"reflect"
	"regexp"
	"slices"
	"strings"
)

// settled answers a finding about a workflow: the nodes that it names are those of the author's own files again.
func settled(question string, own map[string][]byte) string {
	finding := within(question, "finding")
	var changed []string
	for path, text := range filesIn(question) {
		var file, mine object
		if json.Unmarshal([]byte(text), &file) != nil || json.Unmarshal(own[path], &mine) != nil {
			continue
		}
		before := text
		for _, n := range objects(mine["nodes"]) {
			if id, _ := n["id"].(string); regexp.MustCompile(`\b` + regexp.QuoteMeta(id) + `\b`).MatchString(finding) {
				restore(file, mine, id)
			}
		}
		if after, err := json.MarshalIndent(file, "", "  "); err == nil && !equalJSON(before, string(after)) {
			changed = append(changed, fenced(path, append(after, '\n')))
		}
	}
	if len(changed) == 0 {
		return "That is as the policy wants it.\n\nNO_CHANGES"
	}
	slices.Sort(changed)
	return "The finding is right.\n\n" + strings.Join(changed, "\n")
}

// restore puts a node of another state of a file in the place of the one that is there, with what leads on from it.
func restore(file, from object, id string) {
	for _, list := range []string{"nodes", "edges"} {
		key := map[string]string{"nodes": "id", "edges": "from"}[list]
		var out, mine []any
		for _, x := range objects(from[list]) {
			if x[key] == id {
				mine = append(mine, x)
			}
		}
		for _, x := range objects(file[list]) {
			if x[key] != id {
				out = append(out, x)
				continue
			}
			out, mine = append(out, mine...), nil
		}
		file[list] = append(out, mine...)
	}
}

func equalJSON(a, b string) bool {
	var x, y any
	return json.Unmarshal([]byte(a), &x) == nil && json.Unmarshal([]byte(b), &y) == nil && reflect.DeepEqual(x, y)
}

var fencedFile = regexp.MustCompile("(?s)((?:main\\.workflow|subflows/[a-z0-9_]+\\.subflow)\\.json)\n```json\n(.*?)\n```")

// filesIn are the files that a prompt shows, by path.
func filesIn(question string) map[string]string {
	out := map[string]string{}
	for _, m := range fencedFile.FindAllStringSubmatch(question, -1) {
		out[m[1]] = m[2]
	}
	return out
}

// renumbered are the numbers of changed lines, old and new, in the order of the lines.
func renumbered(question string) func(text string) string {
	now := map[string]string{}
	var old []string
	for line := range strings.Lines(within(question, "changes") + "\nend") {
		numbers := wholeNumber.FindAllString(line, -1)
		is := strings.HasPrefix(line, "+ ")
		for i, number := range old {
			switch {
			case slices.Contains(numbers, number): // it may be meant
			case is && i < len(numbers):
				now[number] = numbers[i]
			case !is:
				now[number] = "some" // the line is gone
			}
		}
		if old = nil; strings.HasPrefix(line, "- ") {
			old = numbers
		}
	}
	return func(text string) string {
		return wholeNumber.ReplaceAllStringFunc(text, func(number string) string { return cmp.Or(now[number], number) })
	}
}

// updated is a file of which the nodes that a prompt names have the numbers of now, and that has the nodes of its skeleton.
func updated(question string) string {
	path := within(question, "file")
	var file, skeleton object
	if json.Unmarshal([]byte(filesIn(question)[path]), &file) != nil || json.Unmarshal([]byte(within(question, "skeleton")), &skeleton) != nil {
		return "There is no such file."
	}
	now := renumbered(question)
	named := namedIn(within(question, "nodes"))
	steps := map[any]object{}
	for _, s := range objects(skeleton["steps"]) {
		steps[s["id"]] = s
	}
	for _, n := range objects(file["nodes"]) {
		id, _ := n["id"].(string)
		step := steps[id]
		if step == nil && n["type"] != "exit" {
			removeNode(file, id)
			continue
		}
		if named[id] {
			for _, key := range []string{"expectation", "evaluation_prompt", "directive_template", "description"} {
				if text, ok := n[key].(string); ok {
					n[key] = now(text)
				}
			}
			for _, key := range []string{"tauguide", "branch_descriptions"} {
				renumber(n[key], now)
			}
		}
		if step != nil && n["tauguide"] != nil && step["policy"] != nil {
			n["tauguide"].(object)["policy"] = step["policy"]
		}
	}
	keep := map[any]bool{}
	for _, n := range objects(file["nodes"]) {
		keep[n["id"]] = true
	}
	if own, ok := file["tauguide"].(object); ok {
		if intents, ok := own["intents"].(object); ok {
			for label, to := range intents {
				if !strings.Contains(question, `"subflow": "`+to.(string)+`"`) && !keep[to] {
					delete(intents, label)
				}
			}
		}
	}
	text, _ := json.MarshalIndent(file, "", "  ")
	return "Only what rests on the changes.\n\n" + fenced(path, append(text, '\n'))
}

func renumber(texts any, now func(string) string) {
	list, _ := texts.(object)
	for key, v := range list {
		if text, ok := v.(string); ok {
			list[key] = now(text)
		}
	}
}

// namedIn are the ids that lines begin with.
func namedIn(text string) map[string]bool {
	out := map[string]bool{}
	for line := range strings.Lines(text) {
		if id, _, ok := strings.Cut(strings.TrimSpace(line), ": "); ok {
			out[id] = true
		}
	}
	return out
}

// removeNode takes a node out: what led to it leads on, and branches of decisions to one that leads nowhere else are gone.
func removeNode(file object, id string) {
	for _, n := range objects(file["nodes"]) {
		branches, _ := n["branches"].(object)
		for label, to := range branches {
			if to == id {
				delete(branches, label)
				about, _ := n["branch_descriptions"].(object)
				delete(about, label)
			}
		}
	}
	remove(file, id)
}

// replanned excludes what is new, excuses new tools, takes out steps that have nothing to stand on, and files that
// have lost more than half of theirs.
func replanned(question string) string {
	var plan object
	if json.Unmarshal([]byte(within(question, "plan")), &plan) != nil {
		return "There is no plan."
	}
	out := object{}
	var excluded, idle []any
	for _, at := range strings.Fields(within(question, "statements")) {
		excluded = append(excluded, object{"lines": []any{at}, "reason": "it explains, and asks for nothing that a node could judge"})
	}
	for _, tool := range strings.Fields(within(question, "tools")) {
		idle = append(idle, object{"tool": tool, "reason": "the policy has no procedure for it"})
	}
	out["excluded_policy_statements"] = excluded
	now := renumbered(question)
	lost, dropped := map[string]bool{}, map[any]bool{}
	for line := range strings.Lines(within(question, "steps")) {
		name, _, _ := strings.Cut(strings.TrimSpace(line), ": ")
		lost[name] = strings.Contains(line, "nothing is left for it to stand on")
	}
	skeletons := objects(plan["subflow_skeletons"])
	for _, sk := range skeletons {
		all, left := 0, 0
		var tools []any
		for _, s := range objects(sk["steps"]) {
			gone := lost[name(sk, s)]
			if s["policy"] != nil || gone {
				all++
			}
			if s["policy"] != nil && !gone {
				left++
			}
			if s["type"] == "tool_authorization" && !gone {
				tools = append(tools, object{"tool": s["tool"], "reason": "the policy no longer has a procedure for it"})
			}
		}
		if 2*left < all {
			dropped[sk["name"]] = true
			idle = append(idle, tools...)
		}
	}
	out["tools_without_procedure"] = idle
	var changed, names, intents []any
	for _, sk := range skeletons {
		if dropped[sk["name"]] {
			names = append(names, sk["name"])
			continue
		}
		before, _ := json.Marshal(sk)
		for _, s := range objects(sk["steps"]) {
			if _, affected := lost[name(sk, s)]; affected {
				s["gist"] = now(s["gist"].(string))
			}
			if lost[name(sk, s)] || dropped[s["subflow"]] {
				unlink(sk, s, dropped[s["subflow"]])
			}
		}
		if after, _ := json.Marshal(sk); string(before) != string(after) {
			changed = append(changed, sk)
		}
	}
	for _, in := range objects(plan["intents"]) {
		if !dropped[in["subflow"]] {
			intents = append(intents, in)
		}
	}
	out["subflow_skeletons"], out["dropped_subflows"], out["intents"] = changed, names, intents
	text, _ := json.MarshalIndent(out, "", "  ")
	return "Line by line.\n\n```json\n" + string(text) + "\n```"
}

func name(sk, step object) string { return sk["name"].(string) + "." + step["id"].(string) }

// unlink takes a step out of a skeleton. Another takes on its citations. What led to it leads on, unless a decision led there to a file that is gone.
func unlink(sk, step object, ends bool) {
	var steps []any
	refs, _ := step["policy"].([]any)
	for _, s := range objects(sk["steps"]) {
		if s["id"] == step["id"] {
			continue
		}
		if own, ok := s["policy"].([]any); ok && !ends { // what it rested on, the first of the others takes on
			s["policy"], refs = append(own, refs...), nil
		}
		var next []any
		list, _ := s["next"].([]any)
		for _, to := range list {
			if to != step["id"] {
				next = append(next, to)
			} else if !(ends && s["type"] == "decision") {
				next = append(next, step["next"].([]any)...)
			}
		}
		s["next"] = next
		steps = append(steps, s)
	}
	sk["steps"] = steps
}
