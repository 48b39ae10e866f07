package review

import (
	"fmt"
	"strings"

	"github.com/sallyport/sallyport/cmd/sallyport/terminal"
	"github.com/sallyport/sallyport/proxy/control"
	"github.com/sallyport/sallyport/proxy/inspect/legible"
	"github.com/sallyport/sallyport/proxy/vocab"
)

// AboutFile reports whether an item is about a client's file: its parts are entries, approving it restores the wanted state, and rejecting
// it accepts the current one.
func AboutFile(d control.ItemDetail) bool {
	return d.Kind == vocab.ItemConfigChanged || d.Kind == vocab.ItemUnguarded
}

func fileMeaning(d control.ItemDetail) string {
	if d.Kind == vocab.ItemUnguarded {
		return "A server that should run through Sallyport doesn't, or only looks like it\ndoes. The client starts it directly, and nothing is checked."
	}
	return "Something other than Sallyport changed the client's file: the client itself,\nanother program, or you. Sallyport puts nothing back without asking you."
}

func fileConsequence(d control.ItemDetail, decides control.Welcome) []string {
	code := terminal.Text(d.Code)
	idle := "If you do nothing, the file stays as it is, and the client keeps using it."
	if d.Diff == "" {
		return append([]string{idle}, whereToDecide(decides,
			fmt.Sprintf("sallyport reject %s    keeps the file as it is now", code),
			"There is nothing to put back: change the entry yourself, and the item follows.")...)
	}
	return append([]string{idle}, whereToDecide(decides,
		fmt.Sprintf("sallyport approve %s   makes the change shown above", code),
		fmt.Sprintf("sallyport reject %s    keeps the file as it is now", code),
		"Use --item entry:NAME with either to decide on one entry.")...)
}

// filePart prints what happened to one entry.
func (p *page) filePart(n, of int, part control.PartDetail) {
	states := map[vocab.PartState]string{
		vocab.PartNew: "new in the file", vocab.PartChanged: "changed", vocab.PartRemoved: "removed from the file",
		vocab.PartUnwrapped: "no longer guarded", vocab.PartFake: "only looks guarded",
	}
	switch {
	case strings.HasPrefix(part.Item, "extension:"):
		states[vocab.PartNew] = "new"
	case strings.HasPrefix(part.Item, "setting:"):
		states[vocab.PartChanged] = "less safe"
	}
	state := states[part.State]
	if state == "" {
		state = terminal.Text(string(part.State))
	}
	p.Printf("\n")
	p.Line("", p.Paint(terminal.Bold, fmt.Sprintf("%d of %d   %s   ", n, of, state)), part.Item)
	for _, change := range part.Changes {
		p.change(change)
	}
	p.warnings("  ", part.Findings)
}

// fileChange prints what an approval would write, behind the gutter like all text that is not ours.
func (p *page) fileChange(d control.ItemDetail) {
	if d.Diff == "" || !AboutFile(d) {
		return
	}
	p.Printf("\nIf you approve, Sallyport changes the file like this:\n")
	for line := range strings.Lines(d.Diff) {
		look := terminal.Style("")
		switch {
		case strings.HasPrefix(line, "+"):
			look = terminal.Green
		case strings.HasPrefix(line, "-"):
			look = terminal.Red
		}
		p.Quote("  ", terminal.Piece{Text: legible.Escape(strings.TrimSuffix(line, "\n")), Style: look})
	}
}
