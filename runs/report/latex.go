package report

import (
	"fmt"
	"io"
	"regexp"
	"slices"
	"strings"
	"unicode"

	"github.com/gosimple/unidecode"
)

// writeLaTeX writes the table for print: as wide as a column of the page or as the page, in as many parts as it takes, with the
// notes below. What readers of print have no use for, such as hashes and commands, is a comment. Every text is escaped.
func (t Table) writeLaTeX(w io.Writer) error {
	t = t.set()
	var b strings.Builder
	b.WriteString("% needs \\usepackage{booktabs,tabularx}\n")
	var notes []string
	if s := t.scripted(); s != "" {
		notes = append(notes, ScriptedNote(s))
	}
	if t.Finding != "" {
		notes = append(notes, t.Finding)
	}
	for _, p := range t.Runs {
		fmt.Fprintf(&b, "%% %s\n", printable(p.String()))
	}
	for _, n := range t.Notes {
		if strings.Contains(n, "`tauguide ") || n == aboutCommands {
			fmt.Fprintf(&b, "%% %s\n", printable(n))
			continue
		}
		notes = append(notes, n)
	}
	p := newPrinted(t, notes)
	p.write(&b)
	_, err := io.WriteString(w, b.String())
	return err
}

// write writes the floats.
func (p *printed) write(b *strings.Builder) {
	env := "table"
	if p.page {
		env = "table*" // in a class with one column the same as table
	}
	for i, parts := range p.floats() {
		fmt.Fprintf(b, "\\begin{%s}\n\\centering\n", env)
		caption := latex(p.Title)
		if p.scripted() != "" {
			caption += "\\,\\textsuperscript{*}"
		}
		if i > 0 {
			b.WriteString("\\addtocounter{table}{-1}\n")
			caption += " (continued)"
		}
		fmt.Fprintf(b, "\\caption{%s}\n", caption)
		if p.Name != "" && i == 0 {
			fmt.Fprintf(b, "\\label{tab:%s}\n", latex(p.Name))
		}
		fmt.Fprintf(b, "\\%s\\setlength{\\tabcolsep}{%gpt}\n", p.size.name, p.size.gap)
		for k, part := range parts {
			if k > 0 {
				b.WriteString("\\par\\medskip\n")
			}
			if part.cols == nil {
				b.WriteString("\\footnotesize\\raggedright\n")
				for _, n := range p.said[part.from:part.to] {
					b.WriteString(noted(n) + "\\par\n")
				}
				continue
			}
			p.tabular(b, part)
		}
		if p.scripted() != "" && parts[len(parts)-1].cols != nil { // the note belongs to each page
			b.WriteString("\\par\\footnotesize\\raggedright\n" + noted(p.said[0]) + "\\par\n")
		}
		fmt.Fprintf(b, "\\end{%s}\n", env)
	}
}

// tabular writes some rows of some columns.
func (p *printed) tabular(b *strings.Builder, part part) {
	env, spec := "tabular", ""
	for _, c := range part.cols {
		switch {
		case p.wrapped[c] > 0:
			env, spec = "tabularx", spec+fmt.Sprintf(">{\\hsize=%.2f\\hsize\\raggedright\\arraybackslash\\hspace{0pt}}X", p.wrapped[c])
		case p.Columns[c].Numeric:
			spec += "r"
		default:
			spec += "l"
		}
	}
	spec = "{@{}" + spec + "@{}}\n\\toprule\n"
	if env == "tabularx" {
		spec = "{\\linewidth}" + spec
	}
	fmt.Fprintf(b, "\\begin{%s}%s", env, spec)
	line := func(text func(col int) string) {
		for i, c := range part.cols {
			if i > 0 {
				b.WriteString(" & ")
			}
			b.WriteString(text(c))
		}
		b.WriteString(" \\\\\n")
	}
	p.groups(b, part)
	lines := 0
	for _, c := range part.cols {
		lines = max(lines, len(p.heads[c]))
	}
	for n := range lines {
		line(func(c int) string {
			if at := n - lines + len(p.heads[c]); at >= 0 {
				return latex(p.heads[c][at])
			}
			return ""
		})
	}
	b.WriteString("\\midrule\n")
	for n := part.from; n < part.to; n++ {
		if n > part.from && p.begins(n) {
			b.WriteString("\\midrule\n")
		}
		line(func(c int) string { return p.cell(n, c) })
		if p.barred(n, part.cols) {
			line(func(c int) string {
				if bar := p.Rows[n][c].interval(p.bars); bar != "" {
					return "\\" + p.size.bars + " " + number(bar)
				}
				return ""
			})
		}
	}
	fmt.Fprintf(b, "\\bottomrule\n\\end{%s}\n", env)
}

// groups writes the headings that columns share, if there are any.
func (p *printed) groups(b *strings.Builder, part part) {
	var heads, rules []string
	shared := false
	for i := 0; i < len(part.cols); {
		n := p.together(part.cols, i)
		group := p.group[part.cols[i]]
		head := ""
		if group != "" {
			shared = true
			head = fmt.Sprintf("\\multicolumn{%d}{c}{%s}", n, latex(group))
			rules = append(rules, fmt.Sprintf("\\cmidrule(lr){%d-%d}", i+1, i+n))
		}
		heads = append(heads, head)
		i += n
	}
	if shared {
		fmt.Fprintf(b, "%s \\\\\n%s\n", strings.Join(heads, " & "), strings.Join(rules, " "))
	}
}

