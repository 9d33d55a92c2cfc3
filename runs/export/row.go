// Package export writes recorded runs as files that other programs read: a table with a row for each trial, a log of Inspect.
package export

import (
	"context"
	"fmt"
	"strings"

	"github.com/tauguide/tauguide/agents"
	"github.com/tauguide/tauguide/domains"
	"github.com/tauguide/tauguide/metrics"
	"github.com/tauguide/tauguide/runs/config"
	"github.com/tauguide/tauguide/runs/store"
	"github.com/tauguide/tauguide/runs/trials"
	"github.com/tauguide/tauguide/sim"
)

// Row is a trial as a row of a table: of its attempts the one that counts. The tags name the columns of CSV
// and Parquet, which docs/other-tools.md explains; nil is a value that is missing.
type Row struct {
	Run       string  `parquet:"run"`
	Synthetic bool    `parquet:"synthetic"`
	Domain    string  `parquet:"domain"`
	System    string  `parquet:"system"`
	Agent     *string `parquet:"agent,optional"` // with its overlays, outermost first; nil where the run has no config of it
	Model     *string `parquet:"model,optional"` // of the agent, as its provider calls it
	UserModel *string `parquet:"user_model,optional"`
	Task      string  `parquet:"task"`
	Slice     *string `parquet:"slice,optional"` // nil of a trial that nobody planned
	Trial     int64   `parquet:"trial"`
	Attempt   int64   `parquet:"attempt"`
	Seed      int64   `parquet:"seed"`

	Outcome string   `parquet:"outcome"`
	Success *int64   `parquet:"success,optional"` // nil where the outcome is void or pending
	Reward  *float64 `parquet:"reward,optional"`
	Ending  string   `parquet:"ending"`
	Fault   *string  `parquet:"fault,optional"`

	Steps      int64 `parquet:"steps"`
	Messages   int64 `parquet:"messages"`
	ToolCalls  int64 `parquet:"tool_calls"`
	ToolErrors int64 `parquet:"tool_errors"`

	ModelCalls       int64    `parquet:"model_calls"`
	PromptTokens     *int64   `parquet:"prompt_tokens,optional"`
	CachedTokens     *int64   `parquet:"cached_tokens,optional"`
	CompletionTokens *int64   `parquet:"completion_tokens,optional"`
	Cost             *float64 `parquet:"cost,optional"`
	Seconds          float64  `parquet:"seconds"`

	Firings     int64 `parquet:"firings"`
	FailOpens   int64 `parquet:"fail_opens"`
	Reasked     int64 `parquet:"reasked"`
	Coerced     int64 `parquet:"coerced"`
	Rejected    int64 `parquet:"rejected"`
	Guidances   int64 `parquet:"guidances"`
	Intercepts  int64 `parquet:"intercepts"`
	Blocks      int64 `parquet:"blocks"`
	GuardBlocks int64 `parquet:"guard_blocks"`
	FlowRejects int64 `parquet:"flow_rejects"`
}

// Result tells what was written.
type Result struct {
	File      string   `json:"file,omitempty"` // "" for standard output
	Trials    int      `json:"trials"`
	Void      int      `json:"void"`
	Unscored  int      `json:"pending"`
	Missing   int      `json:"missing"`             // planned trials without a record that can be read
	Damaged   []string `json:"damaged,omitempty"`   // what is wrong with records that could be read when the run was opened
	Synthetic string   `json:"synthetic,omitempty"` // what of the run is scripted
}

// String sums it up in a line.
func (r Result) String() string {
	out := fmt.Sprintf("%d trials; %d void, %d without a score, %d planned trials missing", r.Trials, r.Void, r.Unscored, r.Missing)
	if r.Synthetic != "" {
		out += "; " + r.Synthetic
	}
	return out
}

// Selection chooses trials; "" is every domain or system.
type Selection struct{ Domain, System string }

func (s Selection) has(k sim.Key) bool {
	return (s.Domain == "" || s.Domain == k.Domain) && (s.System == "" || s.System == k.System)
}

// Each reads the trials of a run one at a time, in the order of the plan, and then those that nobody planned. A record that
// cannot be read is left out and named in the result.
func Each(ctx context.Context, r *store.Run, s Selection, use func(store.Entry, sim.Record) error) (Result, error) {
	out := Result{Synthetic: r.Scripted()}
	planned := 0
	for _, p := range r.Plan() {
		if s.has(p.Key) {
			planned++
		}
	}
	for _, e := range r.Index() {
		if !s.has(e.Key) {
			continue
		}
		if err := ctx.Err(); err != nil {
			return out, err
		}
		rec, err := r.Attempt(e.Ref)
		if err != nil {
			out.Damaged = append(out.Damaged, err.Error())
			continue
		}
		if err := use(e, rec); err != nil {
			return out, fmt.Errorf("%s: %w", e.Ref, err)
		}
		out.Trials++
		switch trials.OutcomeOf(e) {
		case trials.Void:
			out.Void++
		case trials.Pending:
			out.Unscored++
		}
	}
	out.Missing = max(0, planned-out.Trials)
	return out, nil
}

