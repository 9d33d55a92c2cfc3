package nmr

import (
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/tauguide/tauguide/domains/yamlfile"
)

//go:embed data
var shipped embed.FS

// Table says which reads the mutating tools of a domain need. It is immutable and safe for concurrent use.
type Table struct {
	Domain string           `yaml:"domain"`
	Tools  map[string]Guard `yaml:"tools"`
}

// Guard is the needs of one tool, in order; a need may refer to records that earlier ones found.
type Guard struct {
	Needs []Required `yaml:"needs"`
}

// Required is one required read, or one for each element of a list.
type Required struct {
	ID    string `yaml:"id"`
	What  string `yaml:"what"` // in words; $names are filled in
	Each  *each  `yaml:"each"`
	Reads []Read `yaml:"reads"` // any of these will do
}

// each names a list: an argument of the call, or a list of the record that an earlier need found.
type each struct {
	List  string            `yaml:"list"`
	Of    string            `yaml:"of"`    // id of the earlier need; "" is the call's arguments
	Where map[string]string `yaml:"where"` // only elements with these fields; a list of the call holds the field
}

// Read is a way to have obtained what is needed.
type Read struct {
	Call  yamlfile.Words    `yaml:"call"`
	Args  map[string]string `yaml:"args"`  // arguments that the read has
	Shows map[string]string `yaml:"shows"` // fields of one object of its result
	Has   yamlfile.Words    `yaml:"has"`   // names of further fields of that object

	Returns string `yaml:"returns"` // what its result is, where that is a plain text
}

// Domains returns the names of the domains for which a table is built into the program, sorted.
func Domains() []string {
	files, err := fs.Glob(shipped, "data/*.yaml")
	if err != nil {
		return nil
	}
	for i, f := range files {
		files[i] = strings.TrimSuffix(path.Base(f), ".yaml")
	}
	return files
}

// Load reads the table of a domain that is built into the program.
func Load(domain string) (*Table, error) {
	text, err := shipped.ReadFile(path.Join("data", domain+".yaml"))
	if err != nil {
		return nil, fmt.Errorf("no guard table for domain %q\nhint: there are tables for %s", domain, strings.Join(Domains(), ", "))
	}
	return Parse(domain+".yaml", text)
}

// Parse reads a table from YAML; name is what errors call it. A reference to a need that does not come earlier is an
// error that names the file, the tool and the need.
func Parse(name string, text []byte) (*Table, error) {
	var t Table
	if err := yamlfile.Decode(name, text, &t); err != nil {
		return nil, err
	}
	var faults []error
	for _, tool := range slices.Sorted(maps.Keys(t.Tools)) {
		var before []string
		for _, n := range t.Tools[tool].Needs {
			for _, need := range n.refersTo() {
				if !slices.Contains(before, need) {
					faults = append(faults, fmt.Errorf("%s: tool %s: need %s: there is no earlier need %q\nhint: choose one of %s", name, tool, n.ID, need, strings.Join(before, ", ")))
				}
			}
			before = append(before, n.ID)
		}
	}
	return &t, errors.Join(faults...)
}

// refersTo lists the needs whose records a need refers to, as $need.field or as those that have its list.
func (n Required) refersTo() []string {
	var fields []map[string]string
	var out []string
	if n.Each != nil {
		fields = append(fields, n.Each.Where)
		if n.Each.Of != "" {
			out = append(out, n.Each.Of)
		}
	}
	for _, r := range n.Reads {
		fields = append(fields, r.Args, r.Shows)
	}
	for _, m := range fields {
		for _, key := range slices.Sorted(maps.Keys(m)) {
			if need, _, ok := strings.Cut(m[key], "."); ok && strings.HasPrefix(need, "$") {
				out = append(out, need[1:])
			}
		}
	}
	return out
}
