// Package terminal prints pages for a person: wrapped to the width of a terminal, coloured if it supports that, and so that nothing a
// server wrote can pass for a line of ours. Any text that is not ours goes through Text, Short, Name, Server, Entry or Names inside a line,
// and through Page.Quote below one. The commands decide what the pages say.
package terminal

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/rivo/uniseg"
	"golang.org/x/text/width"

	"github.com/sallyport/sallyport/proxy/inspect/legible"
)

// Page prints to Out, in rows of at most Columns columns.
type Page struct {
	Out     io.Writer
	Colours bool
	Columns int
}

// On is a page that is printed to w. If f is a terminal, the page has its width, and colours if it wants them (NO_COLOR, TERM=dumb).
func On(w io.Writer, f *os.File) *Page {
	p := &Page{Out: w, Columns: 80}
	if f != nil && Is(f) {
		p.Colours = os.Getenv("NO_COLOR") == "" && os.Getenv("TERM") != "dumb"
		p.Columns = min(max(columnsOf(f), 40), 120)
	}
	return p
}

// A Style is the inside of an ANSI SGR sequence.
type Style string

// The styles of our pages.
const (
	Bold     Style = "1"
	Dim      Style = "2"
	Red      Style = "31"
	Green    Style = "32"
	Yellow   Style = "33"
	Cyan     Style = "36"
	Critical Style = "1;31"
)

// Paint is text in a style, where the page has colours.
func (p *Page) Paint(s Style, text string) string {
	if !p.Colours || text == "" {
		return text
	}
	return "\x1b[" + string(s) + "m" + text + "\x1b[0m"
}

// Printf prints our own words. Arguments that come from a server go through Text first.
func (p *Page) Printf(format string, args ...any) {
	fmt.Fprintf(p.Out, format, args...)
}

// Text makes server text safe inside one of our lines: escaped, one line, cut at 200 characters.
func Text(s string) string { return Short(s, 200) }

// Short is Text cut at another length. Runs of spaces are squeezed: they could push what follows to the start of the terminal's next row,
// where it could pass for a line of ours.
func Short(s string, most int) string {
	s = legible.Escape(s)
	s = strings.NewReplacer("\r\n", "⏎", "\n", "⏎", "\t", "→").Replace(s)
	for strings.Contains(s, "   ") {
		s = strings.ReplaceAll(s, "   ", "  ")
	}
	if utf8.RuneCountInString(s) > most {
		s = string([]rune(s)[:most-1]) + "…"
	}
	return s
}

// Server is a server's name for one of our lines.
func Server(name, shown string) string {
	if shown == "" {
		shown = legible.ShortName(name, legible.MaxShownName)
	}
	return Name(shown, 200)
}

// Line prints our words followed by server text; if both do not fit on one row, the text goes behind the gutter below.
func (p *Page) Line(indent, ours, theirs string) {
	p.fit(indent, ours, Text(theirs), legible.Escape(theirs))
}

// Named is Line for a text of ours that has a server's name in it.
func (p *Page) Named(indent, ours, theirs string) {
	whole := theirs
	if !isGiven(theirs) {
		whole = legible.Escape(theirs)
	}
	p.fit(indent, ours, Name(theirs, 200), whole)
}

func (p *Page) fit(indent, ours, shown, whole string) {
	if Width(indent)+Width(ours)+Width(shown) <= p.Columns && !strings.HasSuffix(shown, "…") {
		p.Printf("%s%s%s\n", indent, ours, shown)
		return
	}
	p.Printf("%s%s\n", indent, strings.TrimRight(ours, " "))
	p.Quote(indent+"  ", Piece{Text: whole})
}

// A Piece is a run of text with one look.
type Piece struct {
	Text  string
	Style Style
}

