package airline

import (
	"github.com/tauguide/tauguide/domains"
	"github.com/tauguide/tauguide/domains/toolkit"
)

var (
	userID        = toolkit.Text("user_id", "User id, such as 'first_last_0000'")
	reservationID = toolkit.Text("reservation_id", "Reservation id, six letters and digits such as 'ABC123'")
	origin        = toolkit.Text("origin", "Airport of departure, as its IATA code")
	destination   = toolkit.Text("destination", "Airport of arrival, as its IATA code")
	flightNumber  = toolkit.Text("flight_number", "Number of the flight, such as 'HAT000'")
	date          = toolkit.Text("date", "Day of departure, as YYYY-MM-DD")
	cabin         = toolkit.Choice("cabin", "Cabin, the same for every flight of the reservation", cabins...)
	flightList    = modelsParam("flights", "Every flight of the reservation in order of travel, those that stay as they are included", flightInfoType)
	totalBags     = toolkit.Integer("total_baggages", "Number of all checked bags, free ones included")
	paidBags      = toolkit.Integer("nonfree_baggages", "Number of checked bags that are paid for, 50 dollars each")
	updatePayment = toolkit.Text("payment_id", "Id of a credit or gift card in the user's profile, which pays or is refunded the difference; needed even if there is none")
)

// tools are the agent's tools in the reference's listing order (docs/reference/domains.md#airline).
var tools = []toolkit.Tool[*DB]{
	{
		Name: "book_reservation", Kind: domains.Write,
		Doc: "Book a new reservation. Explain it and get the user's explicit yes first. The payments must add up to the whole price exactly: " +
			"the fares of all passengers, 30 dollars for each passenger if insured, 50 for each paid bag. A certificate is used up whole.",
		Params: []toolkit.Param{
			userID, origin, destination,
			toolkit.Choice("flight_type", "Whether the trip goes one way or there and back", "round_trip", "one_way"),
			cabin, flightList,
			modelsParam("passengers", "Everybody who flies", passengerType),
			modelsParam("payment_methods", "Which of the user's payment methods pay how much", paymentType),
			totalBags, paidBags,
			toolkit.Choice("insurance", "Whether travel insurance is bought", "yes", "no"),
		},
		Run: bookReservation,
	},
	toolkit.Calculator[*DB](),
	{
		Name: "cancel_reservation", Kind: domains.Write,
		Doc:    "Cancel a reservation with all its flights and refund its payments. Check that the policy allows it, and get the user's explicit yes first.",
		Params: []toolkit.Param{reservationID},
		Run:    cancelReservation,
	},
	toolkit.Details("get_reservation_details", "Show a reservation: flights, passengers, bags, insurance, payments and status.", reservationID, reservationType, findReservation),
	toolkit.Details("get_user_details", "Show a user's profile: membership, payment methods, saved passengers and reservation ids.", userID, userType, findUser),
	{
		Name: "list_all_airports", Kind: domains.Read, Doc: "List the IATA code and the city of every airport that is served.",
		Run: func(*DB, toolkit.Args) (toolkit.Result, error) { return toolkit.ShowAll(airportType, airports) },
	},
	{
		Name: "search_direct_flight", Kind: domains.Read,
		Doc:    "Find flights without a stop between two airports that can be booked on a day, with free seats and prices by cabin.",
		Params: []toolkit.Param{origin, destination, date},
		Run:    searchDirect,
	},
	{
		Name: "search_onestop_flight", Kind: domains.Read,
		Doc:    "Find pairs of flights between two airports with one stop that can be booked on a day, with free seats and prices by cabin.",
		Params: []toolkit.Param{origin, destination, date},
		Run:    searchOneStop,
	},
	{
		Name: "send_certificate", Kind: domains.Write, Doc: "Give a user a certificate as compensation. Check first that the policy grants it, and how much.",
		Params: []toolkit.Param{userID, toolkit.Integer("amount", "Value of the certificate in dollars")},
		Run:    sendCertificate,
	},
	toolkit.Transfer[*DB]("user"),
	{
		Name: "update_reservation_baggages", Kind: domains.Write,
		Doc: "Set the numbers of checked bags of a reservation. Explain it and get the user's explicit yes first. Each further paid bag " +
			"costs 50 dollars; fewer bags give no refund.",
		Params: []toolkit.Param{reservationID, totalBags, paidBags, updatePayment},
		Run:    updateBaggages,
	},
	{
		Name: "update_reservation_flights", Kind: domains.Write,
		Doc: "Change the flights or the cabin of a reservation. Explain it and get the user's explicit yes first. Flights that stay in the " +
			"same cabin keep their price; the difference in price is charged or refunded.",
		Params: []toolkit.Param{reservationID, cabin, flightList, updatePayment},
		Run:    updateFlights,
	},
	{
		Name: "update_reservation_passengers", Kind: domains.Write,
		Doc:    "Correct or replace the passengers of a reservation; their number stays. Explain it and get the user's explicit yes first.",
		Params: []toolkit.Param{reservationID, modelsParam("passengers", "All passengers of the reservation, changed or not", passengerType)},
		Run:    updatePassengers,
	},
	{
		Name: "get_flight_status", Kind: domains.Read, Doc: "Tell the status of a flight on a day: available, on time, delayed, flying, landed or cancelled.",
		Params: []toolkit.Param{flightNumber, date},
		Run: func(db *DB, a toolkit.Args) (toolkit.Result, error) {
			_, d, err := findInstance(db, a.Get("flight_number"), a.Get("date"))
			if err != nil {
				return nil, err
			}
			return toolkit.Say(d.Status)
		},
	},
}
