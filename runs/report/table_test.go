package report_test

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/tauguide/tauguide/runs/report"
)

func write(t testing.TB, f report.Format, tables ...report.Table) string {
	t.Helper()
	var b bytes.Buffer
	if err := report.Write(&b, f, tables...); err != nil {
		t.Fatalf("%s: %v", f, err)
	}
	return b.String()
}

func TestEmptyTables(t *testing.T) {
	for _, s := range report.Tables() {
		table, err := s.Build(report.Input{})
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range report.Formats() {
			if write(t, f, table) == "" {
				t.Errorf("table %s as %s is empty", s.Name, f)
			}
		}
	}
}

func TestUnknownFormat(t *testing.T) {
	if err := (report.Table{}).Write(&bytes.Buffer{}, "xml"); err == nil {
		t.Error("an unknown format is accepted")
	}
}

func TestFindTable(t *testing.T) {
	tests := []struct{ name, want string }{{"1", "main"}, {"table1", "main"}, {"main", "main"}, {"17", "nmr"}, {"Table12", "mcnemar"}, {"pass", "pass"}}
	for _, tt := range tests {
		if s, err := report.FindTable(tt.name); err != nil || s.Name != tt.want {
			t.Errorf("%s: got %s, %v; want %s", tt.name, s.Name, err, tt.want)
		}
	}
	for _, name := range []string{"0", "18", "-1", "", "table", "tabel1"} {
		if _, err := report.FindTable(name); err == nil || !strings.Contains(err.Error(), "1 to 17") {
			t.Errorf("%q: %v, want an error with the choices", name, err)
		}
	}
	for n := 1; n <= 17; n++ {
		if report.Tables()[n-1].Number != n {
			t.Errorf("table %d of the list has the number %d", n, report.Tables()[n-1].Number)
		}
	}
}

// hostile is a table whose texts would be something else in each of the formats.
func hostile(text string) report.Table {
	return report.Table{Name: "hostile", Title: text, Columns: []report.Column{{Key: "name", Title: text}, {Key: "value", Title: "Value", Numeric: true}},
		Rows: [][]report.Cell{{report.Label(text), report.Signed(-0.5, 3)}}, Notes: []string{text},
		Runs: []report.Provenance{{Name: text, Config: "0123", Models: text, Data: map[string]string{"retail": "ab"}}}}
}

func TestHostileTexts(t *testing.T) {
	for _, text := range []string{`=HYPERLINK("http://x")`, "+1", "-1", "@SUM(A1)", "\tx", "a|b", "a\nb", "x\x1b[2Jy", "\u202eabc", `\input{x} $ & # _ % ~ ^ { }`, "a,b", `"`, "[x]"} {
		for _, f := range report.Formats() {
			got := write(t, f, hostile(text))
			if f != report.CSV && f != report.JSON && strings.ContainsAny(got, "\x1b\u202e\t") {
				t.Errorf("%s: %q lets a control character through", f, text)
			}
		}
		rows, err := csv.NewReader(strings.NewReader(write(t, report.CSV, hostile(text)))).ReadAll()
		if err != nil {
			t.Fatalf("%q: %v", text, err)
		}
		for _, field := range []string{rows[1][0], rows[1][2]} {
			if strings.ContainsAny(field[:1], "=+-@\t\r\n") {
				t.Errorf("a spreadsheet would run %q", field)
			}
		}
		if rows[1][1] != "-0.5" {
			t.Errorf("the number -0.5 became %q", rows[1][1])
		}
		if err := wellFormed(write(t, report.LaTeX, hostile(text))); err != nil {
			t.Errorf("%q: %v", text, err)
		}
	}
}

func TestNumbersAreFinite(t *testing.T) {
	for _, v := range []float64{math.NaN(), math.Inf(1), math.Inf(-1)} {
		for _, c := range []report.Cell{report.Number(v, 3), report.Signed(v, 3)} {
			if c.Text != "-" || c.Value != nil || c.Why == "" {
				t.Errorf("%v gives %+v, want a dash with a reason", v, c)
			}
		}
	}
	for _, tt := range []struct {
		v    float64
		want string
	}{{0.25, "+0.250"}, {-0.25, "-0.250"}, {0, "0.000"}, {-0.0001, "0.000"}, {0.0001, "0.000"}} {
		if got := report.Signed(tt.v, 3).Text; got != tt.want {
			t.Errorf("Signed(%v) = %q, want %q", tt.v, got, tt.want)
		}
	}
}

func TestFormatsAgree(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.String().Draw(t, "text")
		table := hostile(text)
		var out map[string]any
		var b bytes.Buffer
		if err := table.Write(&b, report.JSON); err != nil {
			t.Fatal(err)
		}
		if err := json.Unmarshal(b.Bytes(), &out); err != nil {
			t.Fatal(err)
		}
		var tex bytes.Buffer
		if err := table.Write(&tex, report.LaTeX); err != nil {
			t.Fatal(err)
		}
		if err := wellFormed(tex.String()); err != nil {
			t.Fatalf("%q: %v\n%s", text, err, tex.String())
		}
		b.Reset()
		if err := table.Write(&b, report.Markdown); err != nil {
			t.Fatal(err)
		}
		for i, line := range strings.Split(b.String(), "\n") {
			if i == 2 || i == 4 {
				if n := strings.Count(strings.ReplaceAll(line, `\|`, ""), "|"); n != 3 {
					t.Fatalf("line %d of the Markdown has %d bars, want 3: %q", i, n, line)
				}
			}
		}
	})
}

func TestPublishedColumnsStandApart(t *testing.T) {
	want := [][]string{{"pass", "pass_paper", "pass_difference"}, {"0.5", "0.64", "-0.14"}, {"", "0.46", ""}, {"0.25", "", ""}}
	got := report.PublishedForTest([][]*float64{{ptr(0.5), ptr(0.64)}, {nil, ptr(0.46)}, {ptr(0.25), nil}})
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func ptr(v float64) *float64 { return &v }
