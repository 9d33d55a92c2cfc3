package export

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/tauguide/tauguide/domains"
	"github.com/tauguide/tauguide/runs/store"
	"github.com/tauguide/tauguide/sim"
)

// sample is a trial as inspect_ai keeps it.
type sample struct {
	ID       string   `json:"id"` // of the task
	Epoch    int      `json:"epoch"`
	Input    string   `json:"input"` // what the user said first
	Target   string   `json:"target"`
	Messages []object `json:"messages"`
	Output   object   `json:"output"`
	Scores   object   `json:"scores"`
	Metadata object   `json:"metadata"`
	Events   []object `json:"events"`
	Models   object   `json:"model_usage"`
	Roles    object   `json:"role_usage"`
	Started  string   `json:"started_at,omitempty"`
	Finished string   `json:"completed_at,omitempty"`
	Seconds  float64  `json:"total_time"`
	UUID     string   `json:"uuid"`
	Error    object   `json:"error,omitempty"`
}

// summary is what lists show of a sample.
func (s sample) summary() object {
	out := object{"id": s.ID, "epoch": s.Epoch, "input": s.Input, "target": s.Target, "scores": s.Scores, "metadata": s.Metadata,
		"model_usage": s.Models, "role_usage": s.Roles, "total_time": s.Seconds, "uuid": s.UUID, "completed": true, "message_count": len(s.Messages)}
	if s.Started != "" {
		out["started_at"], out["completed_at"] = s.Started, s.Finished
	}
	if s.Error != nil {
		out["error"] = s.Error["message"]
	}
	return out
}

func (x *inspector) sample(row Row, rec sim.Record, score sim.Score) sample {
	s := sample{ID: row.Task, Epoch: rec.Trial + 1, Messages: []object{}, Output: object{}, Scores: scoresOf(row, score), Events: []object{},
		Started: utc(rec.Times.Started), Finished: utc(rec.Times.Finished), Seconds: row.Seconds, UUID: store.Ref{Key: rec.Key, Attempt: rec.Attempt}.String(),
		Metadata: object{"outcome": row.Outcome, "ending": row.Ending, "slice": row.Slice, "domain": row.Domain, "system": row.System, "trial": rec.Trial,
			"attempt": rec.Attempt, "seed": rec.Seed, "synthetic": rec.Synthetic, "steps": rec.Steps, "tool_errors": rec.ToolErrors,
			"firings": row.Firings, "intercepts": row.Intercepts, "fail_opens": row.FailOpens}}
	if row.Outcome == "void" {
		why := row.Ending
		if rec.Fault != nil {
			why = strings.TrimSuffix(why+": "+rec.Fault.Kind+": "+rec.Fault.Text, ": ")
		}
		s.Error = object{"message": why, "traceback": "", "traceback_ansi": ""}
	}
	models, roles := map[string]*store.RoleUsage{}, map[string]*store.RoleUsage{}
	for _, c := range slices.Concat(rec.Calls, score.JudgeCalls) {
		count(models, x.modelOf(c.Model), c)
		count(roles, c.Role, c)
	}
	s.Models, s.Roles = usages(models), usages(roles)
	model := ""
	if row.Model != nil {
		model = *row.Model
	}
	asked := map[string]asked{}
	for i, m := range rec.Messages {
		one := message(i, m, asked)
		if m.Role == domains.RoleUser && s.Input == "" && m.Content != nil {
			s.Input = *m.Content
		}
		if m.Role == domains.RoleAssistant {
			one["model"] = model
			s.Output = object{"model": model, "choices": []object{{"message": one, "stop_reason": "stop"}}}
		}
		s.Messages = append(s.Messages, one)
	}
	for i, e := range rec.Events {
		s.Events = append(s.Events, s.event(i, e, rec))
	}
	return s
}

func count(sums map[string]*store.RoleUsage, name string, c sim.ModelCall) {
	if sums[name] == nil {
		sums[name] = &store.RoleUsage{}
	}
	sums[name].Count(c)
}

// scoresOf are the reward and its parts, none where there is no reward. Parts that the task's reward does not count are
// left out.
func scoresOf(row Row, score sim.Score) object {
	out := object{}
	if row.Success == nil {
		return out
	}
	out["reward"] = object{"value": *row.Reward, "answer": row.Ending}
	for _, c := range score.Components {
		if !c.Counted || c.State != sim.Pass && c.State != sim.Fail {
			continue
		}
		part := object{"value": 0}
		if c.State == sim.Pass {
			part["value"] = 1
		}
		if c.Why != "" {
			part["explanation"] = c.Why
		}
		out[string(c.Type)] = part
	}
	return out
}

// asked is a call whose result is to come.
type asked struct {
	call domains.ToolCall
	of   object // the message with it
}

// message is a message in the form of inspect_ai, which knows no calls of users: these are in the message's metadata, there also
// in words with their results, as its viewer shows no results of them.
func message(i int, m sim.Message, open map[string]asked) object {
	out := object{"id": fmt.Sprintf("m%d", i), "role": m.Role, "content": ""}
	if m.Content != nil {
		out["content"] = *m.Content
	}
	var calls []object
	for _, c := range m.ToolCalls {
		open[c.ID] = asked{c, out}
		call := object{"id": c.ID, "function": c.Name, "type": "function", "arguments": c.Arguments}
		if c.Malformed != "" {
			call["arguments"], call["parse_error"] = object{}, cmp.Or(c.Reason, "no JSON object")+": "+c.Malformed
		}
		calls = append(calls, call)
	}
	switch m.Role {
	case domains.RoleAssistant:
		out["source"] = "generate"
		if calls != nil {
			out["tool_calls"] = calls
		}
	case domains.RoleTool:
		asked := open[m.ID]
		out["tool_call_id"], out["function"], out["metadata"] = m.ID, asked.call.Name, object{"requestor": m.Requestor}
		if m.Error {
			out["error"] = object{"type": "unknown", "message": out["content"]}
		}
		if told, ok := asked.of["metadata"].(object); ok { // a user's
			arguments, _ := json.Marshal(asked.call.Arguments) // which were read as JSON
			told[asked.call.Name+" "+cmp.Or(asked.call.Malformed, string(arguments))] = out["content"]
		}
	default:
		if calls != nil {
			out["metadata"] = object{"tool_calls": calls}
		}
	}
	return out
}

// event is what happened beside the conversation: a text, which the viewer shows as such, or an object; its time is that of the message before which it happened, as far as it
// is known.
func (s sample) event(i int, e sim.Event, rec sim.Record) object {
	at := cmp.Or(s.Started, "1970-01-01T00:00:00+00:00")
	if e.Index < len(rec.Messages) {
		at = cmp.Or(utc(rec.Messages[e.Index].Timestamp), at)
	} else {
		at = cmp.Or(s.Finished, at)
	}
	var data any = e.Text
	if e.Data != nil || e.Messages != nil {
		whole := object{"text": e.Text}
		if e.Data != nil {
			whole["data"] = e.Data
		}
		if e.Messages != nil {
			whole["messages"] = e.Messages
		}
		data = whole
	}
	return object{"event": "info", "uuid": fmt.Sprintf("%s e%d", s.UUID, i), "source": "tauguide/" + string(e.Kind), "timestamp": at, "working_start": 0,
		"metadata": object{"index": e.Index, "side": e.Side}, "data": data}
}

// utc spells a time in UTC, with its zone; "" for one that is not known.
func utc(s string) string {
	t, err := time.Parse(time.RFC3339Nano, s)
	if err != nil {
		return ""
	}
	return t.UTC().Format("2006-01-02T15:04:05.000000+00:00")
}
