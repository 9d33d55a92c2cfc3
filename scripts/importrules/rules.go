// Package importrules keeps the direction of dependencies: which package of the module may import which. Its test
// fails on any edge that the table does not allow. A new edge is a decision about the architecture: change
// docs/architecture.md with the table, never the table alone to make a build pass.
package importrules

import (
	"fmt"
	"slices"
	"strings"
)

// Module is the module's path.
const Module = "github.com/tauguide/tauguide"

// Rules is the table: package or pattern, colon, what it may import of the module. A pattern ends in /... and covers
// the packages below and the one named; the longest match counts. "@name" stands for the list of that name.
const Rules = `
@data:               domains domains/value domains/record domains/yamlfile
@sim:                sim/llm @data sim

domains/yamlfile:
sim/llm:
sim/llm/...:         sim/llm
configs:             domains/yamlfile sim/llm
domains/value:
domains/record:      domains/value
domains:             domains/value domains/record
domains/toolkit:     @data
domains/...:         @data domains/toolkit
domains/all:         domains domains/...
domains/check:       domains domains/value domains/yamlfile
domains/domaintest:  @data
sim:                 sim/llm @data
sim/...:             @sim
guide:               @sim
guide/...:           @sim sim/synthetic guide/...
guide/author:        @sim sim/synthetic guide/... domains/described
guide/policy/...:    @data guide guide/policy
agents:              @sim guide/... sim/synthetic agents/...
agents/...:          @sim sim/... guide/... agents/...
metrics:             domains sim
metrics/...:         @sim metrics metrics/...
runs/config:         sim/llm/... domains/... sim/... agents agents/... configs
runs/store:          sim/llm domains/... sim sim/attack metrics runs/config
runs/terminal:
runs:                configs sim/llm/... domains/... sim sim/synthetic agents metrics runs/config runs/store runs/terminal
runs/runtest:        runs runs/config runs/store
runs/transcript:     sim/llm domains/... sim/... guide/... agents agents/... metrics/... runs/config runs/store runs/terminal
runs/trials:         domains/... sim/... metrics/... runs/config runs/store runs/transcript
runs/view:           sim/llm domains/... sim/... guide/... agents metrics/... runs/config runs/store runs/report runs/report/figure runs/transcript runs/trials
runs/view/browsertest:
runs/...:            sim/llm/... domains/... sim/... guide/... agents/... metrics/... configs runs/...
cmd/tauguide:        sim/llm/... domains/... sim/... guide/... agents/... metrics/... configs runs/...
scripts/...:         domains/...
scripts/bench:       guide/export/svg scripts/process
scripts/load:        sim/llm scripts/process
`

// Package is a package of the module with its imports, paths relative to the module.
type Package struct {
	Path    string
	Imports []string
}

// Check returns a line for each import that the rules do not allow, and for each package that no rule covers.
func Check(rules string, pkgs []Package) ([]string, error) {
	table, err := parse(rules)
	if err != nil {
		return nil, err
	}
	var bad []string
	for _, p := range pkgs {
		allowed, ok := lookup(table, p.Path)
		if !ok {
			bad = append(bad, fmt.Sprintf("package %s: no rule covers it", p.Path))
			continue
		}
		for _, imp := range p.Imports {
			if !slices.ContainsFunc(allowed, func(a string) bool { return covers(a, imp) }) {
				bad = append(bad, fmt.Sprintf("package %s must not import %s", p.Path, imp))
			}
		}
	}
	return bad, nil
}

func parse(rules string) (map[string][]string, error) {
	table := map[string][]string{}
	for i, line := range strings.Split(rules, "\n") {
		if strings.TrimSpace(line) == "" {
			continue
		}
		name, list, ok := strings.Cut(line, ":")
		if !ok {
			return nil, fmt.Errorf("rule line %d: want name: imports", i+1)
		}
		var allowed []string
		for _, word := range strings.Fields(list) {
			if !strings.HasPrefix(word, "@") {
				allowed = append(allowed, word)
				continue
			}
			expanded, ok := table[word]
			if !ok {
				return nil, fmt.Errorf("rule line %d: list %s is not defined above", i+1, word)
			}
			allowed = append(allowed, expanded...)
		}
		table[strings.TrimSpace(name)] = allowed
	}
	return table, nil
}

// lookup finds the rule with the longest match.
func lookup(table map[string][]string, path string) (allowed []string, ok bool) {
	if a, ok := table[path]; ok {
		return a, true
	}
	best := ""
	for pattern := range table {
		if covers(pattern, path) && len(pattern) > len(best) {
			best = pattern
		}
	}
	return table[best], best != ""
}

func covers(pattern, path string) bool {
	dir, below := strings.CutSuffix(pattern, "/...")
	return pattern == path || (below && (path == dir || strings.HasPrefix(path, dir+"/")))
}
