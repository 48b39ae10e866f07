package main

import (
	"fmt"
	"strings"

	"github.com/sallyport/sallyport/proxy/control"
	"github.com/sallyport/sallyport/proxy/inspect"
)

// aboutFile says that an item is about a client's file: its parts are entries, to approve it is to put back what is
// wanted, and to reject it is to take what stands there as wanted.
func aboutFile(d control.ItemDetail) bool { return d.Kind == "config_changed" || d.Kind == "unguarded" }

func fileMeaning(d control.ItemDetail) string {
	if d.Kind == "unguarded" {
		return "A server that should run through Sallyport doesn't, or only looks like it does. The\nclient starts it directly, and nothing is checked."
	}
	return "Something other than Sallyport changed the client's file: the client itself, another\nprogram, or you. Nothing is put back without you."
}

func fileConsequence(d control.ItemDetail, decides control.Welcome) []string {
	lines := []string{"If you do nothing, the file stays as it is now, and the client goes on with it."}
	code := text(d.Code)
	switch {
	case decides.Window:
		lines = append(lines, "Decide in the window.")
	case decides.CLIApproval:
		lines = append(lines,
			fmt.Sprintf("sallyport approve %s   puts back what was wanted, as the change above shows", code),
			fmt.Sprintf("sallyport reject %s    takes what stands there now as wanted", code),
			"Both take --item entry:NAME for single entries.")
	default:
		lines = append(lines, "This hub decides nothing: open the Sallyport window to decide.")
	}
	return lines
}

// filePart prints what became of one entry.
func (p *page) filePart(n, of int, part control.PartDetail) {
	states := map[string]string{
		"new": "new in the file", "changed": "changed", "removed": "gone from the file",
		"unwrapped": "not guarded any more", "fake": "only looks guarded",
	}
	state := states[part.State]
	if state == "" {
		state = text(part.State)
	}
	p.printf("\n")
	p.line("", p.paint(bold, fmt.Sprintf("%d of %d   %s   ", n, of, state)), part.Item)
	for _, change := range part.Changes {
		p.change(change)
	}
	p.warnings("  ", part.Findings)
}

// fileChange prints what an approval would write. It comes behind the gutter like all text that is not ours.
func (p *page) fileChange(d control.ItemDetail) {
	if d.Diff == "" || !aboutFile(d) {
		return
	}
	p.printf("\nWhat approving writes into the file:\n")
	for line := range strings.Lines(d.Diff) {
		look := style("")
		switch {
		case strings.HasPrefix(line, "+"):
			look = green
		case strings.HasPrefix(line, "-"):
			look = red
		}
		p.quote("  ", piece{text: inspect.Escape(strings.TrimSuffix(line, "\n")), style: look})
	}
}

func fileQuestion(d control.ItemDetail, reject bool, n int) string {
	if reject {
		return fmt.Sprintf("\nTake what stands in the file now as wanted, for %s? [y/N] ", entries(n))
	}
	return fmt.Sprintf("\nPut back what was wanted, for %s? [y/N] ", entries(n))
}

// decidedFile says what became of a client's file.
func (p *page) decidedFile(d control.Decided) {
	if len(d.Approved) > 0 {
		p.hang("", "  ", "put back: "+names(d.Approved))
	}
	if len(d.Rejected) > 0 {
		p.hang("", "  ", "taken as it stands: "+names(d.Rejected))
	}
	if len(d.Left) > 0 {
		p.hang("", "  ", "still needs review: "+names(d.Left))
	}
	if d.Next != "" {
		p.printf("see item %s\n", text(d.Next))
	}
}
