package synthetic_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	scripted "github.com/tauguide/tauguide/agents/synthetic"
	"github.com/tauguide/tauguide/domains"
	"github.com/tauguide/tauguide/domains/described"
	"github.com/tauguide/tauguide/guide"
	"github.com/tauguide/tauguide/guide/author"
	"github.com/tauguide/tauguide/sim/llm"
	"github.com/tauguide/tauguide/sim/synthetic"
)

const workshop = "testdata/workshop"

// newWorkshop is the desk of a policy that is none of the program's domains, with its tools in that file.
func newWorkshop(t testing.TB, file string) desk {
	t.Helper()
	w, err := described.Open(workshop)
	if err != nil {
		t.Fatal(err)
	}
	tools, err := described.ReadTools(workshop + "/" + file)
	if err != nil {
		t.Fatal(err)
	}
	tools.Name = w.Name
	src, err := author.Own(tools, w.Documents)
	if err != nil {
		t.Fatal(err)
	}
	load := func() (*guide.Bundle, error) { return guide.LoadFolder(workshop) }
	want, err := load()
	if err != nil {
		t.Fatal(err)
	}
	scripts := scripted.Repeating(scripted.Reference{Load: load, World: w})
	client := synthetic.New(map[string]*domains.World{w.Name: w.WithTasks([]domains.Task{{}})}, synthetic.Config{Scripts: scripts})
	return desk{w, src, client, llm.Tag{Domain: w.Name, System: "author"}, want}
}

// TestWriteOwnWorkflow: a policy of one's own becomes a folder with its policy and tools, and what nobody has said of the
// tools is asked once, for all of them.
func TestWriteOwnWorkflow(t *testing.T) {
	for _, c := range []struct {
		file  string
		asked []string // for whose kind
	}{
		{"tools.yaml", nil},
		{"tools/tools.json", []string{"get_job", "cancel_job", "move_job", "transfer_to_human_agents"}},
		{"tools/server.json", []string{"transfer_to_human_agents"}},
	} {
		t.Run(c.file, func(t *testing.T) {
			d := newWorkshop(t, c.file)
			var asked []string
			client := meddle(d.client, func(stage, _, answer string) string {
				if stage == "tools" {
					for _, line := range strings.Split(answer, "\n") {
						if _, name, ok := strings.Cut(line, `"tool": "`); ok {
							asked = append(asked, strings.Trim(name, `",`))
						}
					}
				}
				return answer
			})
			draft, log, err := d.write(client, nil)
			if err != nil {
				t.Fatal(err)
			}
			if diff := d.differs(draft); diff != "" || !slices.Equal(asked, c.asked) || strings.Contains(log, "asking again") {
				t.Errorf("asked for %v, want %v (-repeated +written):\n%s\n%s", asked, c.asked, diff, log)
			}
			tools, err := described.ParseTools("tools.yaml", []byte(draft.Files["tools.yaml"]))
			if err != nil {
				t.Fatal(err)
			}
			want := map[string]domains.Kind{"get_job": domains.Read, "cancel_job": domains.Write, "move_job": domains.Write, "transfer_to_human_agents": described.Other}
			for _, tool := range tools.Agent {
				if tool.Kind != want[tool.Name] {
					t.Errorf("%s is %s, want %s", tool.Name, tool.Kind, want[tool.Name])
				}
				byModel := strings.HasPrefix(tool.Confirm, "the model writer: ")
				if byModel != slices.Contains(asked, tool.Name) || (tool.Confirm != "") != slices.ContainsFunc(draft.Unconfirmed, func(u described.Tool) bool { return u.Name == tool.Name }) {
					t.Errorf("%s: confirm %q; to be confirmed are %v", tool.Name, tool.Confirm, draft.Unconfirmed)
				}
			}
			if !slices.Equal(tools.Policy, []string{"rules.md", "prices.md"}) || !strings.Contains(draft.Files["policy/prices.md"], "12 euros") {
				t.Errorf("policy %v", tools.Policy)
			}
			if _, ok := draft.Files["authoring/tools.system.prompt.txt"]; ok != (len(c.asked) > 0) {
				t.Error("the prompt for the kinds of tools is kept if it was used, and only then")
			}
		})
	}
}

