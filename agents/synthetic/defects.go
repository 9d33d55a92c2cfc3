package synthetic

import (
	"context"
	"encoding/json"
	"hash/fnv"
	"math/rand/v2"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/tauguide/tauguide/sim/llm"
)

// Defect is a mistake of a scripted author of workflows.
type Defect string

// The defects. All but Prose make an answer that must not be used as it is.
const (
	MissingNode    Defect = "missing_node"    // a step is left out
	WrongTarget    Defect = "wrong_target"    // an edge leads to another node
	UnknownTarget  Defect = "unknown_target"  // an edge leads to a node that is not there
	PrematureExit  Defect = "premature_exit"  // an edge leads to an exit before the steps are done
	PhantomTool    Defect = "phantom_tool"    // a node names a tool that the agent does not have
	WrongNumber    Defect = "wrong_number"    // a number is another than the policy's, or one that it does not have
	LostCitation   Defect = "lost_citation"   // a node cites nothing
	AbsentCitation Defect = "absent_citation" // a node cites a line that is not there
	CutOffAnswer   Defect = "cut_off"         // the output limit ends the answer
	OtherPath      Defect = "other_path"      // the file stands under another path
	SamePathTwice  Defect = "same_path_twice" // the file is there twice
	Nonsense       Defect = "nonsense"        // something else is answered
	ForgottenTool  Defect = "forgotten_tool"  // the plan has no intent for a tool that changes data
	ForgottenLines Defect = "forgotten_lines" // the plan neither assigns nor excludes a part of the policy
	UnsortedTool   Defect = "unsorted_tool"   // nothing is said of a tool whose kind was asked for
	UnknownKind    Defect = "unknown_kind"    // a tool is of a kind that there is not
	Prose          Defect = "prose"           // remarks in fences of their own, and trailing commas

	CheckSyntax      Defect = "check_syntax"       // a check is no expression
	CheckUnknownName Defect = "check_unknown_name" // a check asks for a variable that there is none of
	CheckUnknownFact Defect = "check_unknown_fact" // a check asks for a fact that the domain does not have
	CheckType        Defect = "check_type"         // a check is neither true nor false
	CheckAlwaysTrue  Defect = "check_always_true"
	CheckAlwaysFalse Defect = "check_always_false"
	CheckOtherNode   Defect = "check_other_node" // a check is for a node that the file does not have
)

// Defects lists all of them.
func Defects() []Defect {
	return append([]Defect{MissingNode, WrongTarget, UnknownTarget, PrematureExit, PhantomTool, WrongNumber, LostCitation, AbsentCitation,
		CutOffAnswer, OtherPath, SamePathTwice, Nonsense, ForgottenTool, ForgottenLines, UnsortedTool, UnknownKind, Prose}, slices.Concat(exampleDefects(), checkDefects())...)
}

// spread is among how many files a seed chooses.
const spread = 3

// Plant has a scripted author make a mistake at a place that the seed chooses: once, or also when it is asked again.
func Plant(d Defect, seed int64, always bool, next llm.Client) llm.Client {
	skip, struck := rand.New(rand.NewPCG(uint64(seed), 0)).IntN(spread), ""
	return llm.Func(func(ctx context.Context, req llm.Request) (llm.Response, error) {
		resp, err := next.Complete(ctx, req)
		if err != nil || len(req.Messages) < 2 {
			return resp, err
		}
		stage, file := within(req.Messages[1].Text(), "stage"), within(req.Messages[1].Text(), "file")
		if struck != "" && !(always && struck == stage+file) {
			return resp, nil
		}
		h := fnv.New64a()
		_, _ = h.Write([]byte(file))
		s := spoiler{rand: rand.New(rand.NewPCG(uint64(seed), h.Sum64())), path: file}
		text, ok := s.spoil(d, stage, resp.Message.Text())
		if ok && struck == "" && stage != "plan" && stage != "tools" && skip > 0 {
			skip--
			return resp, nil
		}
		if ok {
			struck = stage + file
			resp.Message.Content = &text
			resp.CutOff = d == CutOffAnswer
		}
		return resp, nil
	})
}

type object = map[string]any

// spoiler makes one mistake in one answer.
type spoiler struct {
	rand *rand.Rand
	path string
}

// spoil returns the answer with the mistake, false where there is no occasion for it.
func (s spoiler) spoil(d Defect, stage, answer string) (string, bool) {
	before, rest, ok := strings.Cut(answer, "```json\n")
	text, after, closed := strings.Cut(rest, "\n```")
	if !ok || !closed || stage == "plan review" || stage == "paths" || stage == "review" {
		return "", false
	}
	if ofChecks := slices.Contains(checkDefects(), d); ofChecks && stage == "checks" {
		return s.edit(before, text, after, func(batch object) bool { return s.miswrite(d, batch) })
	} else if ofChecks || stage == "checks" {
		return "", false
	}
	if slices.Contains(exampleDefects(), d) {
		if stage != "examples" {
			return "", false
		}
		return s.misillustrate(d, answer)
	}
	switch d {
	case ForgottenTool, ForgottenLines:
		if stage != "plan" {
			return "", false
		}
		return s.edit(before, text, after, func(plan object) bool { return forget(d, plan) })
	case UnsortedTool, UnknownKind:
		if stage != "tools" {
			return "", false
		}
		return s.edit(before, text, after, func(sorted object) bool { return s.unsort(d, sorted) })
	case CutOffAnswer:
		return answer[:len(answer)/2], true
	case Nonsense:
		return "I would rather talk about the weather.", true
	case Prose:
		return "Notes first:\n\n```text\nfrom top to bottom\n```\n\n" + before + "```json\n" + strings.TrimSuffix(strings.TrimSpace(text), "}") + ",}\n```\nThat is all.\n", true
	case OtherPath:
		return strings.ReplaceAll(answer, s.path, "subflows/other.subflow.json"), stage == "subflow" || stage == "main"
	case SamePathTwice:
		return answer + "\n" + answer, stage == "subflow" || stage == "main"
	}
	if stage != "subflow" && stage != "main" {
		return "", false
	}
	return s.edit(before, text, after, func(file object) bool { return s.change(d, file) })
}