// cell is the text of a cell, without its interval.
func (p *printed) cell(row, col int) string {
	c := p.Rows[row][col]
	out := ""
	switch {
	case c.Value == nil && c.Text == "-":
		return "--"
	case p.Columns[col].Numeric:
		out = number(c.Text)
	case p.wrapped[col] > 0:
		out = escaped(breakable(c.Text))
	default:
		out = latex(c.Text)
	}
	if c.Best {
		return "\\textbf{" + out + "}"
	}
	return out
}

// noted is a note; the mark of what is scripted, which the caption has too, is a footnote's.
func noted(n string) string {
	if m := marked.FindStringSubmatch(n); m != nil {
		return "\\textsuperscript{*}\\emph{" + latex(m[1]) + "}" + escaped(breakable(n[len(m[0]):]))
	}
	n = strings.NewReplacer("`-`", "–", "`[-]`", "[–]", "`?`", "?").Replace(n)
	return escaped(breakable(n))
}

var marked = regexp.MustCompile(`^\*([^*]+)\*`)

// latexSpecial says how LaTeX writes what it would read as a command, and the signs that its default fonts lack.
var latexSpecial = strings.NewReplacer(
	`--`, `-{}-`, `\`, `\textbackslash{}`, `{`, `\{`, `}`, `\}`, `$`, `\$`, `&`, `\&`, `#`, `\#`, `_`, `\_`, `%`, `\%`,
	`~`, `\textasciitilde{}`, `^`, `\^{}`, `<`, `\textless{}`, `>`, `\textgreater{}`, `|`, `\textbar{}`,
	`"`, `''`, "`", `\textasciigrave{}`, `[`, `{[}`, `]`, `{]}`, // a bracket after \\ would be its argument
	"Δ", `$\Delta$`, "Σ", `$\Sigma$`, "τ", `$\tau$`, "≥", `$\geq$`, "≤", `$\leq$`, "−", `$-$`, "×", `$\times$`, "²", `$^2$`,
	"…", `\ldots{}`, "–", `--`, "†", `\dag{}`, "⊂", `$\subset$`, "→", `$\rightarrow$`, "±", `$\pm$`, "·", `\textperiodcentered{}`,
	breakHere, `\allowbreak{}`, mayBreak, `\penalty9999{}`)

// Where a line may break within a word, and where it may if it must. Texts that were made printable have none of their own.
const (
	breakHere = "\u200b"
	mayBreak  = "\u200c"
)

// signs are the signs that latexSpecial knows, beside those of ASCII.
const signs = "ΔΣτ≥≤−×²…–†⊂→±·" + breakHere + mayBreak

var power = regexp.MustCompile(`\^(\d+|k\b)`)

// latex escapes a text; Pass^4 becomes a proper power.
func latex(s string) string { return escaped(printable(s)) }

func escaped(s string) string {
	s = spelled(s)
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

// spelled is a text in letters that every class has without further packages: others are spelled in Latin ones, and what cannot be
// spelled is named by its number.
func spelled(s string) string {
	var b strings.Builder
	for _, r := range s {
		if r < unicode.MaxASCII {
			b.WriteRune(r)
			continue
		}
		switch text := unidecode.Unidecode(string(r)); {
		case strings.ContainsRune(signs, r) || r <= unicode.MaxLatin1 && unicode.IsLetter(r) && !strings.ContainsRune("ÐðÞþªºµ", r):
			b.WriteRune(r)
		case strings.TrimSpace(text) != "":
			b.WriteString(text)
		case unicode.IsSpace(r):
			b.WriteByte(' ')
		case !unicode.In(r, unicode.Mn, unicode.Cf):
			fmt.Fprintf(&b, "[U+%04X]", r)
		}
	}
	return b.String()
}

var (
	negative = regexp.MustCompile(`(^|[^\d\w)\]])-([\d.])`)
	exponent = regexp.MustCompile(`^([\d.]+)e([-+])0*(\d+)$`)
	long     = regexp.MustCompile(`\S{9,}`)
)

// number is a text of figures, with proper minus signs and powers of ten.
func number(s string) string {
	if m := exponent.FindStringSubmatch(s); m != nil {
		return "$" + m[1] + "\\times 10^{" + strings.TrimPrefix(m[2], "+") + m[3] + "}$"
	}
	return latex(negative.ReplaceAllString(s, "$1−$2"))
}

// breakable lets lines break within long words: behind signs, and if it must be elsewhere. LaTeX knows where to break plain words.
func breakable(s string) string {
	return long.ReplaceAllStringFunc(spelled(printable(s)), func(word string) string {
		if letters := []rune(strings.Trim(word, ".,:;()'")); len(letters) <= 20 && !slices.ContainsFunc(letters, func(r rune) bool { return !unicode.IsLetter(r) }) {
			return word
		}
		var b strings.Builder
		run := 0
		for _, r := range word {
			b.WriteRune(r)
			switch run++; {
			case strings.ContainsRune(`_/.,=:@|\+-`, r):
				b.WriteString(breakHere)
				run = 0
			case run%6 == 0:
				b.WriteString(mayBreak)
			}
		}
		return b.String()
	})
}
