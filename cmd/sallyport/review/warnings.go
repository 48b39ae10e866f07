package review

import (
	"fmt"
	"slices"
	"strings"

	"github.com/sallyport/sallyport/cmd/sallyport/terminal"
	"github.com/sallyport/sallyport/proxy/inspect"
	"github.com/sallyport/sallyport/proxy/inspect/legible"
	"github.com/sallyport/sallyport/proxy/pin"
)

// warnings prints findings as a person reads them: one entry for a passage of text, under the most serious rule that it breaks, with the
// other rules below, and the weak signs in one line. An output schema that does not compile is no sign of anything, but says what Sallyport
// can't do for the person.
func (p *page) warnings(indent string, all []inspect.Finding) {
	unchecked := func(f inspect.Finding) bool { return f.Rule == inspect.OutputSchema }
	if i := slices.IndexFunc(all, unchecked); i >= 0 {
		p.Line(indent, "note: ", fmt.Sprintf("%s (%s)", all[i].Title, all[i].Rule)) // it names a place in the schema
		all = slices.DeleteFunc(slices.Clone(all), unchecked)
	}
	passages := inspect.Passages(all)
	for _, passage := range passages {
		if !passage.Warns() {
			continue
		}
		p.finding(indent, all[passage.Findings[0]])
		said := map[string]bool{}
		for _, i := range passage.Findings[1:] {
			key := all[i].Rule + "\x00" + all[i].Title + "\x00" + string(all[i].Level) + "\x00" + all[i].Decoded
			if !said[key] { // the same thing once
				said[key] = true
				p.also(indent+"    ", all[i])
			}
		}
	}
	if rules, n := inspect.Signs(all, passages); n > 0 {
		p.Prose(indent, terminal.WeakSigns(rules, n)+" (--json shows them)")
	}
}

// titled prints what a finding is. Its title is ours and so never stands behind the gutter, which marks what a server says.
func (p *page) titled(indent, before string, f inspect.Finding) {
	words := fmt.Sprintf("%s (%s)", f.Title, f.Rule)
	if terminal.Text(words) != words { // of no rule that Sallyport reads
		p.Line(indent, before, words)
		return
	}
	p.Hang(indent, indent+"  ", before+words)
}

func (p *page) finding(indent string, f inspect.Finding) {
	p.titled(indent, p.level(f.Level)+" ", f)
	if f.Where != "" {
		p.Line(indent+"    ", "in ", f.Where)
	}
	if f.Match != "" {
		p.Printf("%s    found%s:\n", indent, span(f))
		p.Quote(indent+"    ", terminal.Piece{Text: legible.Escape(f.Match)})
	}
	p.decoded(indent+"    ", f)
}

// also prints one more finding of a passage whose most serious one has been printed.
func (p *page) also(indent string, f inspect.Finding) {
	p.titled(indent, "also "+p.level(f.Level)+" ", f)
	if f.Match != "" && f.Decoded == "" {
		p.Quote(indent+"  ", terminal.Piece{Text: legible.Escape(f.Match)})
	}
	p.decoded(indent+"  ", f)
}

// decoded prints what a finding has besides its match: what was found under encodings, or the other of two names.
func (p *page) decoded(indent string, f inspect.Finding) {
	if f.Decoded == "" {
		return
	}
	switch f.Rule {
	case pin.NameCollision:
		p.Printf("%scollides with:\n", indent)
	case inspect.ToolImitation:
		p.Printf("%simitates:\n", indent)
	default:
		p.Line(indent, "which hides, under ", strings.Join(f.Encodings, ", "))
	}
	p.Quote(indent, terminal.Piece{Text: legible.Escape(f.Decoded)})
}

// span is where in the text at that place a finding lies.
func span(f inspect.Finding) string {
	if f.End <= f.Start {
		return ""
	}
	return fmt.Sprintf(", bytes %d to %d", f.Start, f.End)
}