// Quote prints server text below one of our lines. Every row begins with the gutter and is wrapped by us, never by the terminal: otherwise
// text padded to the terminal's width could begin a row and pass for one of our own lines.
func (p *Page) Quote(indent string, pieces ...Piece) {
	gutter := indent + p.Paint(Dim, "│") + " "
	room := max(p.Columns-utf8.RuneCountInString(indent)-2, 20)
	var row strings.Builder
	used := 0
	flush := func() {
		fmt.Fprintln(p.Out, strings.TrimRight(gutter+row.String(), " "))
		row.Reset()
		used = 0
	}
	for _, part := range pieces {
		for i, line := range strings.Split(strings.ReplaceAll(part.Text, "\r\n", "\n"), "\n") {
			if i > 0 {
				flush()
			}
			for _, word := range cutWords(strings.ReplaceAll(line, "\t", "    "), room) {
				w := Width(word)
				if used > 0 && used+w > room {
					flush()
					word = strings.TrimLeft(word, " ")
					w = Width(word)
				}
				row.WriteString(p.Paint(part.Style, word))
				used += w
			}
		}
	}
	if used > 0 || len(pieces) == 0 {
		flush()
	}
}

// Prose prints a paragraph of our own words, broken to fit.
func (p *Page) Prose(indent, words string) { p.Hang(indent, indent, words) }

// Hang is Prose with a different indent in the first row.
func (p *Page) Hang(first, indent, words string) {
	row := first
	begun := false
	for _, word := range strings.Fields(words) {
		if begun && Width(row)+1+Width(word) > p.Columns {
			p.Printf("%s\n", row)
			row, begun = indent, false
		}
		if begun {
			row += " "
		}
		row += word
		begun = true
	}
	p.Printf("%s\n", row)
}

// cutWords cuts a line before each run of spaces, and cuts words wider than room into pieces that fit. Joined again they are the line.
func cutWords(line string, room int) []string {
	var words []string
	start, wide, inSpace := 0, 0, true
	for i, r := range line {
		w := runeColumns(r)
		if (r == ' ' && !inSpace) || wide+w > room {
			if i > start {
				words = append(words, line[start:i])
			}
			start, wide = i, 0
		}
		inSpace = r == ' '
		wide += w
	}
	if start < len(line) {
		words = append(words, line[start:])
	}
	return words
}

// Width is how wide s is on a terminal; what Paint added counts nothing.
func Width(s string) int {
	n := 0
	for {
		before, painted, ok := strings.Cut(s, "\x1b")
		n += uniseg.StringWidth(before)
		if !ok {
			return n
		}
		_, s, _ = strings.Cut(painted, "m")
	}
}

func runeColumns(r rune) int {
	switch width.LookupRune(r).Kind() {
	case width.EastAsianWide, width.EastAsianFullwidth:
		return 2
	}
	return 1
}

// QuoteJSON prints a whole definition as declared: members in their order, numbers as written.
func (p *Page) QuoteJSON(indent string, raw json.RawMessage) {
	p.Quote(indent, Piece{Text: Indented(raw)})
}

// Table prints rows in columns. Cells that come from a server go through Short first.
func (p *Page) Table(header []string, rows [][]string) {
	wide := make([]int, len(header))
	rows = append([][]string{header}, rows...)
	for _, row := range rows {
		for i, cell := range row {
			wide[i] = max(wide[i], Width(cell))
		}
	}
	for _, row := range rows {
		var line strings.Builder
		for i, cell := range row {
			line.WriteString(cell)
			if i < len(row)-1 {
				line.WriteString(strings.Repeat(" ", wide[i]-Width(cell)+2))
			}
		}
		fmt.Fprintln(p.Out, line.String())
	}
}

// Lines are lines that a page is to print, each with its end.
type Lines []string

// Aside is what f prints, without printing it.
func (p *Page) Aside(f func(*Page)) Lines {
	var all bytes.Buffer
	inside := *p
	inside.Out = &all
	f(&inside)
	lines := strings.SplitAfter(all.String(), "\n")
	if lines[len(lines)-1] == "" {
		lines = lines[:len(lines)-1]
	}
	return lines
}

// AtMost limits the lines, and says where the rest is.
func (lines Lines) AtMost(most int, rest string) Lines {
	if len(lines) <= most {
		return lines
	}
	kept := lines[:most-1]
	return append(slices.Clip(kept), fmt.Sprintf("          and %s more: %s\n", Counted(len(lines)-len(kept), "line"), rest))
}
