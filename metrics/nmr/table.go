package nmr

import (
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"path"
	"regexp"
	"slices"
	"strings"

	"github.com/tauguide/tauguide/domains"
	"github.com/tauguide/tauguide/domains/yamlfile"
)

//go:embed data
var shipped embed.FS

// Table says which reads the mutating tools of a domain need. It is immutable and safe for concurrent use.
type Table struct {
	Domain string
	Tools  map[string]Guard
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
	List  string         `yaml:"list"`
	Of    string         `yaml:"of"`    // id of the earlier need; "" is the call's arguments
	Where map[string]any `yaml:"where"` // only elements with these fields; a list of the call holds the field
}

// Read is a way to have obtained what is needed.
type Read struct {
	Call  words          `yaml:"call"`
	Args  map[string]any `yaml:"args"`  // arguments that the read has
	Shows map[string]any `yaml:"shows"` // fields of one object of its result
	Has   words          `yaml:"has"`   // names of further fields of that object

	Returns string `yaml:"returns"` // what its result is, where that is a plain text
}

type file struct {
	Domain string           `yaml:"domain"`
	Tools  map[string]Guard `yaml:"tools"`
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

// Parse reads a table from YAML; name is what errors call it. Errors name the file, the tool and the need.
func Parse(name string, text []byte) (*Table, error) {
	var f file
	if err := yamlfile.Decode(name, text, &f); err != nil {
		return nil, err
	}
	var faults []error
	fault := func(where, format string, args ...any) {
		faults = append(faults, fmt.Errorf("%s: %s: %s", name, where, fmt.Sprintf(format, args...)))
	}
	if f.Domain == "" {
		fault("domain", "is missing\nhint: name the domain")
	}
	if len(f.Tools) == 0 {
		fault("tools", "there are none\nhint: add the mutating tools of the domain")
	}
	for _, tool := range slices.Sorted(maps.Keys(f.Tools)) {
		f.Tools[tool].check(func(where, format string, args ...any) { fault("tool "+tool+": "+where, format, args...) })
	}
	if len(faults) > 0 {
		return nil, errors.Join(faults...)
	}
	return &Table{Domain: f.Domain, Tools: f.Tools}, nil
}

type faultFunc func(where, format string, args ...any)

var idPattern = regexp.MustCompile(`^[a-z][a-z0-9_]*$`)

func (g Guard) check(fault faultFunc) {
	var before []string
	for i, n := range g.Needs {
		where := "need " + n.ID
		if !idPattern.MatchString(n.ID) {
			where = fmt.Sprintf("need %d", i+1)
			fault(where+": id", "%q is no id\nhint: write lower-case words joined by underscores", n.ID)
		}
		if slices.Contains(before, n.ID) {
			fault(where+": id", "is there twice\nhint: rename one of the two")
		}
		if strings.TrimSpace(n.What) == "" {
			fault(where+": what", "is empty\nhint: say what is needed")
		}
		if n.Each != nil {
			if n.Each.List == "" {
				fault(where+": each.list", "is missing\nhint: name a list")
			}
			if n.Each.Of != "" && !slices.Contains(before, n.Each.Of) {
				fault(where+": each.of", "there is no earlier need %q\nhint: choose one of %s", n.Each.Of, strings.Join(before, ", "))
			}
			checkFields(n.Each.Where, where+": each.where", before, fault)
		}
		if len(n.Reads) == 0 {
			fault(where+": reads", "there are none\nhint: name a call that would do")
		}
		for j, r := range n.Reads {
			at := fmt.Sprintf("%s: read %d", where, j+1)
			if len(r.Call) == 0 {
				fault(at+": call", "is missing\nhint: name a tool")
			}
			if len(r.Args)+len(r.Shows) == 0 && r.Returns == "" {
				fault(at, "fits any record\nhint: add args, shows or returns")
			}
			checkFields(r.Args, at+": args", before, fault)
			checkFields(r.Shows, at+": shows", before, fault)
		}
		before = append(before, n.ID)
	}
}

// checkFields looks at the values of a mapping: texts, of which $need.field must name an earlier need.
func checkFields(m map[string]any, where string, before []string, fault faultFunc) {
	for _, key := range slices.Sorted(maps.Keys(m)) {
		s, ok := m[key].(string)
		if !ok {
			fault(where+"."+key, "is no text\nhint: write a text, or $name for an argument of the call")
			continue
		}
		need, _, dotted := strings.Cut(strings.TrimPrefix(s, "$"), ".")
		if strings.HasPrefix(s, "$") && dotted && !slices.Contains(before, need) {
			fault(where+"."+key, "there is no earlier need %q\nhint: choose one of %s", need, strings.Join(before, ", "))
		}
	}
}

type words = yamlfile.Words

// Mismatches lists where a table and a domain differ: tools that the domain does not have, and mutating tools of the
// agent's that the table does not list. It is empty for the tables that are built in.
func (t *Table) Mismatches(w *domains.World) []string {
	var out []string
	for _, tool := range slices.Sorted(maps.Keys(t.Tools)) {
		if !w.Agent.Mutates(tool) {
			out = append(out, tool+" is no mutating tool of the agent's")
		}
		for _, n := range t.Tools[tool].Needs {
			for _, r := range n.Reads {
				for _, call := range r.Call {
					if _, ok := w.Agent.Tool(call); !ok || w.Agent.Mutates(call) {
						out = append(out, fmt.Sprintf("%s: need %s: %s is no read of the agent's", tool, n.ID, call))
					}
				}
			}
		}
	}
	for _, s := range w.Agent.Specs() {
		if _, ok := t.Tools[s.Name]; !ok && w.Agent.Mutates(s.Name) {
			out = append(out, s.Name+" is missing in the table")
		}
	}
	return out
}
