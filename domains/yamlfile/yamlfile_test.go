package yamlfile_test

import (
	"errors"
	"fmt"
	"runtime"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tauguide/tauguide/domains/yamlfile"
)

type common struct {
	Note string `yaml:"note"`
}

type row struct {
	common `yaml:"-"`
	Common common `yaml:",inline"`

	Name   string         `yaml:"name"`
	Count  int            `yaml:"count"`
	Price  *float64       `yaml:"price"`
	On     bool           `yaml:"on"`
	Words  yamlfile.Words `yaml:"words"`
	Any    any            `yaml:"any"`
	Self   either         `yaml:"self"`
	ByName map[string]row `yaml:"by_name"`
}

type file struct {
	Rows []row `yaml:"rows"`
}

// either is written as a text, or as a map.
type either struct {
	Text string `yaml:"text"`
}

func (e *either) UnmarshalYAML(read func(any) error) error {
	if read(&e.Text) == nil {
		return nil
	}
	type plain either
	if err := read((*plain)(e)); err != nil {
		return err
	}
	if e.Text == "bad" {
		return errors.New("bad is not good\nhint: say good")
	}
	return nil
}

func TestDecode(t *testing.T) {
	var got file
	err := yamlfile.Decode("f.yaml", []byte("\ufeff"+`
rows:
  - &first
    name: 'true'
    note: |
      two
      lines
    count: +1e2
    price: 1.50
    on: true
    words: [a, 1.50]
    any: {a: [1, 2.5, 10000000000000000000, x, null], 1: true}
    self: here
  - <<: *first
    name: second
    price: null
    words: one
    self: {text: there}
    by_name: {x: {name: 2026-11-30}}
`), &got)
	if err != nil {
		t.Fatal(err)
	}
	price := 1.5
	unknown := map[string]any{"a": []any{int64(1), 2.5, 1e19, "x", nil}, "1": true}
	first := row{Common: common{"two\nlines\n"}, Name: "true", Count: 100, Price: &price, On: true, Words: yamlfile.Words{"a", "1.50"},
		Any: unknown, Self: either{"here"}}
	second := first
	second.Name, second.Price, second.Words, second.Self = "second", nil, yamlfile.Words{"one"}, either{"there"}
	second.ByName = map[string]row{"x": {Name: "2026-11-30"}}
	if d := cmp.Diff(file{[]row{first, second}}, got, cmp.AllowUnexported(row{})); d != "" {
		t.Error(d)
	}
}

