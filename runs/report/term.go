package report

import (
	"cmp"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"

	"github.com/olekukonko/tablewriter"
	"github.com/olekukonko/tablewriter/tw"

	"github.com/tauguide/tauguide/runs/terminal"
)

// Print writes tables for a terminal, none of whose lines is longer than the page is wide. provenance says in full what
// runs are; else it is folded into a short identity.
func Print(w io.Writer, page terminal.Page, provenance bool, tables ...Table) error {
	for i, t := range tables {
		if i > 0 {
			if _, err := io.WriteString(w, "\n"); err != nil {
				return err
			}
		}
		if err := t.print(w, page, provenance); err != nil {
			return err
		}
	}
	return nil
}

func (t Table) print(w io.Writer, page terminal.Page, provenance bool) error {
	t = t.set()
	g := newGrid(t, page)
	g.fit()
	var b strings.Builder
	b.WriteString(page.Paint(terminal.Bold, page.Wrap(printable(t.Heading()), "", "  ")) + "\n")
	if err := g.render(&b); err != nil {
		return err
	}
	var notes []string
	for _, p := range t.Runs {
		note := p.folded()
		switch mark := p.mark(); {
		case provenance:
			note = p.String()
		case mark != "" && mark != t.scripted():
			note += "; " + mark
		}
		notes = append(notes, note)
	}
	if s := t.scripted(); s != "" {
		notes = append([]string{ScriptedNote(s)}, notes...)
	}
	notes = append(append(notes, t.Notes...), g.notes()...)
	if t.Finding != "" {
		b.WriteString(page.Wrap(printable(t.Finding), "  ", "  ") + "\n")
	}
	for _, n := range notes {
		n = page.Wrap(printable(n), "  ", "    ")
		if rest, ok := strings.CutPrefix(n, "  warning:"); ok {
			n = "  " + page.Paint(terminal.Warn, "warning:") + rest
		}
		b.WriteString(n + "\n")
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// groupGap is what stands between columns that share a heading.
const groupGap = " "

// How narrow a column of words may become: before figures are left out, and after.
const (
	enoughWords = 12
	leastWords  = 8
)

// grid is a table as it fits a page.
type grid struct {
	Table
	page  terminal.Page
	cells [][]string // by row and column
	heads []string   // by column, below the shared heading
	group []string   // by column, the shared heading
	bars  []bars     // by column: how much is shown of its intervals
	out   []bool     // by column: it has no room
}

func newGrid(t Table, page terminal.Page) *grid {
	g := &grid{Table: t, page: page, bars: make([]bars, len(t.Columns)), out: make([]bool, len(t.Columns))}
	for range t.Rows {
		g.cells = append(g.cells, make([]string, len(t.Columns)))
	}
	for i, c := range t.Columns {
		group, head := c.split()
		g.group, g.heads = append(g.group, group), append(g.heads, head)
		g.show(wholeBars, i)
	}
	return g
}

// show fills in a column with as much of its intervals.
func (g *grid) show(b bars, col int) {
	g.bars[col] = b
	best, wide := slices.ContainsFunc(g.Rows, func(r []Cell) bool { return r[col].Best }), 0
	for _, r := range g.Rows {
		wide = max(wide, terminal.Columns(r[col].interval(b)))
	}
	for n, r := range g.Rows {
		g.cells[n][col] = painted(g.page, r[col], best)
		if wide > 0 {
			bar := r[col].interval(b)
			g.cells[n][col] += " " + bar + strings.Repeat(" ", wide-terminal.Columns(bar))
		}
	}
}

// fold shows no more than that of the intervals of columns, where the table does not fit without wrapping words.
func (g *grid) fold(to bars, pattern string) {
	if g.excess(math.MaxInt) <= 0 {
		return
	}
	for i, c := range g.Columns {
		if matches(strings.Fields(pattern), c.Key) {
			g.show(to, i)
			g.wrapHead(i)
		}
	}
}

// wrapHead wraps a heading at words, to the width of the column's cells if it can.
func (g *grid) wrapHead(col int) {
	_, head := g.Columns[col].split()
	cells, _ := g.wide(col)
	for word := range strings.FieldsSeq(head) {
		cells = max(cells, terminal.Columns(word))
	}
	g.heads[col] = terminal.Wrap(head, max(1, cells))
}

// painted is a cell's text with its style; where the column has a best value, that one has a mark and the others room for it.
func painted(page terminal.Page, c Cell, best bool) string {
	text := printable(c.Text)
	switch {
	case c.Best:
		return page.Paint(terminal.Bold, text+"*")
	case best:
		text += " "
	}
	return page.Paint(c.Style, text)
}

// block is what is one column on the page: a column, or some with a shared heading.
type block struct {
	group string
	cols  []int
}

func (g *grid) blocks() (out []block) {
	for i := range g.Columns {
		switch last := len(out) - 1; {
		case g.out[i]:
		case last >= 0 && g.group[i] != "" && out[last].group == g.group[i]:
			out[last].cols = append(out[last].cols, i)
		default:
			out = append(out, block{g.group[i], []int{i}})
		}
	}
	return out
}

// wide is how wide a column's cells and its heading are.
func (g *grid) wide(col int) (cells, head int) {
	for _, r := range g.cells {
		cells = max(cells, columns(r[col]))
	}
	return cells, columns(g.heads[col])
}

// columns is the width of the longest line of a text.
func columns(text string) (n int) {
	for line := range strings.SplitSeq(text, "\n") {
		n = max(n, terminal.Columns(line))
	}
	return n
}

// width is how wide the table is. No column of words counts for more than most.
func (g *grid) width(most int) int {
	width := 1
	for _, b := range g.blocks() {
		n := len(groupGap) * (len(b.cols) - 1)
		for _, c := range b.cols {
			w := max(g.wide(c))
			if !g.Columns[c].Numeric {
				w = min(w, most)
			}
			n += w
		}
		width += max(n, columns(b.group)) + 3 // a bar and a space on either side
	}
	return width
}

// excess is by how many columns the table is too wide.
func (g *grid) excess(most int) int {
	if g.page.Width == 0 {
		return 0
	}
	return g.width(most) - g.page.Width
}

// fit makes the table as narrow as the page: headings are wrapped, intervals folded, those of columns of low priority and then
// these left out, words wrapped.
func (g *grid) fit() {
	if g.excess(math.MaxInt) <= 0 {
		return
	}
	for i := range g.heads {
		g.wrapHead(i)
	}
	g.fold(foldedBars, "*")
	for _, pattern := range g.narrow {
		g.fold(noBars, pattern)
	}
	g.leaveOut()
	heads, cells := slices.Clone(g.heads), make([][]string, len(g.cells))
	for n, r := range g.cells {
		cells[n] = slices.Clone(r)
	}
	for g.excess(math.MaxInt) > 0 {
		widest, width := -1, leastWords
		for i, c := range g.Columns {
			if cells, head := g.wide(i); !c.Numeric && !g.out[i] && max(cells, head) > width {
				widest, width = i, max(cells, head)
			}
		}
		if widest < 0 {
			return
		}
		to := max(leastWords, width-g.excess(math.MaxInt), width*3/4) // by and by, so that others give way too
		g.heads[widest] = terminal.Wrap(heads[widest], to)
		for n, r := range cells {
			g.cells[n][widest] = terminal.Wrap(r[widest], to)
		}
	}
}

// always are the columns that any table leaves out first.
var always = []string{"*_difference", "tasks"}

// leaveOut leaves out columns until the others fit: words that all rows share, then what the table names, then the intervals
// that are left, then figures from the last one on.
func (g *grid) leaveOut() {
	for i, c := range g.Columns {
		if g.excess(enoughWords) > 0 && !c.Numeric && g.shared(i) {
			g.out[i] = true
		}
	}
	for _, pattern := range slices.Concat(always, g.narrow) {
		if g.excess(enoughWords) <= 0 {
			return
		}
		for i, c := range g.Columns {
			g.out[i] = g.out[i] || matches(strings.Fields(pattern), c.Key)
		}
	}
	for i := len(g.Columns) - 1; i > 0 && g.excess(enoughWords) > 0; i-- {
		g.fold(noBars, g.Columns[i].Key)
	}
	for i := len(g.Columns) - 1; i > 0 && g.excess(enoughWords) > 0; i-- {
		g.out[i] = g.out[i] || g.Columns[i].Numeric
	}
}

// shared reports whether a column says the same in all of several rows.
func (g *grid) shared(col int) bool {
	return len(g.Rows) > 1 && !slices.ContainsFunc(g.Rows, func(r []Cell) bool { return r[col].Text != g.Rows[0][col].Text })
}

// aboutFolded says what a folded interval is.
const aboutFolded = "±: to the farther limit of the 95 % interval"

// notes says what had no room, and what the headings mean.
func (g *grid) notes() (out []string) {
	var left []string
	for i, c := range g.Columns {
		switch {
		case g.out[i] && g.shared(i) && !c.Numeric:
			out = append(out, fmt.Sprintf("%s: %s", printable(c.Heading()), printable(g.Rows[0][i].Text)))
		case g.out[i]:
			if name := printable(c.Heading()); !slices.Contains(left, name) { // differences to the paper are all called the same
				left = append(left, name)
			}
		}
	}
	if len(left) > 0 {
		out = append(out, fmt.Sprintf("left out in %d columns: %s; a wider terminal and the other formats have them", g.page.Width, strings.Join(left, ", ")))
	}
	switch shown := g.barsShown(); {
	case shown[foldedBars]:
		out = append(out, aboutFolded+"; a wider terminal and the other formats have both")
	case shown[noBars]:
		out = append(out, "a wider terminal and the other formats have the 95 % intervals")
	}
	words := strings.Join(g.heads, " ")
	for _, r := range g.cells {
		words += " " + strings.Join(r, " ")
	}
	if all := strings.Fields(words); slices.Contains(all, "PV") || slices.Contains(all, "Mut") {
		out = append(out, "PV: tasks whose right end changes nothing, so that the agent refuses or informs; Mut: tasks that need a change")
	}
	if strings.Contains(words, "*") && slices.ContainsFunc(g.Rows, func(r []Cell) bool { return slices.ContainsFunc(r, func(c Cell) bool { return c.Best }) }) {
		out = append(out, fmt.Sprintf("*: best of %s, bounds left aside", cmp.Or(g.contest, "its column")))
	}
	return append(out, glossaryNote)
}

// barsShown says which forms of intervals the columns that are left have.
func (g *grid) barsShown() map[bars]bool {
	shown := map[bars]bool{}
	for i := range g.Columns {
		if !g.out[i] && slices.ContainsFunc(g.Rows, func(r []Cell) bool { return r[i].Bar != nil && r[i].Bar.Defined }) {
			shown[g.bars[i]] = true
		}
	}
	return shown
}

// render draws the columns that are left.
func (g *grid) render(w io.Writer) error {
	blocks := g.blocks()
	align := make([]tw.Align, len(blocks))
	head := make([]any, len(blocks))
	for i, b := range blocks {
		align[i] = tw.AlignLeft
		if g.Columns[b.cols[0]].Numeric {
			align[i] = tw.AlignRight
		}
		head[i] = g.joined(b, g.heads)
		if b.group != "" {
			own := g.joined(b, g.heads)
			head[i] = centred(b.group, columns(own)) + "\n" + own
		}
	}
	tab := tablewriter.NewTable(w, append(settings(align), tablewriter.WithRendition(tw.Rendition{Symbols: tw.NewSymbols(tw.StyleLight)}))...)
	tab.Header(head...)
	for _, r := range g.cells {
		row := make([]string, len(blocks))
		for i, b := range blocks {
			row[i] = g.joined(b, r)
		}
		if err := tab.Append(row); err != nil {
			return err
		}
	}
	return tab.Render()
}

// joined are the texts of a block's columns side by side, line by line.
func (g *grid) joined(b block, texts []string) string {
	if len(b.cols) == 1 {
		return texts[b.cols[0]]
	}
	var lines []string
	for n := 0; ; n++ {
		parts, more := make([]string, len(b.cols)), false
		for i, c := range b.cols {
			text := ""
			if all := strings.Split(texts[c], "\n"); n < len(all) {
				text, more = all[n], true
			}
			parts[i] = strings.Repeat(" ", max(0, max(g.wide(c))-terminal.Columns(text))) + text
		}
		if !more {
			return strings.Join(lines, "\n")
		}
		lines = append(lines, strings.Join(parts, groupGap))
	}
}

func centred(text string, width int) string {
	room := max(0, width-terminal.Columns(text))
	return strings.Repeat(" ", room/2) + text + strings.Repeat(" ", room-room/2)
}
