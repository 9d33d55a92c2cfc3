package report

import (
	"math"
	"slices"
	"strings"

	"github.com/tauguide/tauguide/runs/terminal"
)

// Sizes of print in points: what the narrowest of the usual classes have, a column and a page of article.
const (
	columnWidth = 200
	pageWidth   = 345
	pageHeight  = 530
	leastWidth  = 45 // of a column whose words are wrapped
)

// fontSize is a size of letters: how wide they are beside those of 10 points, and how far lines are apart; likewise of the
// intervals below the figures.
type fontSize struct {
	name        string
	wide, lines float64
	gap         float64 // on either side of a column
	bars        string
	wideBars    float64
	lineBars    float64
}

// fontSizes are those of tables, the largest first; notes have the second.
func fontSizes() []fontSize {
	return []fontSize{{"small", 0.925, 11, 3, "scriptsize", 0.8, 8}, {"footnotesize", 0.85, 9.5, 3, "scriptsize", 0.8, 8}, {"scriptsize", 0.8, 8, 2, "tiny", 0.7, 6}}
}

// printed is a table as it fits pages.
type printed struct {
	Table
	said    []string   // the notes
	group   []string   // by column, the shared heading
	heads   [][]string // by column, the lines of its own
	size    fontSize
	bars    bars            // how much of the intervals is shown
	page    bool            // as wide as the page
	wrapped map[int]float64 // columns of words that are wrapped, with their share of what is left to those
	blocks  [][]int         // columns that are side by side; words are in each
}

// part is some rows of a block, or some notes if it has no columns.
type part struct {
	cols     []int
	from, to int
	height   float64
}

func newPrinted(t Table, notes []string) *printed {
	p := &printed{Table: t, said: notes, wrapped: map[int]float64{}}
	for i, c := range t.Columns {
		group, head := c.split()
		if strings.ContainsAny(head[:min(1, len(head))], "^@") && strings.Count(c.Title, "|") == 2 {
			group, head = "", c.Heading() // an exponent alone is hard to read
		}
		cells, least := 0, 1
		for _, r := range t.Rows {
			cells = max(cells, len([]rune(r[i].Text)))
		}
		for word := range strings.FieldsSeq(head) {
			least = max(least, len([]rune(word)))
		}
		if c.Numeric {
			head = terminal.Wrap(head, max(cells, least))
		}
		p.group, p.heads = append(p.group, group), append(p.heads, strings.Split(head, "\n"))
	}
	p.fit()
	return p
}

// fit chooses the smallest change that makes the table fit: letters and width of the page, folded intervals, wrapped words,
// further blocks.
func (p *printed) fit() {
	var words, figures, all []int
	for i, c := range p.Columns {
		all = append(all, i)
		if c.Numeric {
			figures = append(figures, i)
		} else {
			words = append(words, i)
		}
	}
	p.blocks = [][]int{all}
	sizes := fontSizes()
	for _, p.size = range sizes[:2] {
		if p.width(all) <= columnWidth {
			return
		}
	}
	p.page = true
	for _, p.bars = range []bars{wholeBars, foldedBars} {
		for _, p.size = range sizes {
			if p.width(all) <= pageWidth {
				return
			}
		}
		for _, p.size = range sizes[:2] {
			if p.wrap(words, pageWidth-p.width(figures)) {
				return
			}
		}
	}
	best := printed{}
	for _, p.bars = range []bars{wholeBars, foldedBars} {
		for _, p.size = range sizes {
			if n := len(p.split(words, figures)); best.blocks == nil || n < len(best.blocks) {
				best.bars, best.size, best.blocks = p.bars, p.size, p.split(words, figures)
			}
		}
	}
	p.bars, p.size = best.bars, best.size
	p.blocks = p.split(words, figures) // which wraps words anew
}

// split puts figures into blocks that fit, each with the words.
func (p *printed) split(words, figures []int) (out [][]int) {
	clear(p.wrapped)
	labels := p.width(words)
	if most := max(pageWidth/2, float64(len(words))*(leastWidth+2*p.size.gap)); labels > most {
		labels = most
		p.wrap(words, most)
	}
	room := pageWidth - labels
	for i := 0; i < len(figures); {
		n := p.together(figures, i)
		if p.width(figures[i:i+n]) > room {
			n = 1
		}
		last := len(out) - 1
		if last < 0 || p.width(slices.Concat(out[last][len(words):], figures[i:i+n])) > room {
			out, last = append(out, slices.Clone(words)), last+1
		}
		out[last] = append(out[last], figures[i:i+n]...)
		i += n
	}
	return out
}

// wrap wraps the widest columns of words so that all of them fit into some room, and reports whether they do.
func (p *printed) wrap(words []int, room float64) bool {
	clear(p.wrapped)
	order := slices.Clone(words)
	slices.SortStableFunc(order, func(a, b int) int { return int(p.natural(a) - p.natural(b)) })
	var wide []int
	total := 0.0
	for i, c := range order {
		natural := p.natural(c)
		if fair := room/float64(len(order)-i) - 2*p.size.gap; natural <= fair && len(wide) == 0 {
			room -= natural + 2*p.size.gap
			continue
		}
		wide = append(wide, c)
		total += natural
	}
	if len(wide) == 0 {
		return room >= 0
	}
	if room < float64(len(wide))*(leastWidth+2*p.size.gap) {
		return false
	}
	for _, c := range wide {
		least := leastWidth * float64(len(wide)) / room // a share of less is too narrow
		p.wrapped[c] = least + (1-least)*float64(len(wide))*p.natural(c)/total
	}
	return true
}

