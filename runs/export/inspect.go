package export

import (
	"archive/zip"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"slices"

	"github.com/tauguide/tauguide/runs/store"
	"github.com/tauguide/tauguide/sim"
)

// The layout of a log is that of inspect_ai 0.3 (version 2 of its format): a zip file with a member for each sample, one
// with what lists show of them, and one with everything else.
const (
	inspectVersion   = 2
	inspectHeader    = "header.json"
	inspectSummaries = "summaries.json"
	inspectReducer   = "mean" // trials of a task are averaged, and then tasks
)

// scoresAtOnce is how many scores are kept in memory: of the trials that come next, as the file of scores has an order of
// its own and is read anew for each such part.
const scoresAtOnce = 5000

// inspector writes one log.
type inspector struct {
	rows
	chosen    Selection
	zip       *zip.Writer
	atOnce    int                     // how many scores are in memory
	scores    map[store.Ref]sim.Score // of some trials
	some      map[store.Ref]bool      // these trials
	next      []store.Ref             // those that follow
	summaries []json.RawMessage
	tasks     []string             // in the order of the log
	rewards   map[string][]float64 // by task
	epochs    int
	from, to  string // when the first trial began and the last one ended, "" where none tells
	models    map[string]*store.RoleUsage
	roles     map[string]*store.RoleUsage
}

// Inspect writes the trials of one domain and system as a log of inspect_ai: a sample for each trial, whose epoch is the
// trial's number plus 1. A trial that is void is a sample with an error. program is the version of this program.
func Inspect(ctx context.Context, r *store.Run, s Selection, program string, w io.Writer) (Result, error) {
	return inspect(ctx, r, s, program, w, scoresAtOnce)
}

func inspect(ctx context.Context, r *store.Run, s Selection, program string, w io.Writer, atOnce int) (Result, error) {
	x := inspector{rows: newRows(r), chosen: s, zip: zip.NewWriter(w), atOnce: atOnce, rewards: map[string][]float64{},
		models: map[string]*store.RoleUsage{}, roles: map[string]*store.RoleUsage{}}
	for _, e := range r.Index() {
		if s.has(e.Key) {
			x.next = append(x.next, e.Ref)
		}
	}
	done, err := Each(ctx, r, s, x.add)
	if err != nil {
		return done, err
	}
	if err := x.member(inspectSummaries, x.summaries); err != nil {
		return done, err
	}
	if err := x.member(inspectHeader, x.header(done, program)); err != nil {
		return done, err
	}
	return done, x.zip.Close()
}

// member writes a file of the log.
func (x *inspector) member(name string, value any) error {
	w, err := x.zip.Create(name)
	if err != nil {
		return err
	}
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	if err := e.Encode(value); err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	return nil
}

// add writes a trial.
func (x *inspector) add(e store.Entry, rec sim.Record) error {
	row := x.of(e, rec)
	score, err := x.score(e.Ref)
	if err != nil {
		return err
	}
	s := x.sample(row, rec, score)
	for _, c := range slices.Concat(rec.Calls, score.JudgeCalls) {
		count(x.models, x.modelOf(c.Model), c)
		count(x.roles, c.Role, c)
	}
	if _, ok := x.rewards[row.Task]; !ok {
		x.tasks, x.rewards[row.Task] = append(x.tasks, row.Task), nil
	}
	x.epochs = max(x.epochs, s.Epoch)
	if s.Started != "" {
		x.from, x.to = min(cmp.Or(x.from, s.Started), s.Started), max(x.to, s.Finished)
	}
	if row.Success != nil {
		x.rewards[row.Task] = append(x.rewards[row.Task], *row.Reward)
	}
	summary, err := json.Marshal(s.summary())
	if err != nil {
		return err
	}
	x.summaries = append(x.summaries, summary)
	return x.member(fmt.Sprintf("samples/%s_epoch_%d.json", s.ID, s.Epoch), s)
}

