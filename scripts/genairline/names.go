package main

func firstNames() []string {
	return []string{
		"Aldous", "Brunhild", "Cosima", "Dorian", "Eulalia", "Fergus", "Ginevra", "Horatio", "Iolanthe", "Jarvis",
		"Kirsten", "Leopold", "Marguerite", "Norbert", "Octavia", "Phineas", "Quintus", "Rowena", "Sigmund", "Tabitha",
		"Ulrich", "Verity", "Wilhelmina", "Xavier", "Yvaine", "Zephyr", "Ambrose", "Briony", "Crispin", "Drusilla",
		"Emeric", "Fenella", "Gregor", "Henrietta", "Ivo", "Jocasta",
	}
}

func lastNames() []string {
	return []string{
		"Applegarth", "Bancroft", "Cavendish", "Delacroix", "Everhart", "Fotheringay", "Galbraith", "Heatherington", "Ilmarinen", "Jessop",
		"Kirkpatrick", "Lockwood", "Merriweather", "Norwood", "Ormond", "Prendergast", "Quennell", "Rotherham", "Silverthorne", "Tremaine",
		"Uxbridge", "Vancleave", "Wetherby", "Yelverton", "Zimmermann", "Ashdown", "Bickerstaff", "Colquhoun", "Dinsmore", "Eddington",
		"Fitzroy", "Greenhalgh", "Hartnell", "Isherwood", "Jellicoe", "Kilbride",
	}
}

// place is a town with the first three digits of its zip codes.
type place struct{ city, state, zip string }

func places() []place {
	return []place{
		{"Providence", "RI", "029"}, {"Ann Arbor", "MI", "481"}, {"Pasadena", "CA", "911"}, {"Tacoma", "WA", "984"},
		{"Fort Collins", "CO", "805"}, {"Evanston", "IL", "602"}, {"Macon", "GA", "312"}, {"Trenton", "NJ", "086"},
		{"Salem", "MA", "019"}, {"Flagstaff", "AZ", "860"}, {"Galveston", "TX", "775"}, {"Rochester", "MN", "559"},
		{"Lakeland", "FL", "338"}, {"Asheville", "NC", "288"}, {"Yonkers", "NY", "107"}, {"Carson City", "NV", "897"},
	}
}

func streets() []string {
	return []string{
		"Propeller Street", "Windsock Lane", "Hangar Road", "Meridian Way", "Skylark Drive", "Compass Court", "Altimeter Row", "Swallow Lane",
		"Kite Hill Road", "Beacon Avenue", "Runway Terrace", "Heron Street", "Cirrus Road", "Zephyr Way", "Glider Alley", "Osprey Drive",
	}
}

func unitKinds() []string { return []string{"Apt", "Unit", "Floor", "Studio"} }

func cardBrands() []string { return []string{"visa", "mastercard"} }

func memberships() []string { return []string{"regular", "silver", "gold"} }

// cabins lists the classes from the cheapest to the dearest.
func cabins() []string { return []string{"basic_economy", "economy", "business"} }
