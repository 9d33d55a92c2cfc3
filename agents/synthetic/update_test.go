package synthetic_test

import (
	"context"
	"errors"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tauguide/tauguide/domains"
	"github.com/tauguide/tauguide/guide"
	"github.com/tauguide/tauguide/guide/author"
	"github.com/tauguide/tauguide/sim"
	"github.com/tauguide/tauguide/sim/llm/answers"
)

// published puts the scripted author's workflow of a desk into a folder.
func (d desk) published(t *testing.T) string {
	t.Helper()
	draft, _, err := d.write(d.client, nil)
	dir := filepath.Join(t.TempDir(), "flow")
	if err == nil {
		err = answers.Place(dir, draft.Files)
	}
	if err != nil {
		t.Fatal(err)
	}
	return dir
}

// edit replaces a text in a file.
func edit(t *testing.T, file, old, now string) {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil || !strings.Contains(string(text), old) {
		t.Fatalf("%s: no %q, %v\n%s", file, old, err, text)
	}
	if err := os.WriteFile(file, []byte(strings.Replace(string(text), old, now, 1)), 0o644); err != nil {
		t.Fatal(err)
	}
}

// update brings a folder up to date with a source, and puts the draft in its place; it returns the number of calls.
func (d desk) update(t *testing.T, dir string, src author.Source, change func(*author.Job)) (*author.Draft, *author.Changes, error) {
	t.Helper()
	p, err := author.ReadPublished(dir)
	if err != nil {
		t.Fatal(err)
	}
	c, err := p.Compare(src)
	if err != nil {
		t.Fatal(err)
	}
	j := author.Job{Source: src, Model: &sim.Model{Client: d.client, Name: "writer", Tag: d.tag}, Rounds: author.DefaultRounds, Synthetic: true,
		Log: func(s string) { t.Log(s) }}
	if change != nil {
		change(&j)
	}
	draft, err := author.Update(context.Background(), j, p, c)
	if err == nil && len(draft.Files) > 0 {
		err = answers.Place(dir, draft.Files)
	}
	return draft, c, err
}

// revised is a source with another policy.
func (d desk) revised(change func(text string) string) author.Source {
	src := d.src
	src.Documents = slices.Clone(src.Documents)
	src.Documents[0].Text = change(src.Documents[0].Text)
	return src
}

