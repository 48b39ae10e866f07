package review

import (
	"fmt"
	"strings"

	"github.com/sallyport/sallyport/cmd/sallyport/terminal"
	"github.com/sallyport/sallyport/proxy/control"
	"github.com/sallyport/sallyport/proxy/inspect"
	"github.com/sallyport/sallyport/proxy/powers"
	"github.com/sallyport/sallyport/proxy/vocab"
)

// can says what a new server's tools can do, before any server text, and where that comes from.
func (p *page) can(d control.ItemDetail) {
	if d.Can == nil {
		return
	}
	p.Printf("\n%s\n", p.Paint(terminal.Bold, "What it can do"))
	p.Prose("  ", d.Can.String())
	p.Prose("  ", d.Can.Source())
	switch n := d.Can.Disputed; {
	case n == 1:
		p.Prose("  ", "The name of 1 tool contradicts what the tool claims: see below.")
	case n > 1:
		p.Prose("  ", fmt.Sprintf("The names of %d tools contradict what they claim: see below.", n))
	}
}

// made says which program a server is: its package if there is one, and since when the program has not changed.
func (p *page) made(m *control.Made) {
	if m == nil {
		return
	}
	if m.Package != "" {
		p.fact("package", strings.TrimSpace(strings.Join([]string{m.Manager, m.Package, m.Version}, " ")))
	} else {
		p.fact("program", m.Program)
	}
	if len(m.Fingerprint) >= 12 {
		p.Printf("  %-13s%s, unchanged since %s\n", "fingerprint", terminal.Text(m.Fingerprint[:12]), terminal.Clock(m.Since))
	}
}

// warned counts the warnings of an item and says where they are: the first part does not always have one.
func warned(d control.ItemDetail) string {
	if AboutHeld(d) {
		return ""
	}
	n, in := inspect.Warnings(inspect.Passages(d.Findings)), []string{}
	if n > 0 {
		in = append(in, "the server as a whole")
	}
	for _, part := range d.Details {
		if of := inspect.Warnings(inspect.Passages(part.Findings)); of > 0 {
			n, in = n+of, append(in, part.Item)
		}
	}
	if n == 0 {
		return ""
	}
	return fmt.Sprintf("%d, in %s", n, strings.Join(in, ", "))
}

// partGroup is parts of an item under one heading, "" for none.
type partGroup struct {
	heading string
	parts   []control.PartDetail
}

// grouped groups the tools of a new server by what they do, most serious first, and the rest after them. Changes keep their order, because
// there a person reads what changed.
func grouped(d control.ItemDetail) []partGroup {
	if d.Kind != vocab.ItemNewServer || d.Can == nil {
		return []partGroup{{parts: d.Details}}
	}
	groups := []partGroup{{heading: "Changes things"}, {heading: "Only reads"}, {heading: "Doesn't say"}, {heading: "Everything else"}}
	for _, part := range d.Details {
		at := len(groups) - 1
		if part.Does != nil {
			switch part.Does.Effect {
			case powers.Changes:
				at = 0
			case powers.Reads:
				at = 1
			default:
				at = 2
			}
		}
		groups[at].parts = append(groups[at].parts, part)
	}
	return groups
}

// parts prints the parts of an item, numbered through all groups.
func (p *page) parts(d control.ItemDetail) {
	n := 0
	for _, group := range grouped(d) {
		if group.heading != "" && len(group.parts) > 0 {
			p.Printf("\n%s\n", p.Paint(terminal.Bold, fmt.Sprintf("%s (%d)", group.heading, len(group.parts))))
		}
		for _, part := range group.parts {
			n++
			if AboutFile(d) || AboutExtension(d) || AboutSettings(d) {
				p.filePart(n, len(d.Details), part)
			} else {
				p.part(n, len(d.Details), part)
			}
		}
	}
}

// does says what one tool can do.
func (p *page) does(part control.PartDetail) {
	if part.Does == nil {
		return
	}
	p.Prose("  ", doesWords(*part.Does))
	if classes := part.Does.Classes; len(classes) > 0 {
		p.Prose("  ", "it "+classWords(classes)+": before a call, Sallyport looks where its values came from (setting tools.class)")
	}
	for _, d := range part.Does.Disputes {
		p.Printf("  %s %s\n", p.Paint(terminal.Yellow, "!"), d.Words())
	}
}

// classWords are the classes of a tool in a sentence.
func classWords(classes []vocab.CallClass) string {
	words := make([]string, len(classes))
	for i, class := range classes {
		words[i] = string(class)
	}
	if last := len(words) - 1; last > 0 {
		return strings.Join(words[:last], ", ") + " and " + words[last]
	}
	return words[0]
}

func doesWords(t powers.Tool) string {
	whose := map[powers.Basis]string{powers.Claim: "the server claims", powers.Names: "Sallyport's reading of its name"}[t.Basis]
	words := "doesn't say whether it changes things"
	switch t.Effect {
	case powers.Changes:
		words = "changes things"
		switch {
		case t.Deletes == powers.Yes:
			words = "changes and deletes things"
		case t.Deletes == powers.No:
			words = "changes things, deletes nothing"
		case t.Deletes == powers.NoAnswer && t.Basis == powers.Claim:
			words = "changes things, maybe deletes them"
		}
	case powers.Reads:
		words = "only reads"
	case powers.Unsaid: // as above
	}
	if whose != "" {
		words += " (" + whose + ")"
	}
	for _, touch := range t.Touches {
		words += map[powers.Touch]string{
			powers.Commands: " · runs commands", powers.Files: " · files", powers.Data: " · databases", powers.Messages: " · messages", powers.Browser: " · browser",
			powers.Payments: " · payments", powers.Secrets: " · secrets", powers.Outside: " · reaches outside",
		}[touch]
	}
	switch {
	case t.Outside == powers.Yes:
		words += " · says it reaches outside"
	case t.Outside == powers.No:
		words += " · says it doesn't reach outside"
	}
	return words
}

// lookedUnder is the sandbox set for an item's server, and the one it was looked at in; "" if there is none.
func lookedUnder(d control.ItemDetail) string {
	set, looked := d.Sandbox, d.LookedIn
	switch {
	case set == "", set == vocab.SandboxOff && (looked == vocab.SandboxOff || looked == ""):
		return ""
	case looked == "" || looked == set:
		return string(set)
	}
	return fmt.Sprintf("%s from its next start on; it declared itself under %s", set, looked)
}