// score is that of a trial, whose turn comes in the order of the index.
func (x *inspector) score(ref store.Ref) (sim.Score, error) {
	if !x.some[ref] {
		x.next = x.next[slices.Index(x.next, ref):]
		n := min(x.atOnce, len(x.next))
		x.some = map[store.Ref]bool{}
		for _, r := range x.next[:n] {
			x.some[r] = true
		}
		x.next = x.next[n:]
		var err error
		if x.scores, err = x.run.ScoresOf(func(r store.Ref) bool { return x.some[r] }); err != nil {
			return sim.Score{}, err
		}
	}
	return x.scores[ref], nil
}

func (x *inspector) modelOf(name string) string {
	if m := modelName(x.run.Manifest().Config, name); m != nil {
		return *m
	}
	return "unknown"
}

// object is a JSON object.
type object = map[string]any

// header is everything but the samples.
func (x *inspector) header(done Result, program string) object {
	m := x.run.Manifest()
	agent, model := x.chosen.System, "unknown"
	if s, ok := x.systems[x.chosen.System]; ok {
		agent, model = agentName(s), x.modelOf(s.Model)
	}
	tags := []string{}
	if done.Synthetic != "" {
		tags = []string{"synthetic"}
	}
	status := "success"
	if done.Missing > 0 {
		status = "cancelled"
	}
	return object{
		"version": inspectVersion, "status": status,
		"eval": object{
			"run_id": m.RunID(), "task_id": x.chosen.Domain + "/" + x.chosen.System, "eval_id": m.RunID() + "/" + x.chosen.Domain + "/" + x.chosen.System,
			"created": m.Created, "task": x.chosen.Domain, "task_version": 0, "solver": agent, "model": model, "tags": tags,
			"dataset":  object{"name": x.chosen.Domain, "samples": len(x.tasks), "sample_ids": append([]string{}, x.tasks...), "shuffled": false},
			"config":   object{"epochs": max(1, x.epochs), "epochs_reducer": []string{inspectReducer}},
			"packages": object{"tauguide": program},
			"scorers":  []object{{"name": "reward", "metrics": []object{{"name": inspectReducer}}}},
			"metadata": object{"run": m.Name, "system": x.chosen.System, "note": m.Note, "synthetic": done.Synthetic, "config": m.Identity,
				"void": done.Void, "pending": done.Unscored, "missing": done.Missing, "user_model": x.modelOf(m.Config.User.Model)},
		},
		"plan":    object{"name": "plan", "steps": []object{{"solver": agent, "params": object{}}}},
		"results": x.results(done),
		"stats":   object{"started_at": cmp.Or(x.from, m.Created), "completed_at": cmp.Or(x.to, m.Created), "model_usage": usages(x.models), "role_usage": usages(x.roles)},
	}
}

// results are the figures: the mean over tasks of the mean over trials of those rewards that there are.
func (x *inspector) results(done Result) object {
	scored, tasks, sum := 0, 0, 0.0
	for _, task := range x.tasks {
		part := 0.0
		for _, r := range x.rewards[task] {
			part += r
		}
		if n := len(x.rewards[task]); n > 0 {
			sum, scored, tasks = sum+part/float64(n), scored+n, tasks+1
		}
	}
	metrics := object{}
	if tasks > 0 {
		metrics[inspectReducer] = object{"name": inspectReducer, "value": sum / float64(tasks)}
	}
	return object{"total_samples": done.Trials + done.Missing, "completed_samples": done.Trials - done.Void,
		"scores": []object{{"name": "reward", "scorer": "reward", "reducer": inspectReducer, "scored_samples": scored,
			"unscored_samples": done.Trials - scored, "metrics": metrics}}}
}

// usages are tokens and dollars by model or role, without those of which nothing is known.
func usages(sums map[string]*store.RoleUsage) object {
	out := object{}
	for _, name := range slices.Sorted(maps.Keys(sums)) {
		u := sums[name]
		if u.UnknownTokens == u.Calls {
			continue
		}
		one := object{"input_tokens": u.Prompt - u.Cached, "output_tokens": u.Completion, "total_tokens": u.Prompt + u.Completion}
		if u.UnknownCached == 0 {
			one["input_tokens_cache_read"] = u.Cached
		}
		if u.UnknownCost == 0 {
			one["total_cost"] = u.Cost
		}
		out[name] = one
	}
	return out
}