func load(t *testing.T, dir string) *guide.Bundle {
	t.Helper()
	b, err := guide.LoadFolder(dir)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// changing replaces one text in the policy.
func changing(t *testing.T, old, now string) func(string) string {
	return func(text string) string {
		if strings.Count(text, old) != 1 {
			t.Fatalf("%d times %q in the policy", strings.Count(text, old), old)
		}
		return strings.Replace(text, old, now, 1)
	}
}

func above(what string) func(*testing.T) func(string) string {
	return func(*testing.T) func(string) string { return func(text string) string { return what + text } }
}

// TestUpdate changes policy or tools of a published workflow in one way each: only what rests on that is asked for, and
// only that changes.
func TestUpdate(t *testing.T) {
	for _, c := range []struct {
		name, desk string
		policy     func(t *testing.T) func(string) string
		tools      func(*author.Source)
		calls      string // what is asked for
		changed    []string
		affected   []string
		excluded   string // a line of coverage.md
	}{
		{name: "nothing", desk: "airline"},
		{name: "a number", desk: "airline", policy: func(t *testing.T) func(string) string {
			return changing(t, "within the last 24 hours,", "within the last 36 hours,")
		}, calls: "subflows/cancel_reservation.subflow.json", changed: []string{"cancel_reservation.may_cancel"}, affected: []string{"cancel_reservation.may_cancel"}},
		{name: "a line above", desk: "airline", policy: above("\n")},
		{name: "a heading above", desk: "airline", policy: above("# Handbook\n\n")},
		{name: "a statement above", desk: "airline", policy: above("Be brief.\n"), calls: "plan", excluded: "| 1 | Be brief. | excluded: it explains"},
		{name: "sections swapped", desk: "airline", policy: func(t *testing.T) func(string) string {
			return func(text string) string {
				six, seven := strings.Index(text, "## 6"), strings.Index(text, "## 7")
				return text[:six] + text[seven:] + "\n" + text[six:seven]
			}
		}},
		{name: "a section removed", desk: "airline", policy: func(t *testing.T) func(string) string {
			return func(text string) string { return text[:strings.Index(text, "## 7")] }
		}, calls: "plan main.workflow.json review 1", changed: []string{"compensate", "main", "main.classify", "main.compensation"},
			affected: []string{"compensate.amount", "compensate.asked", "compensate.changed_first", "compensate.disrupted", "compensate.look_up", "compensate.qualifies"}},
		{name: "a tool removed", desk: "airline", tools: func(s *author.Source) {
			kit := s.Inventory.Agent
			s.Inventory.Agent = domains.NewKit(kit.Class, slices.DeleteFunc(slices.Clone(kit.Tools), func(x domains.Tool) bool { return x.Spec.Name == "cancel_reservation" }), kit.Funcs)
		}, calls: "plan subflows/cancel_reservation.subflow.json",
			changed:  []string{"cancel_reservation.agree", "cancel_reservation.authorize_cancel", "cancel_reservation.reason"},
			affected: []string{"cancel_reservation.authorize_cancel"}},
		{name: "a tool added", desk: "airline", tools: func(s *author.Source) {
			kit := s.Inventory.Agent
			more := slices.Clone(kit.Tools)[:1]
			more[0].Spec.Name, more[0].Kind = "upgrade_cabin", domains.Write
			s.Inventory.Agent = domains.NewKit(kit.Class, slices.Concat(kit.Tools, more), kit.Funcs)
		}, calls: "plan"},
	} {
		t.Run(c.name, func(t *testing.T) {
			d := newDesk(t, c.desk)
			dir := d.published(t)
			src := d.src
			if c.policy != nil {
				src = d.revised(c.policy(t))
			}
			if c.tools != nil {
				c.tools(&src)
			}
			var asked []string
			draft, changes, err := d.update(t, dir, src, func(j *author.Job) {
				log := j.Log
				j.Log = func(line string) {
					if what, _, ok := strings.Cut(line, ": asking "); ok {
						asked = append(asked, what)
					}
					log(line)
				}
			})
			if err != nil {
				t.Fatal(err)
			}
			if got := strings.Join(asked, " "); got != c.calls {
				t.Errorf("asked for %q, want %q", got, c.calls)
			}
			if diff := cmp.Diff(c.changed, draft.Changed); diff != "" {
				t.Errorf("changed (-want +got):\n%s", diff)
			}
			if diff := cmp.Diff(c.affected, slices.Sorted(maps.Keys(changes.Affected))); diff != "" {
				t.Errorf("affected (-want +got):\n%s", diff)
			}
			if c.excluded != "" && !strings.Contains(draft.Files["coverage.md"], c.excluded) {
				t.Errorf("coverage.md:\n%s", draft.Files["coverage.md"])
			}
			if draft.Files != nil && len(load(t, dir).Origin.Edited) > 0 {
				t.Errorf("taken for edited by hand: %v", load(t, dir).Origin.Edited)
			}
			if again, _, err := d.update(t, dir, src, nil); err != nil || again.Files != nil || len(again.Calls) > 0 {
				t.Errorf("done again: %d files, %d calls, %v", len(again.Files), len(again.Calls), err)
			}
		})
	}
}

const cancel = "subflows/cancel_reservation.yaml"

// A person's citations of lines follow them without a question, and a person's words stay.
func TestUpdateKeepsEdits(t *testing.T) {
	d := newDesk(t, "airline")
	dir := d.published(t)
	edit(t, filepath.Join(dir, cancel), "policy: [\"C2\"]", "policy: [\"C2\", \"policy.md:93-95\"]")
	edit(t, filepath.Join(dir, "subflows/load_reservation.yaml"), "id: ", "# ours\nid: ")
	draft, _, err := d.update(t, dir, d.revised(above("\n\n")(t)), nil)
	if err != nil || len(draft.Calls) > 0 || len(draft.Changed) > 0 {
		t.Fatalf("%v, %d calls, changed %v", err, len(draft.Calls), draft.Changed)
	}
	b := load(t, dir)
	f, _ := b.Subflow("cancel_reservation")
	if n, _ := f.Node("reason"); strings.Join(n.Policy, " ") != "C2 policy.md:95-97" {
		t.Errorf("cites %v", n.Policy)
	}
	if diff := cmp.Diff([]string{"cancel_reservation.reason"}, b.Origin.Edited); diff != "" {
		t.Error(diff)
	}
	if text := draft.Files["subflows/load_reservation.yaml"]; !strings.Contains(text, "# ours\n") {
		t.Errorf("a comment is lost:\n%s", text)
	}
}

// What was edited by hand and rests on what changed is a conflict, with both texts; a model's drift elsewhere is not taken
// over.
func TestUpdateConflicts(t *testing.T) {
	d := newDesk(t, "airline")
	dir := d.published(t)
	edit(t, filepath.Join(dir, cancel), "not in business, and", "not in business class, and")
	d.client = meddle(d.client, func(stage, _, answer string) string {
		if stage == "update" {
			answer = strings.ReplaceAll(answer, "the reason", "the ground")
		}
		return answer
	})
	now := d.revised(changing(t, "within the last 24 hours,", "within the last 36 hours,"))
	_, _, err := d.update(t, dir, now, nil)
	var conflict *author.EditedError
	if !errors.As(err, &conflict) || !slices.Equal(conflict.Names, []string{"cancel_reservation.may_cancel"}) {
		t.Fatal(err)
	}
	for _, text := range []string{"may_cancel, by hand:\n  - id: may_cancel\n", "older than 24 hours, not in business class", "may_cancel, in its place:\n", "older than 36 hours"} {
		if !strings.Contains(err.Error(), text) {
			t.Errorf("no %q in\n%v", text, err)
		}
	}
	draft, _, err := d.update(t, dir, now, func(j *author.Job) { j.OverwriteEdits = true })
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"cancel_reservation.may_cancel"}, draft.Changed); diff != "" {
		t.Errorf("changed: %s", diff)
	}
	if edited := load(t, dir).Origin.Edited; len(edited) > 0 {
		t.Errorf("still called edited: %v", edited)
	}
}