func TestErrors(t *testing.T) {
	deep := strings.Repeat("- ", 600) + "a"
	for _, tt := range []struct{ name, text, want string }{
		{"empty", "", "f.yaml:1:1: the file is empty\nhint: write one YAML document"},
		{"only a comment", "# nothing\n", "f.yaml:1:1: the file is empty"},
		{"second document", "rows: []\n---\nrows: []\n", "f.yaml:3:1: a second YAML document begins here\nhint: keep one"},
		{"syntax", "rows: [\n", "f.yaml:2:1: did not find expected node content while parsing a flow node\nhint: correct the YAML"}, {"quote", "a: 'x\nb: 1\n", "f.yaml:1:4: found unexpected end of stream while scanning a quoted scalar"},
		{"tab", "rows: []\n\trows: x\n", "f.yaml:2:1: "},
		{"not UTF-8", "rows: []\nrows: b\xe9\n", "f.yaml:2:8: the file is not UTF-8\nhint: save the file as UTF-8"},
		{"UTF-16", "\xff\xfer\x00", "f.yaml:1:1: the text is UTF-16"},
		{"gzip", "\x1f\x8b\x08\x00", "f.yaml:1:1: the file is packed with gzip"},
		{"UTF-16 without a mark", "r\x00o\x00", "f.yaml:1:2: the file has a zero byte"},
		{"too large", strings.Repeat("#\n", yamlfile.MaxBytes/2+1), "keep it under"},
		{"open lists", "x: 1\na: " + strings.Repeat("[", 200_000), "f.yaml:2:504: more than 500 brackets are open"},
		{"open maps over lines", strings.Repeat("{a:\n", 600), "f.yaml:501:1: more than 500 brackets"},
		{"lists in one line", deep, "f.yaml:1:1: more than 500 lists"},
		{"keys in one line", strings.ReplaceAll(deep, "-", "?"), "f.yaml:1:1: more than 500 lists"},
		{"deep", "rows: " + strings.Repeat("[", 200) + strings.Repeat("]", 200), "f.yaml:1:107: the file is too large or too deep from here"},
		{"wide", "rows: [" + strings.Repeat("1,", 200_001) + "]", "too large or too deep"},
		{"unfolds to a billion", bomb(), "too large or too deep"},
		{"alias of itself", "rows: &a [*a]\n", "f.yaml:1:11: alias *a has no anchor &a before it"},
		{"tag", "rows: !!binary aGk=\n", "f.yaml:1:7: tag !!binary"},
		{"merge of a text", "<<: x\n", "f.yaml:1:5: << takes a map"},
		{"key twice", "rows:\n  - name: a\n    name: b\n", "f.yaml:3:5: the key \"name\" is there twice\nhint: keep one of the two"},
		{"unknown key", "rows:\n  - nmae: a\n", "f.yaml:2:5: rows[0]: unknown key \"nmae\"\nhint: did you mean \"name\"?"},
		{"unknown key far from all", "colour: red\n", "f.yaml:1:1: unknown key \"colour\"\nhint: use one of rows"},
		{"a list", "- 1\n", "f.yaml:1:1: this is a list, not a map"},
		{"fraction for a whole number", row1("count: 1.5"), "f.yaml:2:13: rows[0].count: this is 1.5, not a whole number"},
		{"text for a number", row1("count: '15'"), "rows[0].count: this is the text \"15\", not a whole number\nhint: write 15, without quotes"},
		{"octal", row1("count: 012"), "f.yaml:2:13: 012 could be read in another base"},
		{"other octal", row1("name: 0o12"), "f.yaml:2:12: 0o12 could be read in another base"},
		{"underscores", row1("count: 1_000"), "1_000 could be read in another base"},
		{"infinite", row1("price: .inf"), ".inf cannot be used here"},
		{"exponent", row1("price: 1e999"), "1e999 is out of range"},
		{"too many digits", row1("count: 99999999999999999999"), "rows[0].count: 99999999999999999999 is out of range"},
		{"number for a text", row1("name: 1.50"), "rows[0].name: this is 1.50, not a text\nhint: write \"1.50\", with the quotes"},
		{"truth value for a text", row1("name: true"), "this is true, not a text\nhint: write \"true\""},
		{"yes is no truth value", row1("on: yes"), "rows[0].on: this is the text \"yes\", not true or false"},
		{"nothing for a text", row1("name:"), "rows[0].name: this is empty, not a text\nhint: write it, or leave the key out"},
		{"map for words", row1("words: {a: b}"), "rows[0].words: this is a map, not a text or a list of texts"},
		{"list in words", row1("words: [[a]]"), "f.yaml:2:14: rows[0].words[0]: this is a list"},
		{"within what reads itself", row1("self: {txt: a}"), "f.yaml:2:13: rows[0].self: unknown key \"txt\"\nhint: did you mean \"text\"?"},
		{"complaint of what reads itself", row1("self: {text: bad}"), "f.yaml:2:12: rows[0].self: bad is not good\nhint: say good"},
		{"within a map", row1("by_name: {x: {count: a}}"), "f.yaml:2:27: rows[0].by_name.x.count: this is the text \"a\""},
		{"several", "rows:\n  - {name: 1}\n  - {on: 2}\n", "f.yaml:3:10: rows[1].on: this is 2"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var into file
			err := yamlfile.Decode("f.yaml", []byte(tt.text), &into)
			if err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Fatalf("got %v\nwant %s", err, tt.want)
			}
			var one *yamlfile.Error
			var list yamlfile.Errors
			if errors.As(err, &one) {
				list = yamlfile.Errors{one}
			} else if !errors.As(err, &list) {
				t.Fatalf("%T is neither an Error nor Errors", err)
			}
			for _, e := range list {
				if e.Line < 1 || e.Column < 1 || e.Hint == "" || e.Code == "" {
					t.Errorf("%+v lacks its place, hint or code", e)
				}
			}
		})
	}
}

