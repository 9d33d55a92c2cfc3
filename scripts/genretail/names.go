package main

func firstNames() []string {
	return []string{
		"Adelheid", "Bartholomew", "Caspian", "Delphine", "Eamon", "Freya", "Gideon", "Hestia", "Imogen", "Jasper",
		"Kestrel", "Linnea", "Magnus", "Nadia", "Ottilie", "Percival", "Quincy", "Rosalind", "Soren", "Thaddeus",
		"Ursula", "Viggo", "Winifred", "Xanthe", "Yorick", "Zelda", "Anselm", "Beatrix", "Corwin", "Dagny",
		"Elspeth", "Florian", "Greta", "Hollis", "Ines", "Joachim",
	}
}

func lastNames() []string {
	return []string{
		"Abernathy", "Birchwood", "Castellan", "Drummond", "Eastlake", "Farnsworth", "Grimaldi", "Hallowell", "Ivarsson", "Jankowski",
		"Kettering", "Lindqvist", "Mortensen", "Nightingale", "Oakhurst", "Pemberton", "Quimby", "Ravenscroft", "Stavros", "Thistlewood",
		"Underhill", "Vandermeer", "Whitlock", "Yarrow", "Zielinski", "Ambrose", "Bellweather", "Culpepper", "Dunmore", "Ellsworth",
		"Fairbanks", "Goldwater", "Huxtable", "Inglewood", "Juniper", "Kowalczyk",
	}
}

// place is a town with the first three digits of its zip codes.
type place struct{ city, state, zip string }

func places() []place {
	return []place{
		{"Boise", "ID", "837"}, {"Madison", "WI", "537"}, {"Duluth", "MN", "558"}, {"Savannah", "GA", "314"},
		{"Tucson", "AZ", "857"}, {"Albany", "NY", "122"}, {"Toledo", "OH", "436"}, {"Reno", "NV", "895"},
		{"Tulsa", "OK", "741"}, {"Omaha", "NE", "681"}, {"Raleigh", "NC", "276"}, {"Spokane", "WA", "992"},
		{"Burlington", "VT", "054"}, {"Santa Fe", "NM", "875"}, {"Mobile", "AL", "366"}, {"Eugene", "OR", "974"},
	}
}

func streets() []string {
	return []string{
		"Harbor Street", "Quarry Lane", "Foundry Road", "Orchard Way", "Millrace Drive", "Beacon Hill Road", "Tannery Row", "Saltmarsh Lane",
		"Juniper Court", "Lighthouse Avenue", "Ferry Landing", "Clover Street", "Granary Road", "Windmill Way", "Cooper Alley", "Bluebell Drive",
	}
}

func unitKinds() []string { return []string{"Apt", "Unit", "Floor", "Studio"} }

func cardBrands() []string { return []string{"visa", "mastercard"} }
