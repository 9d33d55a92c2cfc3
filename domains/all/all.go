// Package all is the list of domains that the program knows.
package all

import (
	"fmt"
	"strings"

	"github.com/tauguide/tauguide/domains"
	"github.com/tauguide/tauguide/domains/airline"
	"github.com/tauguide/tauguide/domains/mock"
	"github.com/tauguide/tauguide/domains/retail"
	"github.com/tauguide/tauguide/domains/telecom"
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

// Domain returns the domain of that name.
func Domain(name string) (domains.Domain, error) {
	var names []string
	for _, d := range Domains() {
		if d.Name == name {
			return d, nil
		}
		names = append(names, d.Name)
	}
	return domains.Domain{}, fmt.Errorf("unknown domain %q: choose one of %s", name, strings.Join(names, ", "))
}
