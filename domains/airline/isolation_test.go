package airline_test

import (
	"testing"

	"pgregory.net/rapid"

	"github.com/tauguide/tauguide/domains"
)

// writes are calls on the small world that change something, fail, or change something and then fail.
var writes = []toolCall{
	{"book_reservation", booking()},
	{"book_reservation", booking(cardPays, `{"payment_id": "cert_1", "amount": 100}, {"payment_id": "gift_1", "amount": 300}`)},
	{"book_reservation", booking(cardPays, `{"payment_id": "gift_1", "amount": 200}, {"payment_id": "cert_1", "amount": 100}, {"payment_id": "cert_1", "amount": 100}`)},
	{"cancel_reservation", `{"reservation_id": "AAA111"}`},
	{"cancel_reservation", `{"reservation_id": "HATHAT"}`},
	{"send_certificate", `{"user_id": "ada_byron_1", "amount": 40}`},
	{"send_certificate", `{"user_id": "max_born_2", "amount": 50}`},
	{"update_reservation_baggages", `{"reservation_id": "AAA111", "total_baggages": [1], "nonfree_baggages": 2.5, "payment_id": "gift_1"}`},
	{"update_reservation_baggages", `{"reservation_id": "AAA111", "total_baggages": 3, "nonfree_baggages": 3.0, "payment_id": "card_1"}`},
	{"update_reservation_flights", `{"reservation_id": "AAA111", "cabin": "economy", "flights": [{"flight_number": "TG200", "date": "2024-05-21"}], "payment_id": "gift_1"}`},
	{"update_reservation_flights", `{"reservation_id": "AAA111", "cabin": "attic", "flights": [], "payment_id": "card_1"}`},
	{"update_reservation_passengers", `{"reservation_id": "AAA111", "passengers": "AB"}`},
	{"update_reservation_passengers", `{"reservation_id": "AAA111", "passengers": [` + aPerson + `, ` + aPerson + `]}`},
}

// TestTrialsAreIndependent interleaves two trials over one world: each ends as it does alone, and a third one that
// was opened before them never changes.
func TestTrialsAreIndependent(t *testing.T) {
	w := small(t)
	idle := fresh(t, w)
	pristine := hashOf(t, small(t), nil)
	rapid.Check(t, func(rt *rapid.T) {
		plan := rapid.SliceOfN(rapid.IntRange(0, 2*len(writes)-1), 0, 12).Draw(rt, "plan")
		trials := []*domains.Env{fresh(t, w), fresh(t, w)}
		alone := [2][]toolCall{}
		for _, step := range plan {
			who, c := step%2, writes[step/2]
			alone[who] = append(alone[who], c)
			call(t, trials[who], c.tool, c.args)
		}
		for who, e := range trials {
			got, _ := e.Hash(domains.AgentSide)
			if want := hashOf(t, small(t), alone[who]); got != want {
				rt.Errorf("trial %d ended in %s, alone it ends in %s", who, got, want)
			}
		}
		if got, _ := idle.Hash(domains.AgentSide); got != pristine {
			rt.Errorf("an untouched trial has the hash %s, want %s", got, pristine)
		}
	})
}

// hashOf is the hash after the calls in a world that nobody else uses.
func hashOf(t *testing.T, w *domains.World, calls []toolCall) string {
	t.Helper()
	e := fresh(t, w)
	for _, c := range calls {
		call(t, e, c.tool, c.args)
	}
	h, _ := e.Hash(domains.AgentSide)
	return h
}
