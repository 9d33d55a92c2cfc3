package configs

import (
	"embed"
	"fmt"
	"path"
	"slices"
	"strings"
)

// The attack sets that come with the program, each named after its domain and its data.
//
//go:embed attacks/*.yaml
var attacks embed.FS

// Attacks returns the text of the shipped attack set of a domain on data, embedded or tau2, in the format of sim/attack,
// and where it is in the repository.
func Attacks(domain, data string) (text []byte, file string, err error) {
	name := domain + "-" + data
	text, err = attacks.ReadFile(path.Join("attacks", name+".yaml"))
	if err != nil {
		return nil, "", fmt.Errorf("no attack set is shipped for %s on %s data, only %s: give a file of your own", domain, data, strings.Join(AttackNames(), ", "))
	}
	return text, "configs/attacks/" + name + ".yaml", nil
}

// AttackNames lists the shipped attack sets, sorted.
func AttackNames() []string {
	files, err := attacks.ReadDir("attacks")
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
