package llm_test

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// cases names, for each input that is known to break harnesses, the test that
// feeds it to the program. docs/reference/odd-replies.md shows the same table.
var cases = []struct {
	number    int
	input     string
	directory string // below the repository's root
	test      string
}{
	{1, "arguments cut off", "sim", "TestC1ArgumentsCutOff"},
	{2, "arguments as an object", "sim", "TestC2ArgumentsAsObject"},
	{3, "empty or null arguments", "sim", "TestC3NoArguments"},
	{4, "text around the arguments", "sim", "TestC4ArgumentsAreNotRepaired"},
	{5, "arguments that are no object", "sim", "TestC5ArgumentsAreNoObject"},
	{6, "arguments encoded twice", "sim", "TestC6ArgumentsEncodedTwice"},
	{7, "unknown tool", "sim", "TestC7UnknownTool"},
	{8, "one id for two calls", "sim", "TestC8DuplicateIDs"},
	{9, "the same ids in each turn", "sim", "TestC9SameIDInLaterTurns"},
	{10, "ids that are missing or no text", "sim", "TestC10IDsThatAreNoTexts"},
	{11, "empty answers", "sim", "TestC11EmptyAnswers"},
	{12, "text beside calls", "sim", "TestC12TextBesideCalls"},
	{13, "many calls at once, one fails", "sim", "TestC13ManyCallsAtOnce"},
	{14, "text with an empty list of calls", "sim", "TestC14TextWithAnEmptyListOfCalls"},
	{15, "usage that is missing or odd", "sim", "TestC15UsageThatIsMissingOrOdd"},
	{16, "an error inside a 200 reply", "sim", "TestC16ErrorInA200Reply"},
	{17, "no choices, or one that is an error", "sim", "TestC17NoChoices"},
	{18, "HTML, nothing, JSON cut off", "sim", "TestC18RepliesThatAreNoJSON"},
	{19, "Retry-After in every form", "sim", "TestC19RetryAfter"},
	{20, "quota and bills", "sim", "TestC20QuotaIsNotRetried"},
	{21, "error bodies of all providers", "sim", "TestC21ErrorBodies"},
	{22, "a stream that ends early", "sim/llm", "TestC22StreamThatEndsEarly"},
	{23, "an error within a stream", "sim/llm", "TestC23ErrorWithinAStream"},
	{24, "keep-alive comments", "sim/llm", "TestC24KeepAliveComments"},
	{25, "odd deltas", "sim/llm", "TestC25OddDeltas"},
	{26, "reasoning in every field", "sim", "TestC26ReasoningFields"},
	{27, "arguments of the wrong kind", "sim", "TestC27ArgumentsOfTheWrongKind"},
	{28, "large and odd numbers", "sim", "TestC28Numbers"},
	{29, "NaN and Infinity", "sim", "TestC29NotANumber"},
	{30, "odd texts and invalid UTF-8", "sim", "TestC30OddTexts"},
	{31, "markup, stop words, escapes", "sim", "TestC31Markup"},
	{32, "very large answers", "sim", "TestC32LargeAnswers"},
	{33, "a full context", "sim", "TestC33ContextOverflow"},
	{34, "broken task files", "sim", "TestC34TaskFiles"},
}

// TestEveryCaseHasItsTest finds each named test in the source, with something in
// it, and each row in the documentation.
func TestEveryCaseHasItsTest(t *testing.T) {
	t.Parallel()
	page, err := os.ReadFile(filepath.Join("..", "..", "docs", "reference", "odd-replies.md"))
	if err != nil {
		t.Fatal(err)
	}
	bodies := map[string]map[string]int{}
	for i, c := range cases {
		if c.number != i+1 || !regexp.MustCompile(fmt.Sprintf(`^TestC%d[A-Z]`, c.number)).MatchString(c.test) {
			t.Errorf("row %d: case C%d, test %s", i, c.number, c.test)
		}
		if bodies[c.directory] == nil {
			bodies[c.directory] = statements(t, filepath.Join("..", "..", c.directory))
		}
		if bodies[c.directory][c.test] == 0 {
			t.Errorf("C%d: %s has no test %s", c.number, c.directory, c.test)
		}
		row := fmt.Sprintf("| C%d | %s | `%s` `%s` |", c.number, c.input, c.directory, c.test)
		if !strings.Contains(string(page), row) {
			t.Errorf("docs/reference/odd-replies.md lacks the row\n%s", row)
		}
	}
	if len(cases) != 34 {
		t.Errorf("%d cases, want 34", len(cases))
	}
	if n := len(regexp.MustCompile(`(?m)^\| C\d+ \|`).FindAll(page, -1)); n != len(cases) {
		t.Errorf("docs/reference/odd-replies.md has %d rows of cases, want %d", n, len(cases))
	}
}

// statements counts the statements of each test function of a directory.
func statements(t *testing.T, dir string) map[string]int {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(dir, "*_test.go"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no tests in %s: %v", dir, err)
	}
	out := map[string]int{}
	set := token.NewFileSet()
	for _, file := range files {
		f, err := parser.ParseFile(set, file, nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range f.Decls {
			if fn, ok := d.(*ast.FuncDecl); ok && fn.Recv == nil && fn.Body != nil {
				out[fn.Name.Name] = len(fn.Body.List)
			}
		}
	}
	return out
}
