package configs

import (
	"embed"
	"fmt"
	"io/fs"
	"slices"
	"strings"

	"github.com/tauguide/tauguide/domains/yamlfile"
)

// The configs that come with the program, those of the paper's tables and figures in a folder of their own. Only replay
// is not among them: it is about the recordings in the folder beside it.
//
//go:embed quickstart.yaml openai-smoke.yaml local-model.yaml real-all.yaml real-retail.yaml
//go:embed paper/table*.yaml paper/figure*.yaml paper/policyguard.yaml
var shipped embed.FS

// Text returns the text of a config that comes with the program, by its name, such as quickstart or paper/table1, or by
// where it is in the repository.
func Text(name string) ([]byte, error) {
	short := strings.TrimSuffix(strings.TrimPrefix(name, "configs/"), ".yaml")
	text, err := shipped.ReadFile(short + ".yaml")
	if err == nil {
		return text, nil
	}
	return nil, fmt.Errorf("%s is no config of the program\nhint: %s", name, yamlfile.Suggest(short, Names()))
}

// Path is where a config that comes with the program is in the repository.
func Path(name string) string { return "configs/" + name + ".yaml" }

// Names lists the configs that come with the program, sorted.
func Names() []string {
	var out []string
	for _, pattern := range []string{"*.yaml", "*/*.yaml"} {
		files, err := fs.Glob(shipped, pattern)
		if err != nil {
			return nil // embedded: it is there
		}
		for _, f := range files {
			out = append(out, strings.TrimSuffix(f, ".yaml"))
		}
	}
	slices.Sort(out)
	return out
}
