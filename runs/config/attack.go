package config

import (
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"github.com/tauguide/tauguide/configs"
	"github.com/tauguide/tauguide/domains"
	"github.com/tauguide/tauguide/domains/yamlfile"
	"github.com/tauguide/tauguide/sim"
	"github.com/tauguide/tauguide/sim/attack"
)

// User is who plays the customer.
type User struct {
	Role
	Attack string `json:"attack,omitempty"` // a style of sim/attack; empty for the ordinary user
	Plans  string `json:"plans,omitempty"`  // file of plans, in place of those of the attack sets
	Faults string `json:"faults,omitempty"` // of the user's model: void, or counted as the reference counts them; default void
}

// CountsFaults reports whether faults of the user's model count as failures.
func (u User) CountsFaults() bool { return u.Faults == "counted" }

// shippedAttacks is the value of attacks that means the set that comes with the program.
const shippedAttacks = "default"

// Attacks are those of a config. The zero value has none.
type Attacks struct {
	Style attack.Style
	Sets  map[string]*attack.Set // by domain
}

// User makes the simulated user of a trial. The task is the world's.
func (a Attacks) User(w *domains.World, t *domains.Task, m *sim.Model) (sim.Participant, error) {
	set := a.Sets[w.Name]
	if set == nil {
		return sim.NewUser(w, t, m), nil
	}
	one, ok := set.Task(t.ID)
	if !ok {
		return nil, fmt.Errorf("the attack set has no task %s", t.ID)
	}
	return attack.NewUser(w, t, one, a.Style, m)
}

// Hits finds the forbidden calls that were executed in a conversation; ok is false where nobody attacked.
func (a Attacks) Hits(r sim.Record) (hits []attack.Hit, ok bool) {
	set := a.Sets[r.Domain]
	if set == nil {
		return nil, false
	}
	one, ok := set.Task(r.Task)
	if !ok {
		return nil, false
	}
	return set.Hits(one, r.Messages), true
}

// LoadAttacks reads the attack set of a domain on data, embedded or tau2: from a file, or the one that comes with the
// program for "" and "default". Without a domain, the file's may be any.
func LoadAttacks(domain, data, file string) (*attack.Set, error) {
	var text []byte
	var err error
	if file == "" || file == shippedAttacks {
		text, file, err = configs.Attacks(domain, data)
	} else {
		text, err = domains.ReadFile(filepath.FromSlash(file), yamlfile.MaxBytes)
	}
	if err != nil {
		return nil, err
	}
	s, err := attack.Load(file, text)
	switch {
	case err != nil:
		return nil, err
	case domain != "" && s.Domain != domain:
		return nil, fmt.Errorf("attack set %s is for domain %s, not for %s", file, s.Domain, domain)
	case s.Data != data:
		return nil, fmt.Errorf("attack set %s is for %s data, but the data here is %s\nhint: choose another set or other data", file, s.Data, data)
	}
	return s, nil
}

// AddAttacks puts attack sets among the tasks of worlds that models are served for: each named file, and for default those
// that are shipped for the data.
func AddAttacks(worlds map[string]*domains.World, data string, files []string) error {
	kind := DataKind(data)
	add := func(domain, file string) error {
		s, err := LoadAttacks(domain, kind, file)
		if err == nil && worlds[s.Domain] == nil {
			err = fmt.Errorf("%s is for domain %s, which is not served", file, s.Domain)
		}
		if err == nil {
			worlds[s.Domain], err = s.With(worlds[s.Domain])
		}
		if err != nil {
			return fmt.Errorf("--attacks %s: %w", file, err)
		}
		return nil
	}
	for _, file := range files {
		served := []string{""}
		if file == shippedAttacks {
			served = slices.DeleteFunc(slices.Sorted(maps.Keys(worlds)), func(domain string) bool {
				return !slices.Contains(configs.AttackNames(), domain+"-"+kind)
			})
		}
		for _, domain := range served {
			if err := add(domain, file); err != nil {
				return err
			}
		}
	}
	return nil
}

