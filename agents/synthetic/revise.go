package synthetic

import (
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