func row1(field string) string { return "rows:\n  - {" + field + "}\n" }

func bomb() string {
	var b strings.Builder
	b.WriteString("a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n")
	for i := 1; i < 12; i++ {
		fmt.Fprintf(&b, "a%d: &a%d [%s]\n", i, i, strings.TrimSuffix(strings.Repeat(fmt.Sprintf("*a%d, ", i-1), 10), ", "))
	}
	return b.String()
}

func TestNestingInTextsIsCountedButNotRulers(t *testing.T) {
	for _, text := range []string{strings.Repeat("a: [b]\n", 5000), strings.Repeat("-", 5000) + "\n", "a: [1, {b: 2}]\n"} {
		if err := yamlfile.CheckNesting([]byte(text)); err != nil {
			t.Errorf("%.20q: %v", text, err)
		}
	}
}

func TestNearest(t *testing.T) {
	known := []string{"name", "trials", "max_steps", "a"}
	for word, want := range map[string]string{"nmae": "name", "trails": "trials", "NAME": "name", "max_step": "max_steps", "frobnicate": "", "b": ""} {
		if got := yamlfile.Nearest(word, known); got != want {
			t.Errorf("%s: got %q, want %q", word, got, want)
		}
	}
	if got := yamlfile.Suggest("b", nil); got != "remove it" {
		t.Errorf("got %q", got)
	}
}

func TestWalkAndJSON(t *testing.T) {
	n, err := yamlfile.Parse("f.yaml", []byte("a: [1.50, {b: x}]\nc: &c true\nd: *c\n"))
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	n.Walk("", n.Place, func(path string, at yamlfile.Place, n *yamlfile.Node) {
		got = append(got, fmt.Sprintf("%s %d:%d %v", path, at.Line, at.Column, n.JSON()))
	})
	want := []string{" 1:1 map[a:[1.5 map[b:x]] c:true d:true]", "a 1:1 [1.5 map[b:x]]", "a[0] 1:5 1.5", "a[1] 1:11 map[b:x]", "a[1].b 1:12 x", "c 2:1 true", "d 3:1 true"}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
}

// Nothing makes the reader panic.
// TestWideMaps: a map of 99,000 keys is read, and the work for it grows with its length and not with the square: tens of
// gigabytes were allocated when it did.
func TestWideMaps(t *testing.T) {
	var b strings.Builder
	b.WriteString("any:\n")
	for i := range 99_000 {
		fmt.Fprintf(&b, " %d: 1\n", i)
	}
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	var got struct {
		Any map[string]any `yaml:"any"`
	}
	if err := yamlfile.Decode("f.yaml", []byte(b.String()), &got); err != nil || len(got.Any) != 99_000 {
		t.Errorf("%d keys, %v", len(got.Any), err)
	}
	runtime.ReadMemStats(&after)
	if n := after.TotalAlloc - before.TotalAlloc; n > 1<<30 {
		t.Errorf("%d MB were allocated", n>>20)
	}
}

func FuzzDecode(f *testing.F) {
	f.Add("a: &a [*a]\n<<: *a\n? {x: y}\n: z\n")
	f.Add("rows:\n  - {name: 1, count: 012, any: [1e3, .inf, ~]}\n")
	f.Fuzz(func(t *testing.T, text string) {
		var into file
		_ = yamlfile.Decode("f.yaml", []byte(text), &into)
	})
}
