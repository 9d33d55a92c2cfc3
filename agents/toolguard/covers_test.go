package toolguard_test

import (
	"strings"
	"testing"

	"github.com/tauguide/tauguide/agents/toolguard"
)

func TestCovers(t *testing.T) {
	const (
		direct  = `[{"flight_number":"HAT001","origin":"A","destination":"B"}]`
		onestop = `[[{"flight_number":"HAT001","date":"2024-05-16"},{"flight_number":"HAT002","date":"2024-05-17"}]]`
		search  = `search_direct_flight{"origin":"A","destination":"B","date":"2024-05-16"}`
		stops   = `search_onestop_flight{"origin":"A","destination":"B","date":"2024-05-16"}`
		bills   = `get_bills_for_customer{"customer_id":"C1"}`
	)
	for _, c := range []struct {
		name               string
		need, call, result string
		want               bool
	}{
		{"the same user", "get_user_details(u)", `get_user_details{"user_id":"u"}`, `{}`, true},
		{"another user", "get_user_details(u)", `get_user_details{"user_id":"v"}`, `{}`, false},
		{"another tool", "get_user_details(u)", `get_reservation_details{"reservation_id":"u"}`, `{}`, false},
		{"status of the day", "get_flight_status(HAT001/2024-05-16)", `get_flight_status{"flight_number":"HAT001","date":"2024-05-16"}`, `available`, true},
		{"status of another day", "get_flight_status(HAT001/2024-05-16)", `get_flight_status{"flight_number":"HAT001","date":"2024-05-17"}`, `available`, false},
		{"status by a search", "get_flight_status(HAT001/2024-05-16)", search, direct, true},
		{"status by a search that does not find it", "get_flight_status(HAT009/2024-05-16)", search, direct, false},
		{"instance by a search", "get_flight_instance(HAT001/2024-05-16)", search, direct, true},
		{"instance is not the status alone", "get_flight_instance(HAT001/2024-05-16)", `get_flight_status{"flight_number":"HAT001","date":"2024-05-16"}`, `available`, false},
		{"instance by a search with a stop", "get_flight_instance(HAT002/2024-05-17)", stops, onestop, true},
		{"the date of the second flight counts", "get_flight_instance(HAT002/2024-05-16)", stops, onestop, false},
		{"schedule on any day", "get_scheduled_flight(HAT002)", stops, onestop, true},
		{"schedule of another flight", "get_scheduled_flight(HAT003)", stops, onestop, false},
		{"a record that is no JSON", "get_data_usage(L1)", `get_details_by_id{"id":"L1"}`, `not found`, false},
		{"order", "get_order_details(#W1)", `get_order_details{"order_id":"#W1"}`, `{}`, true},
		{"bill by its id", "get_details_by_id(B1)", `get_details_by_id{"id":"B1"}`, `{}`, true},
		{"bill in a list", "get_details_by_id(B1)", bills, `[{"bill_id":"B1"}]`, true},
		{"bill not in the list", "get_details_by_id(B1)", bills, `[{"bill_id":"B2"}]`, false},
		{"bills are not one bill", "get_bills_for_customer(C1)", `get_details_by_id{"id":"B1"}`, `{"customer_id":"C1"}`, false},
		{"data by the line's record", "get_data_usage(L1)", `get_details_by_id{"id":"L1"}`, `{}`, true},
		{"line is not its data", "get_details_by_id(L1)", `get_data_usage{"customer_id":"C1","line_id":"L1"}`, `{}`, false},
		{"no JSON", "get_flight_instance(HAT001/2024-05-16)", search, `nothing found`, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			tool, key, _ := strings.Cut(strings.TrimSuffix(c.need, ")"), "(")
			if got := toolguard.Covers(toolguard.Need{Tool: tool, Key: key}, call(t, c.call), c.result); got != c.want {
				t.Errorf("covered: %t, want %t", got, c.want)
			}
		})
	}
}
