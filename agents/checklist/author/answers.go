package author

import (
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/tauguide/tauguide/agents/checklist"
)

var (
	fenced  = regexp.MustCompile("(?ms)^[ \t]*```[ \t]*(?i:ya?ml|json)?[^\n`]*\n(.*?)(?:^[ \t]*```|\\z)")
	firstKy = regexp.MustCompile(`(?m)^[a-z_]+:(?:[ \t].*)?$`)
	fileTag = regexp.MustCompile(`(?ms)^[ \t]*<file name="?([^">\n]+)"?>[ \t]*\r?\n(.*?)^[ \t]*</file>`)
)

// candidates are the parts of an answer that may be what was asked for, the likeliest first: the fenced blocks from the
// last on, what follows the first key of a mapping, and all of it.
func candidates(answer string) []string {
	answer = strings.ReplaceAll(answer, "\r\n", "\n")
	var out []string
	for _, m := range fenced.FindAllStringSubmatch(answer, -1) {
		out = append(out, m[1])
	}
	slices.Reverse(out)
	if at := firstKy.FindStringIndex(answer); at != nil && len(out) == 0 {
		out = append(out, answer[at[0]:])
	}
	return append(out, answer)
}

// first returns the first candidate that can be used, or the complaint about the likeliest.
func first[T any](list []string, use func(string) (T, error)) (T, error) {
	var none T
	var complaint error
	for _, c := range list {
		v, err := use(c)
		if err == nil {
			return v, nil
		}
		if complaint == nil {
			complaint = err
		}
	}
	return none, complaint
}

// sorted reads how a model sorted the tools, and returns those that it takes for mutating although they are not guarded.
func sorted(answer string, inv checklist.Inventory) (extra []string, err error) {
	list := candidates(answer)
	if from, to := strings.IndexByte(answer, '{'), strings.LastIndexByte(answer, '}'); from >= 0 && to > from {
		list = append(list, answer[from:to+1])
	}
	type classes struct {
		Mutating []string `json:"mutating"`
		ReadOnly []string `json:"read_only"`
	}
	c, err := first(list, func(s string) (c classes, err error) {
		if err := json.Unmarshal([]byte(strings.TrimSpace(s)), &c); err != nil {
			return c, fmt.Errorf("there is no JSON object with the lists mutating and read_only: %w", err)
		}
		return c, nil
	})
	if err != nil {
		return nil, err
	}
	var complaints []error
	count := map[string]int{}
	for _, name := range append(slices.Clone(c.Mutating), c.ReadOnly...) {
		if count[name]++; !slices.Contains(inv.Tools, name) {
			complaints = append(complaints, fmt.Errorf("the agent has no tool %q", name))
		}
	}
	for _, name := range inv.Tools {
		if count[name] != 1 {
			complaints = append(complaints, fmt.Errorf("%s is listed %d times: list it once", name, count[name]))
		}
	}
	for _, name := range inv.Guarded {
		if count[name] == 1 && !slices.Contains(c.Mutating, name) {
			complaints = append(complaints, fmt.Errorf("%s changes data: it belongs under mutating", name))
		}
	}
	for _, name := range c.Mutating {
		if !slices.Contains(inv.Guarded, name) {
			extra = append(extra, name)
		}
	}
	return extra, errors.Join(complaints...)
}

func readTool(name, answer string, inv checklist.Inventory) (*checklist.Checklist, error) {
	return first(candidates(answer), func(s string) (*checklist.Checklist, error) {
		c, err := checklist.ParseChecklist(checklist.FileOf(name), []byte(s))
		if err != nil {
			return nil, err
		}
		if c.Tool != name {
			return nil, fmt.Errorf("%s: tool: it is %q; write %s", checklist.FileOf(name), c.Tool, name)
		}
		return c, checklist.LintChecklist(c, inv).Errors()
	})
}

func readRules(answer string, inv checklist.Inventory) (*checklist.Rules, error) {
	return first(candidates(answer), func(s string) (*checklist.Rules, error) {
		r, err := checklist.ParseRules(checklist.RulesFile, []byte(s))
		if err != nil {
			return nil, err
		}
		return r, checklist.LintRules(r, inv).Errors()
	})
}

// readSet reads the answer to the review, which must have the very files that were asked about.
func readSet(answer string, inv checklist.Inventory) (*checklist.Set, error) {
	files := map[string]string{}
	var complaints []error
	for _, m := range fileTag.FindAllStringSubmatch(strings.ReplaceAll(answer, "\r\n", "\n"), -1) {
		name := strings.TrimSpace(m[1])
		if _, twice := files[name]; twice {
			complaints = append(complaints, fmt.Errorf("%s is there twice", name))
		}
		files[name] = m[2]
	}
	wanted := []string{checklist.RulesFile}
	for _, tool := range inv.Guarded {
		wanted = append(wanted, checklist.FileOf(tool))
	}
	for name := range files {
		if !slices.Contains(wanted, name) {
			complaints = append(complaints, fmt.Errorf("there is no file %s: return the files that you were given and no other", name))
		}
	}
	set := &checklist.Set{Domain: inv.Domain}
	for _, tool := range inv.Guarded {
		text, ok := files[checklist.FileOf(tool)]
		if !ok {
			complaints = append(complaints, fmt.Errorf("%s is missing: return every file between <file name=\"…\"> and </file>", checklist.FileOf(tool)))
			continue
		}
		c, err := readTool(tool, text, inv)
		if err != nil {
			complaints = append(complaints, err)
			continue
		}
		set.Tools = append(set.Tools, *c)
	}
	text, ok := files[checklist.RulesFile]
	if !ok {
		complaints = append(complaints, fmt.Errorf("%s is missing: return every file between <file name=\"…\"> and </file>", checklist.RulesFile))
	} else if r, err := readRules(text, inv); err != nil {
		complaints = append(complaints, err)
	} else {
		set.Rules = *r
	}
	slices.SortFunc(complaints, func(a, b error) int { return strings.Compare(a.Error(), b.Error()) })
	return set, errors.Join(complaints...)
}