// unsort spoils what is said of the kinds of tools.
func (s spoiler) unsort(d Defect, sorted object) bool {
	tools := objects(sorted["tools"])
	at := s.rand.IntN(len(tools))
	if d == UnknownKind {
		tools[at]["kind"] = "modify"
	} else {
		sorted["tools"] = slices.Delete(tools, at, at+1)
	}
	return true
}

func (s spoiler) edit(before, text, after string, change func(object) bool) (string, bool) {
	var doc object
	if json.Unmarshal([]byte(text), &doc) != nil || !change(doc) {
		return "", false
	}
	out, err := json.MarshalIndent(doc, "", "  ")
	return before + "```json\n" + string(out) + "\n```" + after, err == nil
}

// forget leaves something out of a plan.
func forget(d Defect, plan object) bool {
	if d == ForgottenLines {
		list, _ := plan["excluded_policy_statements"].([]any)
		plan["excluded_policy_statements"] = []any{}
		return len(list) > 0
	}
	lost := ""
	for _, in := range objects(plan["intents"]) {
		tools, _ := in["mutating_tools"].([]any)
		if len(tools) > 0 && lost == "" {
			lost, _ = tools[0].(string)
		}
		in["mutating_tools"] = slices.DeleteFunc(tools, func(t any) bool { return t == lost })
	}
	return lost != ""
}

func objects(v any) (out []object) {
	list, _ := v.([]any)
	for _, x := range list {
		if o, ok := x.(object); ok {
			out = append(out, o)
		}
	}
	return out
}

// pick chooses one that fits, nil if none does.
func (s spoiler) pick(list []object, fits func(object) bool) object {
	list = slices.DeleteFunc(slices.Clone(list), func(o object) bool { return !fits(o) })
	if len(list) == 0 {
		return nil
	}
	return list[s.rand.IntN(len(list))]
}

// change makes a mistake in a file; false where there is no occasion for it.
func (s spoiler) change(d Defect, file object) bool {
	nodes, edges := objects(file["nodes"]), objects(file["edges"])
	types := map[any]any{}
	for _, n := range nodes {
		types[n["id"]] = n["type"]
	}
	pick := s.pick
	switch d {
	case MissingNode:
		n := pick(nodes, func(n object) bool { return n["actor"] == "agent" || n["actor"] == "user" })
		return n != nil && remove(file, n["id"])
	case WrongTarget:
		e := pick(edges, func(object) bool { return true })
		to := pick(nodes, func(n object) bool { return n["id"] != e["to"] && n["id"] != e["from"] && n["type"] != "entry" })
		if to != nil {
			e["to"] = to["id"]
		}
		return to != nil
	case UnknownTarget:
		pick(edges, func(object) bool { return true })["to"] = "nowhere"
		return true
	case PrematureExit:
		e := pick(edges, func(e object) bool { return types[e["to"]] != "exit" })
		exits, _ := file["exits"].([]any)
		e["to"] = exits[0]
		return true
	case PhantomTool:
		n := pick(nodes, func(n object) bool { return n["tool"] != nil })
		if n != nil {
			n["tool"] = n["tool"].(string) + "_now"
		}
		return n != nil
	case WrongNumber:
		has := func(n object) bool {
			text, ok := n["evaluation_prompt"].(string)
			return ok && wholeNumber.MatchString(text)
		}
		n := pick(nodes, has)
		if n == nil { // a policy without numbers gets one
			n = pick(nodes, func(n object) bool { return n["evaluation_prompt"] != nil })
		}
		if n != nil {
			n["evaluation_prompt"] = otherNumber(n["evaluation_prompt"].(string))
		}
		return n != nil
	}
	n := pick(nodes, func(n object) bool { return n["tauguide"] != nil && n["tauguide"].(object)["policy"] != nil })
	if n == nil {
		return false
	}
	own := n["tauguide"].(object)
	if d == AbsentCitation {
		own["policy"] = append(own["policy"].([]any), "policy.md:9999")
	} else {
		delete(own, "policy")
	}
	return true
}

// remove takes a node out, and has what led to it lead on to where it led.
func remove(file object, id any) bool {
	var next any
	var edges, nodes []any
	for _, e := range objects(file["edges"]) {
		if e["from"] == id {
			next = e["to"]
		} else {
			edges = append(edges, e)
		}
	}
	for _, e := range objects(edges) {
		if e["to"] == id {
			e["to"] = next
		}
	}
	for _, n := range objects(file["nodes"]) {
		branches, _ := n["branches"].(object)
		for label, to := range branches {
			if to == id {
				branches[label] = next
			}
		}
		if n["id"] != id {
			nodes = append(nodes, n)
		}
	}
	file["edges"], file["nodes"] = edges, nodes
	return next != nil
}

var wholeNumber = regexp.MustCompile(`\d+`)

// otherNumber raises the first number of a text by one; a text without one gets a bound.
func otherNumber(text string) string {
	at := wholeNumber.FindStringIndex(text)
	if at == nil {
		return text + " This holds for 36 hours."
	}
	number, _ := strconv.Atoi(text[at[0]:at[1]])
	return text[:at[0]] + strconv.Itoa(number+1) + text[at[1]:]
}
