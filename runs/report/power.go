package report

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"github.com/tauguide/tauguide/configs"
	"github.com/tauguide/tauguide/domains"
	"github.com/tauguide/tauguide/metrics"
	"github.com/tauguide/tauguide/runs/config"
)

// Planning is an experiment as planned, and what is known of how its figures will vary.
type Planning struct {
	Name        string
	K           int                       // of the Pass^k whose difference is planned for
	Designs     map[string]metrics.Design // by domain
	Systems     int
	Dollars     float64 // for a conversation, 0 where unknown
	Basis       string  // where the variation is from
	Synthetic   bool
	Comparisons int // of which p is corrected

	contests map[string][]metrics.Contest // by domain, those whose mean variation it is
}

// PlannedPower is the planning of a config for Pass^k, by the variation that the paper's figures show.
func PlannedPower(p *config.Plan, k int, dollars float64) (Planning, error) {
	published, err := publishedContests()
	if err != nil {
		return Planning{}, err
	}
	out := Planning{Name: p.Config.Name, K: k, Designs: map[string]metrics.Design{}, Dollars: dollars, contests: map[string][]metrics.Contest{},
		Basis: "the variation that the paper's Tables 1, 10 and 13 show of PolicyGuide and ReAct"}
	var planned []metrics.Outcome
	for _, t := range p.Trials {
		planned = append(planned, metrics.Outcome{Domain: t.Domain, System: t.System, Task: t.Task, Trial: t.Trial})
	}
	out.plan(planned)
	for domain := range out.Designs {
		of := []string{domain}
		if _, ok := published[domain]; !ok {
			of = paperDomains()
		}
		for _, d := range of {
			out.contests[domain] = append(out.contests[domain], published[d])
		}
	}
	return out, out.vary()
}

// MeasuredPower is the planning for Pass^k of an experiment like a run, by the run's own variation: that of its first system,
// or the reference, and each other one, the mean of these.
func MeasuredPower(s *Source, k int) (Planning, error) {
	out := Planning{Name: s.Name, K: k, Designs: map[string]metrics.Design{}, Basis: "the run's own variation", Synthetic: s.Synthetic, contests: map[string][]metrics.Contest{}}
	out.plan(s.Outcomes)
	reference := append(Input{}.references(s), s.Systems[0])[0]
	first := Side{s, reference.Name}.outcomes()
	for domain := range out.Designs {
		for _, x := range s.Systems {
			if x.Name == reference.Name {
				continue
			}
			if c, ok := metrics.ContestOf(metrics.Both{First: first[domain], Second: Side{s, x.Name}.outcomes()[domain]}); ok {
				out.contests[domain] = append(out.contests[domain], c)
			}
		}
		if len(out.contests[domain]) == 0 {
			return out, domains.Usage(fmt.Errorf("run %s does not tell how results on %s vary: that takes two systems with two usable trials of two common tasks\n"+
				"hint: name a config instead, which goes by the paper's variation", s.Name, domain))
		}
	}
	if err := out.vary(); err != nil {
		return out, err
	}
	cost := 0.0
	for _, spent := range s.Spent {
		for _, use := range spent.Tasks {
			if use.UnknownCost > 0 {
				return out, nil
			}
			cost += use.Cost
		}
	}
	if len(s.Trials) > 0 {
		out.Dollars = cost / float64(len(s.Trials))
	}
	return out, nil
}

// plan counts tasks and trials by domain, and the systems.
func (p *Planning) plan(all []metrics.Outcome) {
	systems, tasks := map[string]bool{}, map[string]map[string]bool{}
	for _, o := range all {
		systems[o.System] = true
		if tasks[o.Domain] == nil {
			tasks[o.Domain] = map[string]bool{}
		}
		tasks[o.Domain][o.Task] = true
		d := p.Designs[o.Domain]
		d.Trials = max(d.Trials, o.Trial+1)
		d.Tasks = len(tasks[o.Domain])
		p.Designs[o.Domain] = d
	}
	p.Systems = len(systems)
	p.Comparisons = max(1, p.Systems-1)
}

