package guide

import (
	"cmp"
	"embed"
	"fmt"
	"io/fs"
	"os"
	"path"
	"strings"
)

//go:embed bundles catalog
var shipped embed.FS

// Shipped returns the names of the domains that have a bundle in the program, sorted.
func Shipped() []string {
	files, err := fs.Glob(shipped, path.Join("bundles", "*", mainFile))
	if err != nil {
		return nil
	}
	for i, f := range files {
		files[i] = path.Base(path.Dir(f))
	}
	return files
}

// LoadShipped reads the bundle of a domain that is built into the program.
func LoadShipped(domain string) (*Bundle, error) {
	sub, err := fs.Sub(shipped, path.Join("bundles", domain))
	if err == nil {
		_, err = fs.Stat(sub, mainFile)
	}
	if err != nil {
		return nil, fmt.Errorf("no workflow bundle for domain %q: there are bundles for %s; or name a folder", domain, strings.Join(Shipped(), ", "))
	}
	return Load(sub, domain)
}

// LoadFolder reads a bundle from a folder on disk, for the domain that it was written for if it says, or else of the
// folder's name.
func LoadFolder(dir string) (*Bundle, error) {
	st, err := os.Stat(dir)
	if err != nil {
		return nil, fmt.Errorf("workflow bundle: %w; name a folder with a main.yaml", err)
	}
	if !st.IsDir() {
		return nil, fmt.Errorf("workflow bundle %s is a file: name the folder that contains main.yaml", dir)
	}
	b, err := Load(os.DirFS(dir), path.Base(strings.TrimRight(strings.ReplaceAll(dir, "\\", "/"), "/")))
	if b != nil && b.Origin != nil {
		b.Domain = cmp.Or(b.Origin.Domain, b.Domain)
	}
	return b, err
}

// ShippedCatalog reads the requirement catalog of a domain that is built into the program; nil for a domain without one.
func ShippedCatalog(domain string) (*Catalog, error) {
	name := domain + ".yaml"
	text, err := shipped.ReadFile(path.Join("catalog", name))
	if err != nil {
		return nil, nil
	}
	return ParseCatalog("catalog/"+name, text)
}
