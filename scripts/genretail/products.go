package main

import (
	"fmt"
	"strings"
)

// axis is one option of a product; every value costs step more than the one before it.
type axis struct {
	name   string
	step   float64
	values []string
}

// line describes a product before its variants are drawn. Pins name variants
// (option values joined by a slash) that must exist, and whether they are in
// stock; the rest is left to chance.
type line struct {
	name string
	base float64
	axes []axis
	pins map[string]bool
}

func ax(name string, step float64, values ...string) axis { return axis{name, step, values} }

func catalogue() []line {
	in := func(names ...string) map[string]bool {
		pins := map[string]bool{}
		for _, n := range names {
			pins[strings.TrimPrefix(n, "!")] = !strings.HasPrefix(n, "!")
		}
		return pins
	}
	return []line{
		{"Trail Jacket", 118.4, []axis{ax("color", 0, "moss", "slate", "rust"), ax("size", 2.5, "S", "M", "L", "XL")}, in("moss/M", "slate/L")},
		{"Dutch Oven", 84, []axis{ax("capacity", 22, "3 L", "5 L"), ax("color", 1.5, "cream", "teal", "graphite")}, in("5 L/teal", "3 L/cream")},
		{"Standing Desk", 289, []axis{ax("top", 18, "white", "oak", "walnut"), ax("width", 40, "120 cm", "140 cm"), ax("lift", 95, "manual", "electric")},
			in("oak/120 cm/manual", "!oak/140 cm/electric", "walnut/140 cm/electric")},
		{"Camping Tent", 129, []axis{ax("sleeps", 45, "2", "3", "4"), ax("season", 60, "3-season", "4-season")}, in("3/3-season", "4/3-season")},
		{"Strategy Board Game", 41, []axis{ax("edition", 24, "standard", "deluxe"), ax("language", 0, "English", "Spanish", "French")}, in("deluxe/English")},
		{"Rain Boots", 52, []axis{ax("color", 1, "yellow", "navy"), ax("size", 0, "6", "7", "8", "9", "10")}, in("yellow/8", "navy/8")},
		{"Record Player", 174, []axis{ax("finish", 9, "black", "white", "walnut"), ax("speakers", 58, "external", "built-in")}, in("walnut/built-in")},
		{"Hammock", 48, []axis{ax("fabric", 11, "cotton", "nylon", "canvas"), ax("width", 14, "single", "double")}, in("canvas/double")},
		{"Bread Maker", 96, []axis{ax("loaf size", 17, "500 g", "750 g", "1 kg"), ax("color", 2, "white", "black")}, nil},
		{"Projector", 342, []axis{ax("resolution", 210, "1080p", "4K"), ax("brightness", 66, "2000 lm", "3000 lm"), ax("color", 0, "white", "gray")}, in("1080p/3000 lm/gray")},
		{"Rice Cooker", 57, []axis{ax("capacity", 16, "1 L", "1.8 L", "3 L"), ax("lid", 8, "glass", "sealed")}, nil},
		{"Toaster", 39, []axis{ax("slots", 19, "2", "4"), ax("color", 1, "steel", "red", "mint")}, in("2/mint", "4/steel")},
		{"Gooseneck Kettle", 61, []axis{ax("capacity", 7, "0.8 L", "1.0 L"), ax("finish", 5, "steel", "black", "copper")}, in("1.0 L/copper", "0.8 L/black")},
		{"Duffel Bag", 66, []axis{ax("volume", 18, "40 L", "60 L", "90 L"), ax("color", 0, "olive", "black", "orange")}, in("60 L/orange")},
		{"Air Fryer", 88, []axis{ax("capacity", 25, "3.5 L", "5 L", "7 L"), ax("controls", 12, "dial", "touch")}, in("5 L/touch", "7 L/touch")},
		{"Wool Blanket", 74, []axis{ax("size", 28, "throw", "queen", "king"), ax("pattern", 3, "plain", "check", "stripe")}, in("queen/check", "king/check", "throw/stripe")},
		{"Floor Lamp", 79, []axis{ax("shade", 6, "linen", "paper", "metal"), ax("base", 10, "oak", "brass"), ax("dimmer", 15, "no", "yes")}, in("linen/brass/yes")},
		{"Ukulele", 69, []axis{ax("body", 21, "soprano", "concert", "tenor"), ax("wood", 30, "mahogany", "acacia")}, in("concert/acacia")},
		{"Bike Light Set", 28, []axis{ax("power", 9, "200 lm", "400 lm", "800 lm"), ax("charging", 4, "battery", "USB-C")}, in("400 lm/USB-C")},
		{"Climbing Harness", 64, []axis{ax("size", 1, "S", "M", "L"), ax("buckles", 13, "two", "four")}, nil},
		{"Telescope", 162, []axis{ax("aperture", 74, "70 mm", "90 mm", "114 mm"), ax("mount", 48, "tabletop", "tripod", "motorized")}, in("90 mm/tripod", "114 mm/motorized")},
		{"Weather Station", 92, []axis{ax("display", 20, "mono", "color"), ax("sensors", 31, "1", "3", "5")}, in("color/3")},
		{"Linen Shirt", 46, []axis{ax("color", 0, "sand", "indigo", "white"), ax("size", 1, "S", "M", "L", "XL")}, in("indigo/M", "indigo/L")},
		{"Hydration Vest", 83, []axis{ax("volume", 19, "5 L", "8 L", "12 L"), ax("size", 0, "S/M", "L/XL")}, nil},
		{"Cookware Set", 139, []axis{ax("pieces", 62, "5", "8", "12"), ax("material", 24, "ceramic", "steel", "cast iron")}, in("8/steel")},
		{"Baby Monitor", 73, []axis{ax("screen", 34, "none", "4 inch", "5 inch"), ax("cameras", 41, "1", "2")}, in("4 inch/1")},
		{"Electric Scooter", 398, []axis{ax("range", 120, "20 km", "35 km", "50 km"), ax("color", 0, "black", "white")}, in("35 km/white")},
		{"Sewing Machine", 148, []axis{ax("stitches", 47, "12", "24", "60"), ax("kit", 29, "basic", "complete")}, in("24/complete")},
	}
}