// together is how many columns from one on share their heading.
func (p *printed) together(cols []int, at int) int {
	n := 1
	for at+n < len(cols) && p.group[cols[at]] != "" && p.group[cols[at+n]] == p.group[cols[at]] {
		n++
	}
	return n
}

// width is how wide columns are, none wrapped.
func (p *printed) width(cols []int) float64 {
	width := 0.0
	for i := 0; i < len(cols); {
		n, sum := p.together(cols, i), 0.0
		for _, c := range cols[i : i+n] {
			sum += p.natural(c) + 2*p.size.gap
		}
		width += max(sum, points(p.group[cols[i]])*p.size.wide+2*p.size.gap)
		i += n
	}
	return width
}

// natural is how wide a column is that is not wrapped.
func (p *printed) natural(col int) float64 {
	width := 0.0
	for _, line := range p.heads[col] {
		width = max(width, points(line)*p.size.wide)
	}
	for _, r := range p.Rows {
		text := points(r[col].Text) * p.size.wide
		if r[col].Best {
			text *= 1.15 // bold letters
		}
		width = max(width, text, points(r[col].interval(p.bars))*p.size.wideBars)
	}
	return width
}

// points is about how wide a text is in letters of 10 points of Computer Modern, rather more than less.
func points(s string) (width float64) {
	for _, r := range printable(s) {
		switch {
		case strings.ContainsRune("ijlI.,:;!'|[]", r):
			width += 3
		case strings.ContainsRune("frst()- /`", r):
			width += 4
		case strings.ContainsRune("mwMW%@#&+=<>~−±×", r):
			width += 8.8
		case r >= 'A' && r <= 'Z':
			width += 7.4
		case r > 0x24f && !strings.ContainsRune(signs, r):
			width += 30 // which is spelled out
		default:
			width += 5.3
		}
	}
	return width
}

// begins reports whether figures of something else begin in a row.
func (p *printed) begins(row int) bool {
	return len(p.Columns) > 0 && p.Columns[0].Key == "figure" && p.Rows[row][0].Text != ""
}

// barred reports whether a row has intervals in one of the columns.
func (p *printed) barred(row int, cols []int) bool {
	return slices.ContainsFunc(cols, func(c int) bool { return p.Rows[row][c].interval(p.bars) != "" })
}

// floats puts the blocks and the notes into as few floats as hold them.
func (p *printed) floats() (out [][]part) {
	var parts []part
	height := pageHeight - 30.0 // for the caption
	if p.scripted() != "" {
		height -= 2 * fontSizes()[1].lines // for the note that is below each
	}
	for _, cols := range p.blocks {
		head := 4 * p.size.lines
		one := part{cols: cols, height: head}
		for n := range p.Rows {
			row := p.lines(n, cols)*p.size.lines + 2
			if p.barred(n, cols) {
				row += p.size.lineBars
			}
			if one.height+row > height {
				parts = append(parts, one)
				one = part{cols: cols, from: n, height: head}
			}
			one.to, one.height = n+1, one.height+row
		}
		parts = append(parts, one)
	}
	if p.bars == foldedBars {
		p.said = append(p.said, aboutFolded)
	}
	if len(p.said) > 0 {
		size, width := fontSizes()[1], float64(columnWidth)
		if p.page {
			width = pageWidth
		}
		one := part{}
		for n, text := range p.said {
			lines := wrappedLines(points(text)*size.wide, width) * size.lines
			if one.height+lines > height {
				parts = append(parts, one)
				one = part{from: n}
			}
			one.to, one.height = n+1, one.height+lines
		}
		parts = append(parts, one)
	}
	room := 0.0
	for _, one := range parts {
		if one.height > room {
			out, room = append(out, nil), height
		}
		out[len(out)-1] = append(out[len(out)-1], one)
		room -= one.height + 10
	}
	return out
}

// lines is how many lines a row has.
func (p *printed) lines(row int, cols []int) float64 {
	lines, left := 1.0, float64(pageWidth)
	for _, c := range cols {
		if p.wrapped[c] == 0 {
			left -= p.natural(c) + 2*p.size.gap
		}
	}
	for c, share := range p.wrapped {
		room := left/float64(len(p.wrapped))*share - 2*p.size.gap
		lines = max(lines, wrappedLines(points(p.Rows[row][c].Text)*p.size.wide, room))
	}
	return lines
}

// wrappedLines is how many lines a text takes, which stay empty by about half a word each.
func wrappedLines(text, room float64) float64 {
	const half = 15 // points
	if text <= room {
		return 1
	}
	return math.Ceil(text / (room - half))
}