// DataKind is how attack sets call a config's data.
func DataKind(data string) string {
	if data == embedded {
		return attack.Embedded
	}
	return attack.Tau2
}

// openAttacks reads what the config's user attacks with, and puts the attacks among the tasks of the worlds.
func (c *Config) openAttacks(worlds map[string]*domains.World) (Attacks, error) {
	a := Attacks{Sets: map[string]*attack.Set{}}
	if c.User.Attack == "" {
		return a, nil
	}
	var err error
	if a.Style, err = attack.FindStyle(c.User.Attack); err != nil {
		return a, c.source.positioned("user.attack", fmt.Errorf("user.attack: %w", err))
	}
	plans, err := c.plans()
	if err != nil {
		return a, c.source.positioned("user.plans", fmt.Errorf("user.plans: %w", err))
	}
	for i, d := range c.Domains {
		at := fmt.Sprintf("domains[%d].attacks", i)
		s, err := LoadAttacks(d.Name, DataKind(c.Data), d.Attacks)
		if err == nil && plans != nil && plans.Domain == d.Name {
			s, err = s.WithPlans(plans)
		}
		if err == nil {
			worlds[d.Name], err = s.With(worlds[d.Name])
		}
		if err != nil {
			return a, c.source.positioned(at, fmt.Errorf("%s: %w", at, err))
		}
		if lacking := s.Unplanned(); a.Style.Planned && len(lacking) > 0 {
			return a, c.source.errorf("user.attack", "user.attack: %s needs plans, and attacks %s of %s have none\nhint: make them with `tauguide author attacks %s` "+
				"and name the file under user.plans, or choose another attack", a.Style.Name, strings.Join(lacking, ", "), d.Name, d.Name)
		}
		a.Sets[d.Name] = s
	}
	return a, nil
}

// plans reads the config's file of plans; nil for none.
func (c *Config) plans() (*attack.Plans, error) {
	if c.User.Plans == "" {
		return nil, nil
	}
	text, err := domains.ReadFile(filepath.FromSlash(c.User.Plans), yamlfile.MaxBytes)
	if err != nil {
		return nil, err
	}
	p, err := attack.LoadPlans(c.User.Plans, text)
	if err != nil {
		return nil, err
	}
	if !slices.ContainsFunc(c.Domains, func(d Domain) bool { return d.Name == p.Domain }) {
		return nil, fmt.Errorf("%s is for domain %s, which the config does not have", c.User.Plans, p.Domain)
	}
	return p, nil
}

// checkAttack looks at what goes together with an attacking user, and what does not.
func (c *Config) checkAttack(add complain) {
	for i, d := range c.Domains {
		at := fmt.Sprintf("domains[%d]", i)
		switch {
		case c.User.Attack == "" && d.Attacks != "":
			add(at+".attacks", "%s.attacks: nobody attacks\nhint: add attack to user, such as craft, or naive for the ordinary user", at)
		case c.User.Attack == "":
		case d.Solo:
			add(at+".solo", "%s.solo: without a user nobody can attack\nhint: remove solo, or user.attack", at)
		case d.Split != attack.Split:
			add(at+".split", "%s.split: with user.attack the tasks are those of the attack set\nhint: remove split, and choose among them with tasks", at)
		}
	}
	if c.User.Attack == "" && c.User.Plans != "" {
		add("user.plans", "user.plans: nobody attacks\nhint: add attack: craft, or remove plans")
	}
}

// attacks adds to an identity what the user attacks with. Runs without attacks have none of these fields.
func (f fields) attacks(a Attacks) {
	if len(a.Sets) == 0 {
		return
	}
	f.set("user.attack", a.Style.Name)
	hash := func(path string, sum string, err error) {
		if err != nil {
			sum = err.Error() // no set that was read gets here; if one does, it must not be ignored
		}
		f.set(path, sum)
	}
	sum, err := a.Style.Hash()
	hash("user.attack.text", sum, err)
	for name, s := range a.Sets {
		sum, err := s.Hash()
		hash(yamlfile.Join("domains", name)+".attacks", sum, err)
	}
}