// stock draws the products and their variants. A variant that is not pinned
// may be missing from the range or out of stock.
func (g *generator) stock() {
	for _, l := range catalogue() {
		p := &product{Name: l.name, ProductID: g.digits("", 8)}
		all := combine(l.axes)
		spare := len(all) - 4
		for _, c := range all {
			inStock, pinned := l.pins[c.label]
			if !pinned && spare > 0 && g.chance(0.15) {
				spare--
				continue
			}
			v := &variant{ItemID: g.digits("", 8), Available: inStock, Price: cents(l.base + c.extra + float64(g.rng.IntN(500))/100)}
			if !pinned {
				v.Available = !g.chance(0.2)
			}
			for i, a := range l.axes {
				v.Options.put(a.name, c.values[i])
			}
			p.Variants.put(v.ItemID, v)
		}
		g.db.Products.put(p.ProductID, p)
	}
}

// combination is one choice of a value on every axis.
type combination struct {
	label  string
	values []string
	extra  float64
}

func combine(axes []axis) []combination {
	out := []combination{{}}
	for _, a := range axes {
		var next []combination
		for _, c := range out {
			for i, v := range a.values {
				values := append(append([]string{}, c.values...), v)
				next = append(next, combination{strings.Join(values, "/"), values, c.extra + float64(i)*a.step})
			}
		}
		out = next
	}
	return out
}

// product looks a product up by name.
func (g *generator) product(name string) *product {
	for _, id := range g.db.Products.keys {
		if p := g.db.Products.rows[id]; p.Name == name {
			return p
		}
	}
	g.fail(fmt.Errorf("no product is called %q: add it to the catalogue", name))
	return &product{}
}

// item is the variant with the given option values (joined by a slash), as an order line at today's price.
func (g *generator) item(name, label string) orderItem {
	p := g.product(name)
	for _, id := range p.Variants.keys {
		if v := p.Variants.rows[id]; labelOf(v) == label {
			return lineOf(p, v)
		}
	}
	g.fail(fmt.Errorf("product %q has no variant %q: pin it in the catalogue", name, label))
	return orderItem{}
}

func labelOf(v *variant) string {
	values := make([]string, 0, len(v.Options.keys))
	for _, k := range v.Options.keys {
		values = append(values, v.Options.rows[k])
	}
	return strings.Join(values, "/")
}

func lineOf(p *product, v *variant) orderItem {
	return orderItem{Name: p.Name, ProductID: p.ProductID, ItemID: v.ItemID, Price: v.Price, Options: v.Options}
}
