package metrics_test

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/goccy/go-yaml"

	"github.com/tauguide/tauguide/configs"
	"github.com/tauguide/tauguide/domains/domaintest"
	"github.com/tauguide/tauguide/metrics"
)

// formula is one way to write a worked number in docs/statistics.md, comparing.md, power.md and judges.md. Its pattern's groups are the arguments, numbers or
// lists of them; print is the page's right-hand side.
type formula struct {
	pattern string
	print   func(t *testing.T, args []string) string
}

// formulas are all that the page may use.
func formulas() []formula {
	figure := func(e metrics.Estimate, digits int) string {
		if !e.Defined {
			return "undefined: " + e.Reason
		}
		out := strconv.FormatFloat(e.Value, 'f', digits, 64)
		if i := e.Interval; i.Defined {
			out += fmt.Sprintf(" [%.*f, %.*f]", digits, i.Lo, digits, i.Hi)
		}
		return out
	}
	one := func(c, n int) []metrics.Outcome {
		return system("t " + strings.Repeat("s", c) + strings.Repeat("f", n-c))
	}
	return []formula{
		{`Pass\^(\d+) of (\d+) successes in (\d+) trials`, func(t *testing.T, a []string) string {
			return figure(metrics.PassHat(one(whole(t, a[1]), whole(t, a[2])), whole(t, a[0])), 3)
		}},
		{`pass@(\d+) of (\d+) successes in (\d+) trials`, func(t *testing.T, a []string) string {
			return figure(metrics.PassAt(one(whole(t, a[1]), whole(t, a[2])), whole(t, a[0])), 3)
		}},
		{`Pass\^1 of tasks (\d+ x \w+) with interval`, func(t *testing.T, a []string) string {
			return figure(metrics.PassHat(system(repeated(t, a[0])...), 1), 3)
		}},
		{`Pass\^1 of tasks (.+) with interval`, func(t *testing.T, a []string) string {
			return figure(metrics.PassHat(system(strings.Split(a[0], ", ")...), 1), 3)
		}},
		{`Pass\^(\d+) of tasks (.+)`, func(t *testing.T, a []string) string {
			return figure(plain(metrics.PassHat(system(strings.Split(a[1], ", ")...), whole(t, a[0]))), 3)
		}},
		{`strict Pass\^1 of tasks (.+)`, func(t *testing.T, a []string) string {
			return figure(plain(metrics.StrictPass(system(strings.Split(a[0], ", ")...))), 3)
		}},
		{`bounds of Pass\^(\d+) of tasks (.+)`, func(t *testing.T, a []string) string {
			worst, best := metrics.Bounds(system(strings.Split(a[1], ", ")...), whole(t, a[0]))
			return fmt.Sprintf("%.3f to %.3f", worst.Value, best.Value)
		}},
		{`published ([][\w.-]+)`, func(t *testing.T, a []string) string { return cited(t, a[0]) }},
		{`([\d.]+) / ([\d.]+)`, func(t *testing.T, a []string) string {
			return fmt.Sprintf("%.3f", number(t, a[0])/number(t, a[1]))
		}},
		{`([\d.]+) to the power (\d+)`, func(t *testing.T, a []string) string {
			return fmt.Sprintf("%.3f", math.Pow(number(t, a[0]), number(t, a[1])))
		}},
		{`mean of ([\d., ]+)`, func(t *testing.T, a []string) string {
			list := strings.Split(a[0], ", ")
			sum := 0.0
			for _, v := range list {
				sum += number(t, v)
			}
			return fmt.Sprintf("%.2f", sum/float64(len(list)))
		}},
		{`(mean|deviation) of ([\d, ]+) successes of (\d+) tasks`, func(t *testing.T, a []string) string {
			s := metrics.PerTrial(counted(whole(t, a[2]), wholes(t, a[1])...))
			return map[string]string{"mean": figure(s.Mean, 3), "deviation": figure(s.Deviation, 3)}[a[0]]
		}},
		{`difference over (\d+) tasks, (\d+) against (\d+), seed (\d+)`, func(t *testing.T, a []string) string {
			return figure(metrics.Bootstrap{Seed: uint64(whole(t, a[3]))}.Delta(pairing(whole(t, a[0]), whole(t, a[1]), whole(t, a[2]))), 3)
		}},
		{`adjusted difference over (\d+) tasks, (\d+) against (\d+)`, func(t *testing.T, a []string) string {
			return figure(metrics.Difference(pairing(whole(t, a[0]), whole(t, a[1]), whole(t, a[2]))), 3)
		}},
		{`(Z|p|exact p) of (\d+) against (\d+)`, func(t *testing.T, a []string) string {
			m := metrics.McNemarTest(metrics.Discordant{First: whole(t, a[1]), Second: whole(t, a[2])})
			return map[string]string{"Z": fmt.Sprintf("%.2f", m.Z), "p": fmt.Sprintf("%.2g", m.Normal), "exact p": fmt.Sprintf("%.2g", m.Exact)}[a[0]]
		}},
		{`odds ratio of (\d+) against (\d+)`, func(t *testing.T, a []string) string {
			return figure(metrics.McNemarTest(metrics.Discordant{First: whole(t, a[0]), Second: whole(t, a[1])}).Odds(), 2)
		}},
		{`difference of Pass\^(\d+), A (.+); B (.+)`, func(t *testing.T, a []string) string {
			both := metrics.Both{First: system(strings.Split(a[1], ", ")...), Second: system(strings.Split(a[2], ", ")...)}
			return figure(plain(metrics.PassDifference(whole(t, a[0]), both)), 3)
		}},
		{`detectable in (\d+) tasks of (\d+) trials, between ([\d.]+), within ([\d.]+)`, func(t *testing.T, a []string) string {
			v := metrics.Variation{Between: number(t, a[2]), Within: number(t, a[3])}
			return figure(metrics.Detectable(1, metrics.Design{Tasks: whole(t, a[0]), Trials: whole(t, a[1]), Variation: v}), 3)
		}},
		{`variance of tasks (.+)`, func(t *testing.T, a []string) string {
			v, _ := metrics.SplitOf(system(strings.Split(a[0], ", ")...))
			return fmt.Sprintf("between %.3f, within %.3f, intraclass %.3f", v.Between, v.Within, v.Intraclass().Value)
		}},
		{`association of A (.+); B (.+)`, func(t *testing.T, a []string) string {
			x := metrics.AssociationOf(metrics.Both{First: system(strings.Split(a[0], ", ")...), Second: system(strings.Split(a[1], ", ")...)})
			return fmt.Sprintf("correlation %.3f, discordance %.3f", x.Correlation.Value, x.Discordance.Value)
		}},
		{`(agreement|kappa) on criteria a (\d+) both (\d+) first (\d+) second (\d+) neither`, func(t *testing.T, a []string) string {
			x := metrics.AgreementOf(rated(slices.Concat(slices.Repeat([]string{"yy"}, whole(t, a[1])), slices.Repeat([]string{"yn"}, whole(t, a[2])),
				slices.Repeat([]string{"ny"}, whole(t, a[3])), slices.Repeat([]string{"nn"}, whole(t, a[4])))))
			return figure(plain(map[string]metrics.Estimate{"agreement": x.Share, "kappa": x.Kappa}[a[0]]), 3)
		}},
		{`kappa on tasks (.+)`, func(t *testing.T, a []string) string {
			var letters []string
			for _, task := range repeated(t, a[0]) {
				letters = append(letters, task[strings.Index(task, " ")+1:])
			}
			return figure(metrics.AgreementOf(rated(letters)).Kappa, 3)
		}},
		{`Holm of ([\d., ]+)`, func(t *testing.T, a []string) string {
			var ps, out []string
			var list []float64
			for ps = strings.Split(a[0], ", "); len(list) < len(ps); {
				list = append(list, number(t, ps[len(list)]))
			}
			for _, p := range metrics.Holm(list) {
				out = append(out, fmt.Sprintf("%.3g", p))
			}
			return strings.Join(out, ", ")
		}},
		{`ASR of (\d+) successes in (\d+) tasks of 4`, func(t *testing.T, a []string) string {
			return figure(plain(metrics.ASR(attacks(whole(t, a[1]), whole(t, a[0])))), 4)
		}},
		{`ASR@(\d+) of tasks (.+)`, func(t *testing.T, a []string) string {
			return figure(plain(metrics.ASRAt(system(repeated(t, a[1])...), whole(t, a[0]))), 3)
		}},
		{`ASR of tasks (.+) with interval`, func(t *testing.T, a []string) string {
			return figure(metrics.ASR(system(repeated(t, a[0])...)), 3)
		}},
		{`dollars for each of (\d+) tasks at ([\d.]+)`, func(t *testing.T, a []string) string {
			use := metrics.Use{Usage: metrics.Usage{Calls: 1, Cost: number(t, a[1])}, Conversations: whole(t, a[0])}
			return figure(metrics.CostOf(map[string]metrics.Use{"all": use}).DollarsPerTask, 2)
		}},
		{`dollars of (\w+) in Table 14 at the price of ([\w.-]+)`, func(t *testing.T, a []string) string {
			total, _ := priced(t, a[0], a[1])
			return fmt.Sprintf("%.2f", total)
		}},
		{`percent of them for output, (\w+) at ([\w.-]+)`, func(t *testing.T, a []string) string {
			total, output := priced(t, a[0], a[1])
			return fmt.Sprintf("%.1f", 100*output/total)
		}},
	}
}

