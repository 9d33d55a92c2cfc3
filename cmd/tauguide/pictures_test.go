package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/tauguide/tauguide/domains/domaintest"
)

// TestPictures draws the pictures of docs/ anew and compares them with those in docs/pictures, each of which some page
// shows; -update writes them. Figures of runs are drawn with -long alone.
func TestPictures(t *testing.T) {
	root := domaintest.Root(t)
	figures := t.TempDir()
	drawn := map[string]string{ // by file: the command that prints it, or those that write it into the folder of figures
		"workflow-mock.svg":    "workflow render mock --format svg",
		"workflow-airline.svg": "workflow render airline --format svg",
		"workflow-retail.svg":  "workflow render retail --format svg",
		"workflow-telecom.svg": "workflow render telecom --format svg",
		"workflow-lending.svg": "workflow render " + filepath.Join(root, "configs", "authoring", "lending") + " --format svg",
		"subflow-cancel.svg":   "workflow render retail --format svg --subflow cancel_order",
		"workflow-book.svg":    "workflow render airline --format svg --expand identify,book,book.agree",
		"workflow-cancel.svg":  "workflow render retail --format svg --expand cancel_order",
		"workflow-mms.svg":     "workflow render telecom --format svg --expand pay_bill,mms",
		"figure4-pass-k.svg":   "run quickstart --quiet --out quickstart; plots quickstart --figure 4 --format svg --out " + figures,
		"figure6-attacks.svg":  "run paper/figure6 --synthetic --data embedded --quiet --out attacked; plots attacked --figure 6 --format svg --out " + figures,
	}
	var text strings.Builder
	for _, page := range pages(t) {
		b, err := os.ReadFile(page)
		if err != nil {
			t.Fatal(err)
		}
		text.Write(b)
	}
	files, err := filepath.Glob(filepath.Join(root, "docs", "pictures", "*.svg")) // runs/view has those of pages
	if err != nil || len(files) != len(drawn) && !*update {
		t.Errorf("%d pictures, %d of them drawn here: %v", len(files), len(drawn), err)
	}
	t.Chdir(t.TempDir())
	for name, commands := range drawn {
		if !strings.Contains(text.String(), "pictures/"+name+")") {
			t.Errorf("no page shows %s", name)
		}
		if strings.HasPrefix(name, "figure") && !*long {
			continue
		}
		picture := ""
		for line := range strings.SplitSeq(commands, "; ") {
			code, stdout, stderr := command(t, noEnv, strings.Fields(line)...)
			if picture = stdout; code != exitOK {
				t.Fatalf("%s: exit code %d: %s", line, code, stderr)
			}
		}
		if strings.HasPrefix(name, "figure") {
			b, err := os.ReadFile(filepath.Join(figures, name))
			if err != nil {
				t.Fatal(err)
			}
			picture = string(b)
		}
		file := filepath.Join(root, "docs", "pictures", name)
		if *update {
			if err := os.WriteFile(file, []byte(picture), 0o644); err != nil {
				t.Fatal(err)
			}
			continue
		}
		if have, err := os.ReadFile(file); err != nil || string(have) != picture {
			t.Errorf("docs/pictures/%s is not what tauguide draws: run this test with -update -long (%v)", name, err)
		}
	}
}