// vary sets the variation of the designs, for which there must be enough trials.
func (p *Planning) vary() error {
	for domain, d := range p.Designs {
		if d.Trials < p.K {
			return domains.Usage(fmt.Errorf("too few trials for Pass^%d: %s has %d of a task\nhint: ask for a k from 1 to %d", p.K, domain, d.Trials, d.Trials))
		}
		d.Variation = p.variation(domain, d.Trials)
		p.Designs[domain] = d
	}
	return nil
}

// variation is that of a domain with so many trials of each task.
func (p Planning) variation(domain string, trials int) (mean metrics.Variation) {
	all := p.contests[domain]
	for _, c := range all {
		v := c.Variation(p.K, trials)
		mean.Between += v.Between / float64(len(all))
		mean.Within += v.Within / float64(len(all))
	}
	return mean
}

// publishedContests are those of PolicyGuide and ReAct in the paper, by domain. How much trials of a task differ follows from
// Pass^1 and Pass^2, as does how much tasks do: the mean of a chance and of its square. That both find the same tasks hard
// follows from the interval of the difference in Pass^4, which is too little for chances, so that rather more is found than said.
func publishedContests() (map[string]metrics.Contest, error) {
	paper, err := configs.Published()
	if err != nil {
		return nil, err
	}
	out := map[string]metrics.Contest{}
	for _, domain := range paperDomains() {
		var single [2]float64
		var sides [2]metrics.Chances
		for i, system := range []string{"policyguide", "react"} {
			pass := func(k int) float64 { return paper[fmt.Sprintf("table10.%s.%s.pass.%d", domain, system, k)] }
			single[i] = math.Sqrt(pass(4) * (1 - pass(4)))
			sides[i] = metrics.Chances{Mean: pass(1), Variation: metrics.Variation{Between: max(0, pass(2)-pass(1)*pass(1)), Within: pass(1) - pass(2)}}
		}
		row := "table13." + domain + ".react."
		se := (paper[row+"hi"] - paper[row+"lo"]) / 2 / 1.96
		together := (single[0]*single[0] + single[1]*single[1] - paper[row+"tasks"]*se*se) / 2
		correlation := max(0, together/(single[0]*single[1]))
		between := sides[0].Between + sides[1].Between - 2*correlation*math.Sqrt(sides[0].Between*sides[1].Between)
		out[domain] = metrics.Contest{First: sides[0], Second: sides[1], Between: max(0, between)}
	}
	return out, nil
}

// designs are those of all domains, with so many times the tasks, and so many trials where that is not 0.
func (p Planning) designs(tasks float64, trials int) (out []metrics.Design) {
	for _, domain := range slices.Sorted(maps.Keys(p.Designs)) {
		d := p.Designs[domain]
		d.Tasks = int(math.Round(tasks * float64(d.Tasks)))
		if trials > 0 {
			d.Trials, d.Variation = trials, p.variation(domain, trials)
		}
		out = append(out, d)
	}
	return out
}

// detectable is what such an experiment finds.
func (p Planning) detectable(tasks float64, trials int) metrics.Estimate {
	return metrics.Detectable(p.Comparisons, p.designs(tasks, trials)...)
}

// power is how often it finds a difference.
func (p Planning) power(effect, tasks float64, trials int) float64 {
	return metrics.Power(effect, p.Comparisons, p.designs(tasks, trials)...)
}

// String is the planning in a line.
func (p Planning) String() string {
	if p.Systems < 2 {
		return "power: one system is compared with nothing"
	}
	e := p.detectable(1, 0)
	if !e.Defined {
		return "power: " + e.Reason
	}
	return fmt.Sprintf("power: a difference in Pass^%d of %.3f is found in %d of 100 such experiments, by %s", p.K, e.Value, metrics.PlannedPower, p.Basis)
}

// option is a way to plan the experiment: so many times the tasks, and so many trials.
type option struct {
	tasks         float64
	trials        int
	all           int // tasks of all domains
	conversations int
}

func (p Planning) option(tasks float64, trials int) option {
	o := option{tasks: tasks, trials: trials}
	for _, d := range p.designs(tasks, trials) {
		o.trials = max(o.trials, d.Trials)
		o.all += d.Tasks
		o.conversations += d.Tasks * d.Trials * p.Systems
	}
	return o
}

