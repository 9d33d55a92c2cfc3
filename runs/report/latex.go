package report

import (
	"fmt"
	"io"
	"regexp"
	"strings"
)

// writeLaTeX writes a table environment for the booktabs package, with the notes below it. Every text is escaped.
func (t Table) writeLaTeX(w io.Writer) error {
	var b strings.Builder
	spec := ""
	for _, c := range t.Columns {
		if c.Numeric {
			spec += "r"
		} else {
			spec += "l"
		}
	}
	caption := t.Title + t.marked()
	fmt.Fprintf(&b, "%% needs \\usepackage{booktabs}\n\\begin{table}\n\\centering\n\\caption{%s}\n", latex(caption))
	if t.Name != "" {
		fmt.Fprintf(&b, "\\label{tab:%s}\n", t.Name)
	}
	fmt.Fprintf(&b, "\\begin{tabular}{%s}\n\\toprule\n", spec)
	line := func(n int, text func(int) string) {
		for i := range n {
			if i > 0 {
				b.WriteString(" & ")
			}
			b.WriteString(latex(text(i)))
		}
		b.WriteString(" \\\\\n")
	}
	line(len(t.Columns), func(i int) string { return t.Columns[i].Heading() })
	b.WriteString("\\midrule\n")
	for _, r := range t.Rows {
		line(len(r), func(i int) string { return r[i].WithBar() })
	}
	b.WriteString("\\bottomrule\n\\end{tabular}\n")
	for _, n := range t.notes() {
		fmt.Fprintf(&b, "\n{\\footnotesize %s\\par}\n", latex(n))
	}
	b.WriteString("\\end{table}\n")
	_, err := io.WriteString(w, b.String())
	return err
}

// latexSpecial says how LaTeX writes what it would read as a command, and the signs that its default fonts lack.
var latexSpecial = strings.NewReplacer(
	`--`, `-{}-`, `\`, `\textbackslash{}`, `{`, `\{`, `}`, `\}`, `$`, `\$`, `&`, `\&`, `#`, `\#`, `_`, `\_`, `%`, `\%`,
	`~`, `\textasciitilde{}`, `^`, `\textasciicircum{}`, `<`, `\textless{}`, `>`, `\textgreater{}`, `|`, `\textbar{}`,
	`"`, `''`, "`", `\textasciigrave{}`, `[`, `{[}`, `]`, `{]}`, // a bracket after \\ would be its argument
	"Δ", `$\Delta$`, "Σ", `$\Sigma$`, "τ", `$\tau$`, "≥", `$\geq$`, "≤", `$\leq$`, "−", `$-$`, "×", `$\times$`, "²", `$^2$`,
	"…", `\ldots{}`, "–", `--`, "†", `\dag{}`, "⊂", `$\subset$`, "→", `$\rightarrow$`, "±", `$\pm$`, "·", `\textperiodcentered{}`)

var power = regexp.MustCompile(`\^(\d+)`)

// latex escapes a text; Pass^4 becomes a proper power.
func latex(s string) string {
	s = printable(s)
	var b strings.Builder
	at := 0
	for _, m := range power.FindAllStringSubmatchIndex(s, -1) {
		b.WriteString(latexSpecial.Replace(s[at:m[0]]))
		b.WriteString("$^{" + s[m[2]:m[3]] + "}$")
		at = m[1]
	}
	b.WriteString(latexSpecial.Replace(s[at:]))
	return b.String()
}
