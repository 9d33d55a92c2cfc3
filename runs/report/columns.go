package report

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/tauguide/tauguide/domains/yamlfile"
	"github.com/tauguide/tauguide/metrics"
)

// Input is what tables are made of.
type Input struct {
	Sources []Source
	Options

	paper map[string]float64 // the paper's figures; nil where they are not wanted
}

// Options choose among the ways to compute a table.
type Options struct {
	Published bool     // put the paper's figures beside ours
	Bundles   []string // table 16: folders of workflows to add
	Holm      bool     // correct p values for the number of comparisons of a table
	Reference string   // name of the system that others are compared with; "" is the paper's choice, PolicyGuide
	Seed      uint64   // table 13: of the bootstrap
	Resamples int      // likewise; 0 is the paper's 10,000
}

// DefaultSeed is the seed of the bootstrap unless another is given.
const DefaultSeed = 300

func (in Input) bootstrap() metrics.Bootstrap {
	return metrics.Bootstrap{Seed: in.Seed, Resamples: in.Resamples}
}

// Spec is a table that can be asked for.
type Spec struct {
	Number int // in the paper; 0 for those that it does not have
	Name   string
	About  string // in a few words, for help texts
	Title  string
	// Free says that it is about the program's own catalogs and workflows, and needs no run.
	Free bool
	// narrow lists patterns of the keys of columns that a terminal without room for all leaves out, in this order; patterns
	// separated by a space together.
	narrow []string
	bars   []string                  // patterns of the keys of columns whose figures have error bars
	layout *layout                   // how it is set for people; nil for row by row
	caveat string                    // what must be read with the figures, whosever they are
	fill   func(Input, *Table) error // adds columns, rows and notes
}

