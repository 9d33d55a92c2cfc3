package export

import (
	"fmt"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

// String writes the document as a YAML file with the keys of FlowAgent's loader; without APIs that key is left out, as in
// the loader's own prompts. Texts are JSON strings, which YAML reads alike; the procedure is a literal block.
func (d *PDL) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "Name: %s\nDesc: %s\n", quoted(d.Name), quoted(d.Desc))
	if len(d.APIs) > 0 {
		b.WriteString("APIs:\n")
	}
	for _, a := range d.APIs {
		fmt.Fprintf(&b, "  - name: %s\n    request: %s\n    response: [result]\n    precondition: %s\n", quoted(a.Name), quotedList(a.Request), quotedList(a.Preconditions))
	}
	entries := func(key string, list []PDLEntry) {
		if len(list) == 0 {
			fmt.Fprintf(&b, "%s: []\n", key)
			return
		}
		fmt.Fprintf(&b, "%s:\n", key)
		for _, e := range list {
			fmt.Fprintf(&b, "  - name: %s\n    desc: %s\n", quoted(e.Name), quoted(e.Desc))
		}
	}
	entries("SLOTs", d.Slots)
	entries("ANSWERs", d.Answers)
	b.WriteString("PDL: |\n")
	for line := range strings.Lines(d.Procedure) {
		if strings.TrimSpace(line) != "" {
			b.WriteString("  ")
		}
		b.WriteString(line)
	}
	return b.String()
}

func quoted(s string) string {
	text, err := jsontext.AppendQuote(nil, s)
	if err != nil {
		return `""` // bundles are UTF-8
	}
	return string(text)
}

func quotedList(items []string) string {
	out := make([]string, len(items))
	for i, s := range items {
		out[i] = quoted(s)
	}
	return "[" + strings.Join(out, ", ") + "]"
}
