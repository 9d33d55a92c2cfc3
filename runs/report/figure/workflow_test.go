package figure_test

import (
	"bytes"
	"context"
	"image/png"
	"strings"
	"testing"

	"github.com/tauguide/tauguide/guide"
	"github.com/tauguide/tauguide/guide/export"
	"github.com/tauguide/tauguide/runs/report/figure"
)

// workflow is that of a domain with some branches expanded; without any, the whole of it.
func workflow(t *testing.T, domain string, names ...string) figure.Workflow {
	t.Helper()
	b, err := guide.LoadShipped(domain)
	if err != nil {
		t.Fatal(err)
	}
	g, err := guide.Compose(b)
	if err != nil {
		t.Fatal(err)
	}
	p := export.Whole(g)
	if len(names) > 0 {
		if p, err = export.Expanded(b, g, names); err != nil {
			t.Fatal(err)
		}
	}
	return figure.Workflow{Picture: p, Scripted: "synthetic", Origin: []string{"workflow of " + domain + ", hash 0123abcd"}}
}

func workflowDrawn(t *testing.T, f figure.Workflow, format figure.Format, o figure.Options) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := f.Write(context.Background(), &b, format, o); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// TestWorkflow has all that an expanded workflow says, its key and how it is to be read; where it is from is in the metadata.
func TestWorkflow(t *testing.T) {
	f := workflow(t, "airline", "book", "book.agree")
	for _, o := range []figure.Options{{}, {NoCaption: true}} {
		head, body, _ := strings.Cut(string(workflowDrawn(t, f, figure.SVG, o)), "</metadata>")
		captions := 1
		if o.NoCaption {
			captions = 0
		}
		for text, want := range map[string]int{">book.agree: subflow summary_and_confirm<": 1, ">authorize_book<": 1, ">book_reservation<": 1, ">other requests<": 1,
			">subflow: identify_user<": 1, ">entry, exit<": 1, ">tool authorization<": 1, ">transfer<": 1, ">exchange<": 0, "0123abcd": 0,
			"synthetic": 1, ">dotted: branches that are not drawn, with what follows them<": captions, ">airline: Airline service desk; expanded": captions} {
			if n := strings.Count(body, text); n != want {
				t.Errorf("%+v: %q is %d times in the picture, want %d", o, text, n, want)
			}
		}
		if !strings.Contains(head, "hash 0123abcd") || !strings.Contains(head, "<title>airline: Airline service desk; expanded: book, book.agree (synthetic)</title>") {
			t.Errorf("metadata: %s", head)
		}
	}
}

// TestWorkflowFormats makes each format twice, and one at a width.
func TestWorkflowFormats(t *testing.T) {
	f := workflow(t, "mock", "set_status")
	for format, magic := range map[figure.Format]string{figure.SVG: "<?xml", figure.PDF: "%PDF-", figure.PNG: "\x89PNG"} {
		one := workflowDrawn(t, f, format, figure.Options{Width: 240})
		if !bytes.HasPrefix(one, []byte(magic)) || !bytes.Equal(one, workflowDrawn(t, f, format, figure.Options{Width: 240})) {
			t.Errorf("%s: begins with %q, or differs each time", format, one[:8])
		}
		if format == figure.PNG {
			if c, err := png.DecodeConfig(bytes.NewReader(one)); err != nil || c.Width != 1000 {
				t.Errorf("240 points are %d dots wide, want 1000: %v", c.Width, err)
			}
		}
	}
}

// TestWorkflowsAreNotClipped measures where each text begins and ends.
func TestWorkflowsAreNotClipped(t *testing.T) {
	for _, f := range []figure.Workflow{workflow(t, "airline"), workflow(t, "telecom", "pay_bill", "mms"), workflow(t, "retail", "cancel_order", "cancel.agree")} {
		for _, width := range []string{"84mm", "7in"} {
			w, err := figure.ParseWidth(width)
			if err != nil {
				t.Fatal(err)
			}
			f.Title = strings.Repeat("A title that is long ", 10)
			if err := figure.WorkflowInside(context.Background(), f, figure.Options{Width: w}); err != nil {
				t.Errorf("%s: %v", width, err)
			}
		}
		if err := figure.WorkflowInside(context.Background(), f, figure.Options{}); err != nil {
			t.Error(err)
		}
	}
}