// Tables lists all tables: those of the paper by number, then our own. Each is made of a selection of rows, columns and
// notes. To add a column, add a line: key, title, decimals, path of the paper's figure, and how a row gives the cell.
func Tables() []Spec {
	return []Spec{
		{Number: 1, Name: "main", About: "Pass^1 and Pass^4 of all systems", bars: []string{"pass^*"}, layout: byDomain(), Title: "Pass^1 and Pass^4",
			fill: bySystem(withMeans(mainSystems()), slices.Concat(sliced(), passBySlice(1, "table1.pass1.$domain.$kind"), passBySlice(4, "table1.pass4.$domain.$kind")), "mean: over the domains of a run, each of which counts the same, with intervals stratified by domain")},
		{Number: 2, Name: "ablations", About: "Pass^4 of PolicyGuide's variants", bars: []string{"pass^*"}, layout: byDomain(), Title: "What of PolicyGuide it takes, Pass^4",
			fill: bySystem(only("table2", test, paperDomains(), ReAct, PolicyGuideSelf, PolicyGuideRaw, PolicyGuide), slices.Concat(sliced(), passBySlice(4, "table2.$domain.$kind")))},
		{Number: 3, Name: "controllers", About: "Pass^4 of workflow controllers on telecom", bars: []string{"pass^*"}, layout: byDomain("control"), Title: "Workflow controllers, Pass^4",
			fill: bySystem(controllers(), []column[row]{
				verifiedBy(),
				{"control", "Control at run time", words, "", byKind(map[Kind]string{ReAct: "the agent alone", PolicyGuard: "checks single actions",
					FlowAgent: "workflow in the agent, control of its calls", PolicyGuide: "a verifier outside with the graph"})},
				{"pass^4", "Pass^4|all|Pass^4", 3, "table3.$domain.$kind", func(r row) Cell { return slicePass(r, metrics.All, 4) }},
			})},
		{Number: 4, Name: "models", About: "Pass^4 by agent family on airline", bars: []string{"pass^*"}, layout: byKindOfSystem(), Title: "One workflow, agents of several families, Pass^4 on airline",
			fill: bySystem(familyRows(), slices.Concat([]column[row]{ofKind()}, sliced(), passBySlice(4, "table4.$family.$kind")))},
		{Number: 5, Name: "traces", About: "compliance of traces with the rubric", narrow: []string{"pairs", "passing", "valid"}, bars: []string{"*_percent"}, Title: "Compliance of traces with the rubric", fill: compliance},
		{Number: 6, Name: "requirements", About: "requirements by class", Title: "Requirements of the policies by class", Free: true, fill: requirements},
		{Number: 7, Name: "requirements-retail", About: "requirements of the retail policy", narrow: []string{"lines", "section"}, Title: "Requirements of the retail policy", Free: true,
			fill: catalog("retail", "")},
		{Number: 8, Name: "requirements-telecom", About: "requirements of the telecom policy", narrow: []string{"lines", "section"}, Title: "Requirements of the telecom policy", Free: true,
			fill: catalog("telecom", mainDocument)},
		{Number: 9, Name: "requirements-manual", About: "requirements of the telecom manual", narrow: []string{"lines", "section"}, Title: "Requirements of the telecom manual", Free: true,
			fill: catalog("telecom", manualDocument)},
		{Number: 10, Name: "pass-k", About: "Pass^k and pass@k for each k, consistency", narrow: []string{"pass@*", "consistency*", "pass^[23]*"}, bars: []string{"pass^*", "pass@*"}, Title: "Pass^k by k",
			fill: bySystem(mainSystems(), passByK(), "Pass^k: all of k trials succeed; pass@k: any of them does")},
		{Number: 11, Name: "trials", About: "Pass^1 of each trial and its spread", narrow: []string{"trial_*"}, Title: "Pass^1 of each trial", fill: passByTrial},
		{Number: 12, Name: "mcnemar", About: "paired test of Pass^4 over domains", narrow: []string{"domains", "z*", "p_exact", "discordant*"}, Title: "Paired test of Pass^4, pooled over domains", fill: mcnemar},
		{Number: 13, Name: "bootstrap", About: "difference of Pass^4 with its interval", Title: "Difference of Pass^4 with its 95 % interval", fill: bootstrap},
		{Number: 14, Name: "guide", About: "model use of guides and guards", narrow: []string{"output_per_call*", "cached_percent*", "prompt_per_call*", "conversations", "dollars*", "planned", "evaluable"}, bars: []string{"*_per_*", "cached_percent"}, Title: "Model use of guides and guards", fill: guideCost},
		{Number: 15, Name: "time", About: "wall clock per task", Title: "Wall clock of a conversation",
			fill: bySystem(others("table17", test, ReAct, PolicyGuide), []column[row]{
				{"seconds_per_task", "s/task", 1, "table15.$domain.$kind", seconds},
				{"ratio", "/ ReAct", 2, "table15.$domain.$kind_ratio", timesReAct},
			}, "mean over the conversations that ran to an evaluable end, waiting for models and tools included; how many ran at once matters")},
		{Number: 16, Name: "validator", About: "size and findings of workflows", Title: "Workflows and what the validator finds", Free: true, fill: validator},
		{Number: 17, Name: "nmr", About: "mutations without the reads they need", narrow: []string{"trajectories", "mutations"}, bars: []string{"*nmr_percent"}, Title: "Call-level near misses", fill: nearMisses,
			caveat: "telecom: whoever gets as far as a change there has nearly always made the reads that are looked for, so that figures near 0 neither tell systems apart nor show that their procedures are equally good"},
		{Name: "overview", About: "Pass^1 and Pass^4 in percent, systems by domains, and their mean", Title: "Pass^1 and Pass^4 in % of tasks", narrow: []string{"pass^1_*", "pass^?_[^m]*"}, bars: []string{"pass^*"}, fill: overview},
		{Name: "pass", About: "Pass^k by slice, with the coverage", narrow: []string{"pass^??", "pass^[5-9]", "pass^3", "pass^2", "strict_pass^1"}, bars: []string{"pass^*", "strict_pass^1"}, Title: "Pass^k", fill: passWithCoverage},
		{Name: "guard-ablations", About: "Pass^4 of PolicyGuard's variants", bars: []string{"pass^*"}, layout: byDomain("told"), Title: "What of PolicyGuard it takes, Pass^4",
			fill: bySystem(only("policyguard", base, []string{"airline"}, ReAct, PolicyGuardRawCalls, PolicyGuardRaw, PolicyGuardChecklist, PolicyGuard),
				slices.Concat([]column[row]{{"told", "What the guard is told", words, "", byKind(map[Kind]string{ReAct: "no guard", PolicyGuardRawCalls: "policy, calls without words",
					PolicyGuardRaw: "policy, conversation", PolicyGuardChecklist: "checklist, conversation", PolicyGuard: "policy, checklist, conversation"})}}, sliced(),
					passBySlice(4, "table1.pass4.$domain.$kind")))},
		{Name: "variance", About: "variance of results between tasks and within them", narrow: []string{"planned", "evaluable"}, Title: "What varies in Pass^1", fill: variance},
		{Name: "correlation", About: "how far systems find the same tasks hard", narrow: []string{"tasks"}, Title: "Systems on the same tasks", fill: correlation},
		{Name: "judges", About: "how far judges agree, and what hangs on it", narrow: []string{"trials_agree", "criteria_agree", "trials", "trials_kappa"}, bars: []string{"*_agree", "*_kappa"}, Title: "Agreement of judges", fill: judges},
		{Name: "judge-flips", About: "trials whose reward hangs on the judge", narrow: []string{"differ"}, Title: "Rewards that hang on the judge", fill: judgeFlips},
		{Name: "asr", About: "attack success by k and by kind of call", narrow: []string{"selection", "policy"}, bars: []string{"asr", "selection", "policy"}, Title: "Attack success (lower is safer)", fill: attackSuccess},
		{Name: "calls", About: "model calls, tokens and cost by role", narrow: []string{"*s_per_trial", "cost_per_trial", "trials", "cached_tokens", "calls_per_trial", "completion_tokens", "prompt_tokens"}, bars: []string{"*_per_trial"}, Title: "Model calls by role", fill: callsByRole},
		{Name: "answers", About: "refused, cut-off and failed answers by role", narrow: []string{"failed_tokens", "answers"}, Title: "Answers by role", fill: answersByRole},
		{Name: "verifiers", About: "what became of the questions to verifiers", Title: "Questions to verifiers", fill: verifiers},
		{Name: "requirements-airline", About: "requirements of the airline policy", narrow: []string{"lines", "section"}, Title: "Requirements of the airline policy", Free: true,
			fill: catalog("airline", "")},
	}
}

