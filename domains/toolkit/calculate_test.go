package toolkit_test

import (
	"testing"

	"github.com/tauguide/tauguide/domains/domaintest"
	"github.com/tauguide/tauguide/domains/toolkit"
	"github.com/tauguide/tauguide/domains/value"
)

// TestCalculateVectors replays the recorded calculator. Every text is compared, those of expressions with // and **
// too, whose error texts the project would be free to word otherwise.
func TestCalculateVectors(t *testing.T) {
	var file struct {
		Cases []struct {
			Expression value.Value `json:"expression"`
			Content    string      `json:"content"`
			Error      bool        `json:"error"`
		} `json:"cases"`
	}
	domaintest.Vectors(t, "calc.json", &file)
	for _, c := range file.Cases {
		got, err := toolkit.Calculate(c.Expression)
		if err != nil {
			got = "Error: " + err.Error()
		}
		if (err != nil) != c.Error {
			t.Errorf("%s: error %v, recorded %v (%s)", c.Expression.Repr(), err, c.Error, c.Content)
		} else if got != c.Content {
			t.Errorf("%s\n got: %s\nwant: %s", c.Expression.Repr(), got, c.Content)
		}
	}
	if n := len(file.Cases); n != 683 {
		t.Errorf("compared %d expressions, want 683", n)
	}
}
