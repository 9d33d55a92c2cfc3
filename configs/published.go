package configs

import (
	_ "embed"
	"fmt"

	"github.com/tauguide/tauguide/domains/yamlfile"
)

//go:embed paper/published.yaml
var published []byte

// Published returns the figures that the paper reports (configs/paper/published.yaml), each under its path in that file,
// such as table1.pass4.airline.react.all. Figures in a list are counted from 1: table10.airline.react.pass.4. Numbers have
// the digits that the paper prints; shares lie between 0 and 1 unless a comment in the file says percent.
func Published() (map[string]float64, error) {
	var file map[string]any
	if err := yamlfile.Decode("configs/paper/published.yaml", published, &file); err != nil {
		return nil, err
	}
	out := map[string]float64{}
	flatten("", file, out)
	return out, nil
}

// flatten puts the numbers at and below a place of a YAML file into one map.
func flatten(path string, v any, out map[string]float64) {
	switch x := v.(type) {
	case map[string]any:
		for key, value := range x {
			below := key
			if path != "" {
				below = path + "." + key
			}
			flatten(below, value, out)
		}
	case []any:
		for i, value := range x {
			flatten(fmt.Sprintf("%s.%d", path, i+1), value, out)
		}
	case uint64:
		out[path] = float64(x)
	case int64:
		out[path] = float64(x)
	case float64:
		out[path] = x
	}
}
