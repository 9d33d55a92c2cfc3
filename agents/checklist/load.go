package checklist

import (
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path"
	"slices"
	"strings"

	"github.com/tauguide/tauguide/domains"
	"github.com/tauguide/tauguide/domains/yamlfile"
	"github.com/tauguide/tauguide/guide"
)

//go:embed data
var shipped embed.FS

// Shipped lists the domains whose checklists are built in.
func Shipped() []string {
	entries, err := fs.ReadDir(shipped, "data")
	if err != nil {
		return nil
	}
	var out []string
	for _, e := range entries {
		out = append(out, e.Name())
	}
	return out
}

// LoadShipped returns the built-in checklists of a domain.
func LoadShipped(domain string) (*Set, error) {
	if !slices.Contains(Shipped(), domain) {
		return nil, fmt.Errorf("there are no checklists for %s\nhint: give a folder of your own, or choose one of %s", domain, strings.Join(Shipped(), ", "))
	}
	files, err := fs.Sub(shipped, path.Join("data", domain))
	if err != nil {
		return nil, err
	}
	return load(files, domain)
}

// LoadFolder reads a set from a folder. What cannot be read as a set is a Findings.
func LoadFolder(dir, domain string) (*Set, error) {
	if info, err := os.Stat(dir); err != nil {
		return nil, fmt.Errorf("checklists: %w\nhint: give the folder that holds %s", err, RulesFile)
	} else if !info.IsDir() {
		return nil, fmt.Errorf("checklists: %s is a file\nhint: give the folder that holds %s", dir, RulesFile)
	}
	s, err := load(os.DirFS(dir), domain)
	if err != nil {
		return nil, fmt.Errorf("checklists in %s: %w", dir, err)
	}
	return s, nil
}

func load(files fs.FS, domain string) (*Set, error) {
	names, err := fs.Glob(files, "*.y*ml")
	if err != nil {
		return nil, err
	}
	texts := map[string][]byte{}
	for _, name := range names {
		if texts[name], err = domains.ReadText(files, name, yamlfile.MaxBytes); err != nil {
			return nil, err
		}
	}
	return Parse(domain, texts)
}

// Parse reads a set from its files by name. The error is a Findings.
func Parse(domain string, files map[string][]byte) (*Set, error) {
	s := &Set{Domain: domain}
	var found Findings
	if _, ok := files[RulesFile]; !ok {
		found.add(RulesFile, "", "the file is missing", "write it; it may be short")
	}
	for _, name := range slices.Sorted(maps.Keys(files)) {
		if name == RulesFile {
			found = append(found, decode(name, files[name], &s.Rules)...)
			continue
		}
		var c Checklist
		wrong := decode(name, files[name], &c)
		if want := FileOf(c.Tool); len(wrong) == 0 && name != want {
			wrong.add(name, "tool", fmt.Sprintf("it is %q", c.Tool), "name the file "+want)
		}
		found = append(found, wrong...)
		s.Tools = append(s.Tools, c)
	}
	return s, found.sorted().Errors()
}

// ParseChecklist reads a tool's checklist. The error is a Findings.
func ParseChecklist(file string, text []byte) (*Checklist, error) {
	var c Checklist
	return &c, decode(file, text, &c).Errors()
}

// ParseRules reads the rules for all tools. The error is a Findings.
func ParseRules(file string, text []byte) (*Rules, error) {
	var r Rules
	return &r, decode(file, text, &r).Errors()
}

// decode reads a file; what is wrong with it becomes findings.
func decode(file string, text []byte, into any) Findings {
	err := yamlfile.Decode(file, text, into)
	var one *yamlfile.Error
	var list yamlfile.Errors
	if errors.As(err, &one) {
		list = yamlfile.Errors{one}
	} else {
		errors.As(err, &list)
	}
	var found Findings
	for _, e := range list {
		found = append(found, Finding{fault: *e})
	}
	return found
}

// For returns the checklists of a world: those of a folder, or the built-in ones for "". They have no error left; a
// set with one is a Findings.
func For(w *domains.World, dir string) (*Set, error) {
	s, err := LoadShipped(w.Name)
	if dir != "" {
		s, err = LoadFolder(dir, w.Name)
	}
	if err != nil {
		return nil, err
	}
	inv, err := InventoryOf(w)
	if err != nil {
		return nil, err
	}
	return s, Lint(s, inv).Errors()
}

// Guarded lists the tools of the agent's whose calls are checked, by name: those that change something. Reads are
// never checked, nor is a transfer (docs/reference/baselines.md#verifier).
func Guarded(w *domains.World) []string {
	var out []string
	for _, t := range w.Agent.Specs() {
		if w.Agent.Mutates(t.Name) {
			out = append(out, t.Name)
		}
	}
	slices.Sort(out)
	return out
}

// Inventory is what a set is checked against.
type Inventory struct {
	Domain  string
	Tools   []string       // all of the agent's
	Guarded []string       // see Guarded
	Catalog *guide.Catalog // nil if the domain has none
}

// InventoryOf makes the inventory of a world.
func InventoryOf(w *domains.World) (Inventory, error) {
	inv := Inventory{Domain: w.Name, Guarded: Guarded(w)}
	for _, t := range w.Agent.Specs() {
		inv.Tools = append(inv.Tools, t.Name)
	}
	var err error
	if inv.Catalog, err = guide.ShippedCatalog(w.Name); err != nil {
		return Inventory{}, fmt.Errorf("catalog of %s: %w", w.Name, err)
	}
	return inv, nil
}
