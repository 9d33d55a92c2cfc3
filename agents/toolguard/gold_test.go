package toolguard_test

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tauguide/tauguide/agents/toolguard"
	"github.com/tauguide/tauguide/domains"
	"github.com/tauguide/tauguide/domains/airline"
	"github.com/tauguide/tauguide/domains/domaintest"
	"github.com/tauguide/tauguide/domains/retail"
	"github.com/tauguide/tauguide/domains/telecom"
	"github.com/tauguide/tauguide/domains/value"
)

var update = flag.Bool("update", false, "rewrite the golden files")

func guarded() []domains.Domain {
	return []domains.Domain{airline.Domain(), retail.Domain(), telecom.Domain()}
}

// TestGold pins what the guards do to the gold plans: how many of the agent's changes they refuse, and which.
func TestGold(t *testing.T) {
	open := map[string]func(testing.TB, domains.Domain, domains.Options) *domains.World{"embedded": domaintest.Embedded, "real": domaintest.Real}
	for _, data := range []string{"embedded", "real"} {
		for _, d := range guarded() {
			t.Run(data+"/"+d.Name, func(t *testing.T) {
				w := open[data](t, d, domains.Options{})
				tasks, err := w.Select("")
				if err != nil {
					t.Fatal(err)
				}
				var out bytes.Buffer
				for _, release := range []bool{false, true} {
					if release && !toolguard.Published(d.Name) {
						continue
					}
					r, err := guards(t, d.Name, toolguard.Options{Release: release}).Gold(t.Context(), w, tasks)
					if err != nil {
						t.Fatal(err)
					}
					if r.Calls == 0 {
						t.Fatal("the gold plans change nothing, so nothing was tested")
					}
					for i := range r.Misses {
						r.Misses[i].Arguments = value.Value{} // the data's own
					}
					fmt.Fprintf(&out, "share %.4f\n", r.Share())
					e := json.NewEncoder(&out)
					e.SetIndent("", " ")
					e.SetEscapeHTML(false)
					if err := e.Encode(r); err != nil {
						t.Fatal(err)
					}
				}
				golden(t, "gold_"+data+"_"+d.Name+".txt", out.String())
			})
		}
	}
}

func golden(t *testing.T, name, got string) {
	t.Helper()
	file := filepath.Join("testdata", name)
	if *update {
		if err := os.MkdirAll("testdata", 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatalf("%v; run the test with -update to write it", err)
	}
	if diff := cmp.Diff(string(want), got); diff != "" {
		t.Errorf("%s (-want +got):\n%s", name, diff)
	}
}

// TestGoldOfAnotherDomain checks that guards are not run on data that they know nothing of.
func TestGoldOfAnotherDomain(t *testing.T) {
	w := domaintest.Embedded(t, retail.Domain(), domains.Options{})
	if _, err := guards(t, "airline", toolguard.Options{}).Gold(t.Context(), w, nil); err == nil {
		t.Error("no error")
	}
}

// TestReleaseDiffers pins calls on which the release and the policy of today part, all on the reference's data.
func TestReleaseDiffers(t *testing.T) {
	w := domaintest.Real(t, airline.Domain(), domains.Options{})
	const gold = ""
	for _, c := range []struct {
		name    string
		task    string
		action  int
		call    string
		release string // rule that refuses it, "" if none
		today   string
	}{
		{"check 5 refuses the move down to basic economy that task 11 asks for", "11", 0, gold, "airline.flights.5", ""},
		{"23 hours are more than a day by the wall clock", "14", 0, gold, "airline.cancel.1", ""},
		{"a profile with two certificates pays by card", "12", 4, gold, "airline.baggages.2", ""},
		{"a kept flight in the air", "20", 0,
			`update_reservation_flights{"reservation_id":"MLPSXM","cabin":"economy","flights":[{"flight_number":"HAT004","date":"2024-05-15"},{"flight_number":"HAT177","date":"2024-05-16"}],"payment_id":"credit_card_6719194"}`,
			"airline.flights.1", ""},
		{"a kept flight whose cabin is full", "20", 0,
			`update_reservation_flights{"reservation_id":"ZKBXFF","cabin":"economy","flights":[{"flight_number":"HAT156","date":"2024-05-27"},{"flight_number":"HAT089","date":"2024-05-27"},{"flight_number":"HAT033","date":"2024-05-29"},{"flight_number":"HAT097","date":"2024-05-29"}],"payment_id":"gift_card_2929673"}`,
			"airline.flights.2", ""},
		{"a fourth bag of a gold member in business", "20", 0,
			`book_reservation{"user_id":"mia_li_3668","origin":"JFK","destination":"SEA","flight_type":"one_way","cabin":"business","flights":[{"flight_number":"HAT136","date":"2024-05-20"},{"flight_number":"HAT039","date":"2024-05-20"}],"passengers":[{"first_name":"Mia","last_name":"Li","dob":"1990-04-05"}],"payment_methods":[{"payment_id":"credit_card_4421486","amount":1}],"total_baggages":4,"nonfree_baggages":0,"insurance":"no"}`,
			"airline.book.6", ""},
		{"free bags of two passengers", "20", 0,
			`update_reservation_baggages{"reservation_id":"1N99U6","total_baggages":4,"nonfree_baggages":0,"payment_id":"gift_card_5634230"}`,
			"airline.baggages.3", ""},
		{"other flights of a reservation in basic economy, moved up by the same call", "17", 0,
			`update_reservation_flights{"reservation_id":"FQ8APE","cabin":"economy","flights":[{"flight_number":"HAT056","date":"2024-05-25"},{"flight_number":"HAT138","date":"2024-05-26"}],"payment_id":"credit_card_6754990"}`,
			"", "airline.flights.5"},
		{"half of a round trip", "30", 2,
			`update_reservation_flights{"reservation_id":"1N99U6","cabin":"economy","flights":[{"flight_number":"HAT266","date":"2024-05-19"}],"payment_id":"gift_card_5634230"}`,
			"", "airline.flights.4"},
		{"more paid bags than the policy charges", "20", 0,
			`update_reservation_baggages{"reservation_id":"1N99U6","total_baggages":2,"nonfree_baggages":2,"payment_id":"gift_card_5634230"}`, "", ""},
		{"a certificate for a bag", "20", 0,
			`update_reservation_baggages{"reservation_id":"1N99U6","total_baggages":2,"nonfree_baggages":0,"payment_id":"certificate_9380982"}`, "", "airline.baggages.2"},
	} {
		t.Run(c.name, func(t *testing.T) {
			env, next := ruleCase{task: c.task, action: c.action}.start(t, w)
			if c.call != gold {
				next = call(t, c.call)
			}
			for release, want := range map[bool]string{true: c.release, false: c.today} {
				if v := check(t, guards(t, "airline", toolguard.Options{Release: release}), env, next); v.Rule != want {
					t.Errorf("release=%t: refused by %q, want %q: %s", release, v.Rule, want, v.Message)
				}
			}
		})
	}
}