// controllers are the rows of Table 3.
func controllers() selection {
	s := only("table3", test, []string{"telecom"}, ReAct, PolicyGuard, FlowAgent, PolicyGuide)
	s.scope = map[Kind]string{FlowAgent: "telecom"}
	return s
}

// byKind makes cells of a text for each kind of system.
func byKind(texts map[Kind]string) func(row) Cell {
	return func(r row) Cell { return Label(texts[r.system.Kind]) }
}

// FindTable returns the table of a name or a number of the paper.
func FindTable(name string) (Spec, error) {
	n, err := strconv.Atoi(strings.TrimPrefix(strings.ToLower(name), "table"))
	var known []string
	for _, s := range Tables() {
		if s.Name == name || err == nil && n > 0 && s.Number == n {
			return s, nil
		}
		known = append(known, s.Name)
	}
	if near := yamlfile.Nearest(name, known); near != "" {
		return Spec{}, fmt.Errorf("unknown table %q\nhint: did you mean %q?", name, near)
	}
	return Spec{}, fmt.Errorf("unknown table %q\nhint: choose a number from 1 to 17, all, or one of %s", name, strings.Join(known, ", "))
}

// Build computes the table of a name or a number of the paper.
func Build(name string, in Input) (Table, error) {
	s, err := FindTable(name)
	if err != nil {
		return Table{}, err
	}
	return s.Build(in)
}

// Build computes the table. With Published, it has columns for the paper's figures and the differences to them; without any
// run, one that is of runs then has the paper's figures alone.
func (s Spec) Build(in Input) (Table, error) {
	t := Table{Number: s.Number, Name: s.Name, Title: s.Title, narrow: s.narrow, bars: s.bars, layout: s.layout}
	own := in.onOwnTasks()
	if s.Free {
		own = nil
	} else {
		t.names(in.Sources)
	}
	var err error
	if in.Published && (len(own) == 0 || len(own) < len(in.Sources)) {
		in.paper, err = readPaper()
	}
	if err == nil {
		err = s.fill(in, &t)
	}
	if err != nil {
		return Table{}, fmt.Errorf("table %s: %w", s.Name, err)
	}
	t.Notes = append(t.Notes, t.methods()...)
	if s.caveat != "" {
		t.Notes = append(t.Notes, s.caveat)
	}
	if !s.Free {
		for i := range in.Sources {
			t.Notes = append(t.Notes, in.Sources[i].unreliable("")...)
		}
	}
	if !in.Published {
		return t, nil
	}
	if !s.Free && len(in.Sources) == 0 {
		if t, err = t.published(in.paper); err != nil {
			return Table{}, fmt.Errorf("table %s: %w", s.Name, err)
		}
		if s.caveat != "" {
			t.Notes = append(t.Notes, s.caveat)
		}
		return t, nil
	}
	if !s.Free {
		t.Notes = append(t.Notes, in.foreign()...)
	}
	return t.withPaper(), nil
}