// TestKindsOfTools: what is said of kinds is checked, and not taken after a second mistake.
func TestKindsOfTools(t *testing.T) {
	d := newWorkshop(t, "tools/tools.json")
	named := map[scripted.Defect]string{scripted.UnsortedTool: "is missing", scripted.UnknownKind: `"modify" is no kind: write read, write or other`}
	for defect, want := range named {
		for seed := range int64(5) {
			t.Run(fmt.Sprintf("%s/%d", defect, seed), func(t *testing.T) {
				draft, log, err := d.write(scripted.Plant(defect, seed, false, d.client), nil)
				if err != nil || d.differs(draft) != "" || strings.Count(log, "asking again") != 1 {
					t.Errorf("made once: %v\n%s", err, log)
				}
				draft, _, err = d.write(scripted.Plant(defect, seed, true, d.client), nil)
				if err == nil || !strings.HasPrefix(err.Error(), "stage tools: ") || !strings.Contains(err.Error(), want) || len(draft.Files) != 0 {
					t.Errorf("made twice: %v", err)
				}
			})
		}
	}
	for _, c := range []struct{ name, answer, want string }{
		{"a tool that was not asked for", `{"tools": [{"tool": "read_mind", "kind": "read", "reason": "r"}]}`, `"read_mind" is none of the tools`},
		{"twice", `{"tools": [{"tool": "get_job", "kind": "read", "reason": "r"}, {"tool": "get_job", "kind": "write", "reason": "r"}]}`, "get_job is there twice"},
		{"no reason", `{"tools": [{"tool": "get_job", "kind": "read", "reason": " "}]}`, "get_job: there is no reason"},
		{"nothing changes data", `{"tools": [{"tool": "get_job", "kind": "read", "reason": "r"}, {"tool": "cancel_job", "kind": "read", "reason": "r"},
			{"tool": "move_job", "kind": "read", "reason": "r"}, {"tool": "transfer_to_human_agents", "kind": "other", "reason": "r"}]}`, "workshop has no tool that changes data"},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, _, err := d.write(meddle(d.client, func(string, string, string) string { return c.answer }), nil)
			if err == nil || !strings.Contains(err.Error(), "stage tools: ") || !strings.Contains(err.Error(), c.want) {
				t.Errorf("got %v\nwant %s", err, c.want)
			}
		})
	}
}

// TestSlips: what models write a little otherwise than asked is read as what it means.
func TestSlips(t *testing.T) {
	d := newWorkshop(t, "tools/tools.json")
	for name, slip := range map[string]func(file, answer string) string{
		"paths in comments": func(file, answer string) string {
			return strings.ReplaceAll(answer, "```json\n", "```json\n// "+file+"\n")
		},
		"longer fences": func(_, answer string) string { return strings.ReplaceAll(answer, "```", "````") },
		"kinds with capitals": func(_, answer string) string {
			return strings.NewReplacer(`: "write"`, `: "Write"`, `: "other"`, `: "OTHER "`).Replace(answer)
		},
	} {
		t.Run(name, func(t *testing.T) {
			slipped := 0
			draft, log, err := d.write(meddle(d.client, func(_, file, answer string) string {
				if slip(file, answer) != answer {
					slipped++
				}
				return slip(file, answer)
			}), nil)
			if err != nil || d.differs(draft) != "" || strings.Contains(log, "asking again") || slipped == 0 {
				t.Errorf("%d slips, %v\n%s", slipped, err, log)
			}
		})
	}
}

// TestEstimateOfOwnPolicy: tools of no known kind cost a call, and are taken to change data.
func TestEstimateOfOwnPolicy(t *testing.T) {
	estimate := func(file string) author.Estimate {
		e, err := author.NewEstimate(author.Job{Source: newWorkshop(t, file).src, Rounds: 1}, llm.Price{})
		if err != nil {
			t.Fatal(err)
		}
		return e
	}
	known, unknown := estimate("tools.yaml"), estimate("tools/tools.json")
	if known.Subflows != 7 || unknown.Subflows != 9 || unknown.Calls != known.Calls+4 {
		t.Errorf("%+v\n%+v", known, unknown)
	}
}

// TestTransferOfOwnDesk: the writing model is told of a tool for transfers only where there is one.
func TestTransferOfOwnDesk(t *testing.T) {
	d := newWorkshop(t, "tools.yaml")
	told := func(d desk) (system string) {
		client := llm.Func(func(_ context.Context, req llm.Request) (llm.Response, error) {
			system = req.Messages[0].Text()
			return llm.Response{}, errors.New("enough")
		})
		_, _, _ = d.write(client, nil)
		return system
	}
	const with = "Transferring is a plain tool_call of transfer_to_human_agents."
	if text := told(d); !strings.Contains(text, with) || !strings.Contains(text, "- read_frame_number: Read the number") {
		t.Errorf("%s", text)
	}
	tools := *d.src.Described
	tools.Agent = tools.Agent[:3]
	var err error
	if d.src, err = author.Own(tools, d.src.Documents); err != nil {
		t.Fatal(err)
	}
	if text := told(d); strings.Contains(text, "transfer_to_human_agents") {
		t.Errorf("%s", text)
	}
}
