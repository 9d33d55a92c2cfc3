// Package all is the list of domains that the program knows.
package all

import (
	"fmt"

	"github.com/tauguide/tauguide/domains"
	"github.com/tauguide/tauguide/domains/airline"
	"github.com/tauguide/tauguide/domains/mock"
	"github.com/tauguide/tauguide/domains/retail"
	"github.com/tauguide/tauguide/domains/telecom"
	"github.com/tauguide/tauguide/domains/yamlfile"
)

// Domains returns every domain, in the order of listings.
func Domains() []domains.Domain {
	return []domains.Domain{
		airline.Domain(),
		retail.Domain(),
		telecom.Domain(),
		mock.Domain(),
	}
}

// Domain returns the domain of that name. Its error is domains.ErrUsage.
func Domain(name string) (domains.Domain, error) {
	var names []string
	for _, d := range Domains() {
		if d.Name == name {
			return d, nil
		}
		names = append(names, d.Name)
	}
	return domains.Domain{}, domains.Usage(fmt.Errorf("unknown domain %q\nhint: %s", name, yamlfile.Suggest(name, names)))
}

// Open opens the named domains, or all of them, on a data folder (domains.OpenData). A split whose tasks have a file of
// their own has to be named here.
func Open(data string, names []string, split string) ([]*domains.World, error) {
	d, err := domains.OpenData(data)
	if err != nil {
		return nil, err
	}
	list := Domains()
	if len(names) > 0 {
		list = nil
		for _, n := range names {
			one, err := Domain(n)
			if err != nil {
				return nil, err
			}
			list = append(list, one)
		}
	}
	var out []*domains.World
	for _, one := range list {
		w, err := one.Open(d, domains.Options{Split: split})
		if err != nil {
			return nil, fmt.Errorf("open domain %s: %w", one.Name, err)
		}
		out = append(out, w)
	}
	return out, nil
}
