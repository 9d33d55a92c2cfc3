package policy_test

import (
	"strconv"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tauguide/tauguide/guide/policy"
	"github.com/tauguide/tauguide/guide/policy/policytest"
)

func TestRecord(t *testing.T) {
	r := policytest.Record(t, `{"text": "a", "int": 3, "float": 2.5, "digits": "7.5", "list": [{"text": "b"}, 1], "texts": ["x", "y"], "none": null}`)
	for name, same := range map[string]bool{
		"text":               r.Text("text") == "a" && r.Text("int") == "" && r.Text("gone") == "",
		"whole":              r.Whole("int") == 3 && r.Whole("float") == 2 && r.Whole("digits") == 0,
		"has":                r.Has("none") && !r.Has("gone"),
		"records":            len(r.Records("list")) == 2 && r.Records("list")[0].Text("text") == "b" && r.Records("list")[1] == nil,
		"texts":              cmp.Equal(r.Texts("texts"), []string{"x", "y"}) && r.Texts("list") == nil,
		"a record of a text": r.Record("text") == nil,
	} {
		if !same {
			t.Errorf("%s is read wrongly", name)
		}
	}
	if n, ok := r.Number("digits"); ok {
		t.Errorf("a text is the number %v", n)
	}
	if n, ok := r.Quantity("digits"); !ok || n != 7.5 {
		t.Errorf("the quantity is %v, %v", n, ok)
	}
}

func TestAmount(t *testing.T) {
	for amount, want := range map[float64]string{120: "120", 0: "0", -7: "-7", 2.5: "2.50", 1e16: "10000000000000000.00"} {
		if got := policy.Amount(amount); got != want {
			t.Errorf("%v is written %s, want %s", amount, got, want)
		}
	}
}

// A text is read once as long as the cache is not full, and a full one starts afresh.
func TestTextCache(t *testing.T) {
	reads := 0
	c := policy.NewTextCache(func(text string) string { reads++; return text + "!" })
	for range 3 {
		if got := c.Of("a"); got != "a!" || reads != 1 {
			t.Fatalf("%q after %d reads", got, reads)
		}
	}
	for i := range 4096 {
		c.Of(strconv.Itoa(i))
	}
	if c.Of("a"); reads != 4098 {
		t.Errorf("%d reads, want 4098", reads)
	}
}