// rated are two raters' answers on one thing of each task, y and n for yes and no.
func rated(answers []string) (out []metrics.Rated) {
	for i, x := range answers {
		out = append(out, metrics.Rated{Task: fmt.Sprint("t", i), First: x[0] == 'y', Second: x[1] == 'y'})
	}
	return out
}

func whole(t *testing.T, s string) int {
	t.Helper()
	n, err := strconv.Atoi(strings.TrimSpace(s))
	if err != nil {
		t.Fatal(err)
	}
	return n
}

func wholes(t *testing.T, s string) []int {
	t.Helper()
	var out []int
	for part := range strings.SplitSeq(s, ",") {
		out = append(out, whole(t, part))
	}
	return out
}

func number(t *testing.T, s string) float64 {
	t.Helper()
	v, err := strconv.ParseFloat(s, 64)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// repeated reads "16 x sfff, 4 x ffff" as tasks with these outcomes.
func repeated(t *testing.T, s string) []string {
	t.Helper()
	var out []string
	for part := range strings.SplitSeq(s, ", ") {
		n, letters, ok := strings.Cut(part, " x ")
		if !ok {
			t.Fatalf("%q is no list of tasks", s)
		}
		for range whole(t, n) {
			out = append(out, fmt.Sprintf("t%d %s", len(out), letters))
		}
	}
	return out
}

// plain is an estimate without its interval.
func plain(e metrics.Estimate) metrics.Estimate {
	e.Interval = metrics.Interval{}
	return e
}

// cited is a figure of published.yaml by its path, with the digits of the file.
func cited(t *testing.T, path string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(domaintest.Root(t), "configs", "paper", "published.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	at, err := yaml.PathString("$." + quotePath(path))
	if err != nil {
		t.Fatal(err)
	}
	node, err := at.ReadNode(strings.NewReader(string(text)))
	if err != nil {
		t.Fatalf("published %s: %v", path, err)
	}
	return strings.TrimSpace(node.String())
}

// quotePath quotes the parts of a path, since names of models have dots and dashes written as in the file.
func quotePath(path string) string {
	parts := strings.Split(path, ".")
	for i, p := range parts {
		if strings.ContainsAny(p, "-") {
			parts[i] = "'" + p + "'"
		}
	}
	return strings.Join(parts, ".")
}

// priced is what the calls of a row of Table 14 cost at a model's listed price, in all and for output alone.
func priced(t *testing.T, domain, model string) (total, output float64) {
	t.Helper()
	table, err := configs.ModelTable()
	if err != nil {
		t.Fatal(err)
	}
	p := table.For("", model).Price
	row := load(t).rows("table14", 2)[domain+".policyguide"]
	calls := row["calls_per_task"] * row["tasks"]
	cached := row["prompt_per_call"] * row["cached"] / 100
	output = calls * row["output_per_call"] * *p.Output / 1e6
	return output + calls*(cached**p.Cached+(row["prompt_per_call"]-cached)**p.Input)/1e6, output
}

// worked returns the worked lines of these pages, left = right, and their text without them.
func worked(t *testing.T) (lines [][2]string, prose string) {
	t.Helper()
	text := ""
	for _, name := range []string{"statistics.md", "comparing.md", "power.md", "judges.md"} {
		page, err := os.ReadFile(filepath.Join(domaintest.Root(t), "docs", name))
		if err != nil {
			t.Fatal(err)
		}
		text += string(page)
	}
	open := false
	var rest strings.Builder
	for line := range strings.SplitSeq(text, "\n") {
		switch {
		case strings.HasPrefix(line, "```"):
			open = line == "```worked"
		case open && line != "":
			left, right, ok := strings.Cut(line, " = ")
			if !ok {
				t.Fatalf("%q is no worked line: write left = right", line)
			}
			lines = append(lines, [2]string{strings.TrimSpace(left), strings.TrimSpace(right)})
		case !open:
			rest.WriteString(line + "\n")
		}
	}
	return lines, rest.String()
}

// TestPageIsWorkedOut recomputes every worked number of docs/statistics.md, comparing.md, power.md and judges.md.
func TestPageIsWorkedOut(t *testing.T) {
	lines, _ := worked(t)
	used := map[string]bool{}
	for _, line := range lines {
		found := false
		for _, f := range formulas() {
			m := regexp.MustCompile("^" + f.pattern + "$").FindStringSubmatch(line[0])
			if m == nil {
				continue
			}
			found, used[f.pattern] = true, true
			if got := f.print(t, m[1:]); got != line[1] {
				t.Errorf("%s = %s; the page says %s", line[0], got, line[1])
			}
			break
		}
		if !found {
			t.Errorf("no formula reads %q", line[0])
		}
	}
	if len(lines) < 40 {
		t.Errorf("only %d worked lines", len(lines))
	}
	for _, f := range formulas() {
		if !used[f.pattern] {
			t.Errorf("the page does not use %q: take it out", f.pattern)
		}
	}
}

// TestPageProse checks that every number with decimals in the page's text is in a worked line too.
func TestPageProse(t *testing.T) {
	lines, prose := worked(t)
	known := map[string]bool{}
	decimals := regexp.MustCompile(`\d+\.\d+`)
	for _, line := range lines {
		for _, n := range decimals.FindAllString(line[0]+" "+line[1], -1) {
			known[n] = true
		}
	}
	for _, n := range decimals.FindAllString(prose, -1) {
		if !known[n] {
			t.Errorf("the text says %s, which no worked line has", n)
		}
	}
}
