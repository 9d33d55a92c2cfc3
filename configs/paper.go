package configs

import (
	"embed"
	"fmt"
	"path"
	"slices"
	"strings"
)

// The configs that repeat the paper's experiments, one for each table or figure that needs runs of its own;
// policyguard is for our table of PolicyGuard's variants.
//
//go:embed paper/table*.yaml paper/figure*.yaml paper/policyguard.yaml
var paper embed.FS

// Paper returns the text of a config of the paper by its name, such as table1.
func Paper(name string) ([]byte, error) {
	text, err := paper.ReadFile(path.Join("paper", name+".yaml"))
	if err != nil {
		return nil, fmt.Errorf("no config %q of the paper: choose one of %s", name, strings.Join(PaperNames(), ", "))
	}
	return text, nil
}

// PaperPath is where that config is in the repository.
func PaperPath(name string) string { return "configs/paper/" + name + ".yaml" }

// PaperNames lists the configs of the paper, sorted.
func PaperNames() []string {
	files, err := paper.ReadDir("paper")
	if err != nil {
		return nil // embedded: it is there
	}
	var out []string
	for _, f := range files {
		out = append(out, strings.TrimSuffix(f.Name(), ".yaml"))
	}
	slices.Sort(out)
	return out
}