// rows makes the rows of a run.
type rows struct {
	run     *store.Run
	planned map[sim.Key]config.Planned
	systems map[string]config.System
}

func newRows(r *store.Run) rows {
	x := rows{r, map[sim.Key]config.Planned{}, map[string]config.System{}}
	for _, p := range r.Plan() {
		x.planned[p.Key] = p
	}
	for _, s := range r.Manifest().Config.Systems {
		x.systems[s.Name] = s
	}
	return x
}

// of is the row of a trial.
func (x rows) of(e store.Entry, rec sim.Record) Row {
	m := x.run.Manifest()
	row := Row{Run: m.Name, Synthetic: rec.Synthetic, Domain: e.Domain, System: e.System, Task: e.Task, Trial: int64(e.Trial),
		Attempt: int64(e.Attempt), Seed: rec.Seed, UserModel: modelName(m.Config, m.Config.User.Model), Outcome: string(trials.OutcomeOf(e)),
		Reward: e.Reward, Ending: string(e.Termination), Fault: present(e.Fault), Steps: int64(e.Steps), Messages: int64(len(rec.Messages)),
		ToolErrors: int64(e.ToolErrors), Cost: e.Cost, Seconds: e.Seconds}
	if p, ok := x.planned[e.Key]; ok {
		row.Slice = present(string(metrics.Outcome{Mut: p.Mut, Unclassified: p.Unclassified}.Slice()))
	}
	if s, ok := x.systems[e.System]; ok {
		row.Agent, row.Model = present(agentName(s)), modelName(m.Config, s.Model)
	}
	if trials.OutcomeOf(e) == trials.Void {
		row.Reward = nil // an imported result may hold one, which counts nowhere
	} else if e.Reward != nil {
		row.Success = new(int64)
		if sim.Success(*e.Reward) {
			*row.Success = 1
		}
	}
	for _, msg := range rec.Messages {
		if msg.Role == domains.RoleAssistant {
			row.ToolCalls += int64(len(msg.ToolCalls))
		}
	}
	row.spend(e.Usage)
	row.oversee(rec)
	return row
}

// spend sums the tokens of all roles; one unknown figure makes a sum unknown.
func (row *Row) spend(roles []store.RoleUsage) {
	var sum metrics.Usage
	for _, u := range roles {
		sum.Calls += u.Calls
		sum.Prompt += u.Prompt
		sum.Cached += u.Cached
		sum.Completion += u.Completion
		sum.UnknownTokens += u.UnknownTokens
		sum.UnknownCached += u.UnknownCached
	}
	row.ModelCalls = int64(sum.Calls)
	if sum.UnknownTokens == 0 {
		row.PromptTokens, row.CompletionTokens = &sum.Prompt, &sum.Completion
	}
	if sum.UnknownCached == 0 {
		row.CachedTokens = &sum.Cached
	}
}

// oversee counts what verifiers and guards around the agent did.
func (row *Row) oversee(rec sim.Record) {
	o := rec.Oversight()
	row.Firings, row.FailOpens, row.Reasked = int64(o.Firings), int64(o.Failed), int64(o.Reasked)
	row.Coerced, row.Rejected = int64(o.Coerced), int64(o.Rejected)
	counts := map[sim.EventKind]*int64{agents.EventGuidance: &row.Guidances, agents.EventIntercept: &row.Intercepts, agents.EventBlock: &row.Blocks,
		agents.EventGuardBlock: &row.GuardBlocks, agents.EventFlowReject: &row.FlowRejects}
	for _, e := range rec.Events {
		if n := counts[e.Kind]; n != nil {
			*n++
		}
	}
}

// agentName names an agent with its overlays, the outermost first: policyguide+react.
func agentName(s config.System) string {
	var parts []string
	for _, o := range s.Overlays {
		parts = append(parts, o.Name)
	}
	return strings.Join(append(parts, s.Agent), "+")
}

// modelName is what the provider of a config's model calls it; the config's own name where that is scripted.
func modelName(c *config.Config, name string) *string {
	if m := c.Models[name]; m.Model != "" {
		return &m.Model
	}
	return present(name)
}

// present is nil for a text that is empty.
func present(s string) *string {
	if s == "" {
		return nil
	}
	return &s
}