// Table says what the experiment finds as it is, and with other numbers of trials and tasks; and how often it finds a difference
// of effect, if that is not 0.
func (p Planning) Table(effect float64) Table {
	t := Table{Name: "power", Title: fmt.Sprintf("Differences in Pass^%d that are found in %d of 100 experiments like %s", p.K, metrics.PlannedPower, p.Name), Synthetic: p.Synthetic}
	now := p.option(1, 0)
	rows := []option{now}
	for _, trials := range []int{1, 2, 4, 8, 16} {
		if trials != now.trials && trials >= p.K {
			rows = append(rows, p.option(1, trials))
		}
	}
	for _, tasks := range []float64{0.5, 2, 4} {
		rows = append(rows, p.option(tasks, 0))
	}
	cols := []column[option]{
		{"tasks", "Tasks", 0, "", func(o option) Cell { return Whole(o.all) }},
		{"trials", "Trials", 0, "", func(o option) Cell { return Whole(o.trials) }},
		{"conversations", "Conversations", 0, "", func(o option) Cell { return Whole(o.conversations) }},
		{"dollars", "Dollars", 2, "", func(o option) Cell {
			if p.Dollars == 0 {
				return Cell{Text: "–"}
			}
			return Number(p.Dollars*float64(o.conversations), 2)
		}},
		{"detectable", "Found", 3, "", func(o option) Cell { return estimate(p.detectable(o.tasks, o.trials), 3) }},
	}
	if effect > 0 {
		cols = append(cols, column[option]{"power", fmt.Sprintf("Power for %g", effect), 3, "", func(o option) Cell { return Number(p.power(effect, o.tasks, o.trials), 3) }})
	}
	fill(&t, cols, rows, nil)
	t.Finding = p.advice(now, effect)
	t.Notes = append(t.Notes, "by "+p.Basis, fmt.Sprintf("the first row is the experiment as planned: %d domains, each of which counts the same, and %d systems", len(p.Designs), p.Systems))
	if p.Comparisons > 1 {
		t.Notes = append(t.Notes, fmt.Sprintf("the first system is compared with %d others, for which p is corrected: the figures are of the one that is corrected most", p.Comparisons))
	}
	return t
}

// advice says what trials and tasks would buy.
func (p Planning) advice(now option, effect float64) string {
	if effect > 0 {
		const most = 1000
		text := fmt.Sprintf("a difference of %g is found in %.0f of 100 such experiments", effect, 100*p.power(effect, 1, 0))
		enough := func(tasks float64, trials int) bool {
			return p.power(effect, tasks, trials) >= metrics.PlannedPower/100.0
		}
		if enough(1, 0) {
			return text
		}
		ways := []string{}
		for n := now.trials + 1; n <= most; n++ {
			if enough(1, n) {
				ways = append(ways, fmt.Sprintf("%d trials%s", n, p.price(p.option(1, n))))
				break
			}
		}
		if len(ways) == 0 {
			ways = append(ways, "no number of trials")
		}
		for n := 11; n <= most; n++ {
			if x := p.option(float64(n)/10, 0); enough(x.tasks, 0) {
				ways = append(ways, fmt.Sprintf("%d tasks%s", x.all, p.price(x)))
				break
			}
		}
		return fmt.Sprintf("%s; %d of 100 take %s", text, metrics.PlannedPower, strings.Join(ways, ", or "))
	}
	trials, tasks, always := p.detectable(1, 2*now.trials), p.detectable(2, 0), p.detectable(1, 1_000_000)
	if !trials.Defined || !tasks.Defined {
		return "there are too few tasks for any difference to be found reliably"
	}
	return fmt.Sprintf("twice the conversations%s: as trials they find %.3f, as tasks %.3f; however many trials, no less than %.3f", p.price(p.option(2, 0)), trials.Value, tasks.Value, always.Value)
}

// price is what an option costs, in brackets.
func (p Planning) price(o option) string {
	if p.Dollars == 0 {
		return ""
	}
	return fmt.Sprintf(" (%.2f dollars)", p.Dollars*float64(o.conversations))
}