// A model that leaves the old number in, or words what it must not, is asked again; the folder stays as it is.
func TestUpdateRefuses(t *testing.T) {
	d := newDesk(t, "airline")
	dir := d.published(t)
	before, err := author.ReadPublished(dir)
	if err != nil {
		t.Fatal(err)
	}
	change := changing(t, "within the last 24 hours,", "within the last 36 hours,")
	for _, c := range []struct {
		name, want string
		policy     func(string) string
		spoil      func(stage, answer string) string
	}{
		{"the old number", "node may_cancel has the number 24", change, func(_, answer string) string { return strings.ReplaceAll(answer, "36", "24") }},
		{"a node is gone", "step reason of the plan is missing", change, func(_, answer string) string { return strings.ReplaceAll(answer, `"reason"`, `"ground"`) }},
		{"nothing is assigned", "assign these lines of the policy to steps, or exclude them with a reason: policy.md:1", above("Be brief.\n")(t),
			func(_, answer string) string { return "```json\n{}\n```" }},
		{"a file is dropped", "cancel_reservation: nothing in it rests on what changed: keep it", above("Be brief.\n")(t),
			func(_, answer string) string { return "```json\n{\"dropped_subflows\": [\"cancel_reservation\"]}\n```" }},
		{"a step is dropped", "cancel_reservation.reason rests on nothing that changed: keep it", above("Be brief.\n")(t),
			func(_, answer string) string {
				return "```json\n{\"subflow_skeletons\": [{\"name\": \"cancel_reservation\", \"entry\": \"start\", \"exits\": [\"cancelled\"], \"steps\": []}]}\n```"
			}},
	} {
		t.Run(c.name, func(t *testing.T) {
			bad := d
			bad.client = meddle(d.client, func(stage, _, answer string) string { return c.spoil(stage, answer) })
			draft, _, err := bad.update(t, dir, d.revised(c.policy), nil)
			if err == nil || !strings.Contains(err.Error(), c.want) || !strings.HasPrefix(err.Error(), "stage ") || len(draft.Calls) != 2 {
				t.Errorf("%v, %d calls", err, len(draft.Calls))
			}
			if after, err := author.ReadPublished(dir); err != nil || !cmp.Equal(before.Manifest, after.Manifest) {
				t.Errorf("the folder changed: %v", err)
			}
		})
	}
}

var firstNumber = regexp.MustCompile(`(?m)^[^\d\n]*(\d+)`)

// The first number of a line that changes by itself changes nodes that rest on its line, and none else; whatever comes of
// it has no error.
func TestUpdateOfNumbers(t *testing.T) {
	const every = 3 // lines that have one
	tried, changed := 0, 0
	for _, name := range []string{"airline", "retail", "telecom"} {
		d := newDesk(t, name)
		dir := d.published(t)
		p, err := author.ReadPublished(dir)
		if err != nil {
			t.Fatal(err)
		}
		for i, document := range d.src.Documents {
			for _, at := range firstNumber.FindAllStringSubmatchIndex(document.Text, -1) {
				at = at[2:]
				if tried++; tried%every != 0 {
					continue
				}
				src := d.src
				src.Documents = slices.Clone(src.Documents)
				src.Documents[i].Text = document.Text[:at[0]] + "7" + document.Text[at[0]:]
				line := strings.Count(document.Text[:at[0]], "\n") + 1
				c, err := p.Compare(src)
				if err != nil {
					t.Fatal(err)
				}
				j := author.Job{Source: src, Model: &sim.Model{Client: d.client, Name: "writer", Tag: d.tag}, Rounds: author.DefaultRounds, Synthetic: true}
				draft, err := author.Update(context.Background(), j, p, c)
				if err != nil {
					t.Errorf("%s: %s:%d: %v", name, document.Name, line, err)
					continue
				}
				changed += len(draft.Changed)
				for _, node := range draft.Changed {
					if c.Affected[node] == nil {
						t.Errorf("%s: %s:%d: %s changed", name, document.Name, line, node)
					}
				}
			}
		}
	}
	if changed == 0 {
		t.Errorf("none of %d numbers changed anything", tried)
	}
}
