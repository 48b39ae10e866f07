package main

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"strings"
	"unicode/utf8"

	"github.com/rivo/uniseg"
	"golang.org/x/text/width"

	"github.com/sallyport/sallyport/proxy/inspect/legible"
)

// page prints for a person. Server text reaches it only through text, quote and name, which escape; everything else is ours.
type page struct {
	w       io.Writer
	colours bool
	columns int
}

// newPage is a page on standard output: coloured only on a terminal that wants it (NO_COLOR, TERM=dumb).
func newPage(s streams) *page {
	p := &page{w: s.out, columns: 80}
	if o, ok := s.out.(*output); ok && isTerminal(o.File) {
		p.colours = os.Getenv("NO_COLOR") == "" && os.Getenv("TERM") != "dumb"
		p.columns = min(max(terminalColumns(o.File), 40), 120)
	}
	return p
}

// A style is the inside of an ANSI SGR sequence.
type style string

const (
	bold     style = "1"
	dim      style = "2"
	red      style = "31"
	green    style = "32"
	yellow   style = "33"
	cyan     style = "36"
	critical style = "1;31"
)

func (p *page) paint(s style, text string) string {
	if !p.colours || text == "" {
		return text
	}
	return "\x1b[" + string(s) + "m" + text + "\x1b[0m"
}

// printf prints our own words. Arguments that come from a server go through text first.
func (p *page) printf(format string, args ...any) {
	fmt.Fprintf(p.w, format, args...)
}

// text makes server text safe to stand inside one of our lines: escaped, one line, cut at 200 characters.
func text(s string) string { return short(s, 200) }

// short is text cut at another length. Runs of spaces are squeezed: they would push what follows to the start of the
// terminal's next row, where it could pass for a line of ours.
func short(s string, most int) string {
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

// shownServer is a server's name as it is shown where it stands with other things.
func shownServer(name, shown string) string {
	if shown == "" {
		shown = legible.ShortName(name, legible.MaxShownName)
	}
	return given(shown, 200)
}

// line prints our words and server text after them; where both do not fit on one row, the text goes behind the gutter below.
func (p *page) line(indent, ours, theirs string) {
	p.fit(indent, ours, text(theirs), legible.Escape(theirs))
}

// named is line for a text of ours that has a server's name in it.
func (p *page) named(indent, ours, theirs string) {
	whole := theirs
	if !isGiven(theirs) {
		whole = legible.Escape(theirs)
	}
	p.fit(indent, ours, given(theirs, 200), whole)
}

func (p *page) fit(indent, ours, shown, whole string) {
	if columns(indent)+columns(ours)+columns(shown) <= p.columns && !strings.HasSuffix(shown, "…") {
		p.printf("%s%s%s\n", indent, ours, shown)
		return
	}
	p.printf("%s%s\n", indent, strings.TrimRight(ours, " "))
	p.quote(indent+"  ", piece{text: whole})
}

// A piece is a run of text with one look.
type piece struct {
	text  string
	style style
}

// quote prints server text below one of our lines. Every row of it begins with the gutter and is broken by us, never by the
// terminal: otherwise text padded to the terminal's width could begin a row and pass for one of our own lines.
func (p *page) quote(indent string, pieces ...piece) {
	gutter := indent + p.paint(dim, "│") + " "
	room := max(p.columns-utf8.RuneCountInString(indent)-2, 20)
	var row strings.Builder
	used := 0
	flush := func() {
		fmt.Fprintln(p.w, strings.TrimRight(gutter+row.String(), " "))
		row.Reset()
		used = 0
	}
	for _, part := range pieces {
		for i, line := range strings.Split(strings.ReplaceAll(part.text, "\r\n", "\n"), "\n") {
			if i > 0 {
				flush()
			}
			for _, word := range cutWords(strings.ReplaceAll(line, "\t", "    "), room) {
				w := columns(word)
				if used > 0 && used+w > room {
					flush()
					word = strings.TrimLeft(word, " ")
					w = columns(word)
				}
				row.WriteString(p.paint(part.style, word))
				used += w
			}
		}
	}
	if used > 0 || len(pieces) == 0 {
		flush()
	}
}

// prose prints a paragraph of our own words, broken to fit.
func (p *page) prose(indent, words string) { p.hang(indent, indent, words) }

// hang is prose whose first row begins otherwise than the others.
func (p *page) hang(first, indent, words string) {
	row := first
	begun := false
	for _, word := range strings.Fields(words) {
		if begun && columns(row)+1+columns(word) > p.columns {
			p.printf("%s\n", row)
			row, begun = indent, false
		}
		if begun {
			row += " "
		}
		row += word
		begun = true
	}
	p.printf("%s\n", row)
}

// cutWords cuts a line before each run of spaces, and words wider than room into pieces that fit. Joined again they are the line.
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

// columns is how wide s is on a terminal; what paint added counts nothing.
func columns(s string) int {
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

// quoteJSON prints a definition whole, as it was declared: its members in their order, its numbers as written.
func (p *page) quoteJSON(indent string, raw json.RawMessage) {
	p.quote(indent, piece{text: indented(raw)})
}

// table prints rows in columns. Cells that come from a server go through short first.
func (p *page) table(header []string, rows [][]string) {
	wide := make([]int, len(header))
	rows = append([][]string{header}, rows...)
	for _, row := range rows {
		for i, cell := range row {
			wide[i] = max(wide[i], columns(cell))
		}
	}
	for _, row := range rows {
		var line strings.Builder
		for i, cell := range row {
			line.WriteString(cell)
			if i < len(row)-1 {
				line.WriteString(strings.Repeat(" ", wide[i]-columns(cell)+2))
			}
		}
		fmt.Fprintln(p.w, line.String())
	}
}

// writeJSON prints one JSON document on one line.
func writeJSON(w io.Writer, v any) error {
	out, err := json.Marshal(v)
	if err != nil {
		return fmt.Errorf("encode: %w", err)
	}
	_, err = w.Write(append(legible.EscapeJSON(out), '\n'))
	return err
}

// list is how every list looks in --json.
type list[T any] struct {
	Items []T `json:"items"`
}

func listOf[T any](items []T) list[T] {
	if items == nil {
		items = []T{}
	}
	return list[T]{items}
}
