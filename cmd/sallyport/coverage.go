package main

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/sallyport/sallyport/app/clientconfig"
	"github.com/sallyport/sallyport/cmd/sallyport/terminal"
	"github.com/sallyport/sallyport/proxy/control"
)

// Problem codes of the hub for unguarded entries. These two were already reported for the whole file.
const (
	notProtected = "SP-210"
	fileUnread   = "file" // a kind
)

// coverage says how many servers are guarded, in which clients' files, and names each that is not, with the reason. If that is more than most
// lines, every client keeps its own, and those with the longest lists have their ends counted instead of named.
func (p *page) coverage(c control.Coverage, most int) terminal.Lines {
	const indent = "          "
	all := []clientLines{{head: p.aside(func(p *page) {
		if c.Total == 0 && len(c.Unguarded) == 0 {
			p.Printf("guarded   no servers found in any client's file\n")
		} else {
			p.Printf("guarded   %d of %d\n", c.Guarded, c.Total)
		}
	})}}
	left := slices.Clone(c.Unguarded)
	names := map[string]string{}
	for i, f := range c.Clients {
		names[f.Client] = f.Name
		if f.State == control.FileAbsent {
			continue
		}
		one := clientLines{head: p.aside(func(p *page) {
			p.Prose(indent, terminal.Text(f.Name)+": "+fileState(f))
			p.Prose(indent+"  ", terminal.Text(f.Path))
			if !f.Watched && slices.ContainsFunc(left, func(u control.Unguarded) bool { return u.Client == f.Client && u.Code == notProtected }) {
				command := "sallyport protect"
				if f.Client != clientconfig.ClaudeDesktop {
					command += " --client " + terminal.Text(f.Client)
				}
				p.Printf("%s  to guard them: %s\n", indent, command)
			}
		})}
		// Unguarded entries are grouped by client, after its last file.
		if !slices.ContainsFunc(c.Clients[i+1:], func(next control.ClientFile) bool { return next.Client == f.Client && next.State != control.FileAbsent }) {
			left = slices.DeleteFunc(left, func(u control.Unguarded) bool {
				if u.Client != f.Client {
					return false
				}
				one.add(p.aside(func(p *page) { p.notGuarded(indent+"  ", u, "", f.Watched) }))
				return true
			})
		}
		all = append(all, one)
	}
	var others clientLines
	for _, u := range left {
		others.add(p.aside(func(p *page) { p.notGuarded(indent, u, cmp.Or(names[u.Client], u.Client), false) }))
	}
	return fitted(append(all, others, clientLines{head: p.aside(func(p *page) {
		for _, words := range c.Unseen {
			p.Prose(indent, terminal.Text(words))
		}
	})}), most).AtMost(most, wholeStatus)
}

// wholeStatus is the command that prints what status has no room for.
const wholeStatus = "sallyport status --json"

// clientLines are the lines about one client: its own, and those of each entry that is not guarded.
type clientLines struct {
	head    terminal.Lines
	entries []terminal.Lines
}

func (c *clientLines) add(entry terminal.Lines) {
	if len(entry) > 0 {
		c.entries = append(c.entries, entry)
	}
}

// named are the lines with so many entries named, and the others counted.
func (c clientLines) named(entries int) terminal.Lines {
	entries = min(entries, len(c.entries))
	lines := slices.Concat(c.head, slices.Concat(c.entries[:entries]...))
	if more := len(c.entries) - entries; more > 0 {
		lines = append(lines, fmt.Sprintf("            and %d more: %s\n", more, wholeStatus))
	}
	return lines
}

// fitted are the lines about all clients with as many entries of each named as fit into most lines.
func fitted(all []clientLines, most int) terminal.Lines {
	entries := 0
	for _, c := range all {
		entries = max(entries, len(c.entries))
	}
	for entries = min(entries, most); ; entries-- {
		var lines terminal.Lines
		for _, c := range all {
			lines = append(lines, c.named(entries)...)
		}
		if len(lines) <= most || entries <= 0 {
			return lines
		}
	}
}

// fileState describes a problem with a client's file in a few words.
func fileState(f control.ClientFile) string {
	state := fmt.Sprintf("%d of %d guarded", f.Guarded, f.Total)
	switch {
	case f.State == control.FileDenied:
		state = "the system won't let Sallyport read it"
	case f.State == control.FileUnseen:
		state = "not read yet"
	case f.State != control.FileFound:
		state = "can't be read"
	case f.Total == 0:
		state = "no servers"
	case !f.Watched && f.Guarded > 0:
		state += ", not watched"
	}
	if f.Why != "" {
		state += ": " + terminal.Text(f.Why)
	}
	return state
}

// notGuarded names one unguarded server, the reason, and what to do.
func (p *page) notGuarded(indent string, u control.Unguarded, client string, watched bool) {
	if u.Kind == fileUnread && client == "" {
		return // the line of its file has said so
	}
	words := "not guarded: " + terminal.Entry(u.Name)
	if client != "" {
		words += " (" + terminal.Text(client) + ")"
	}
	words += ": " + terminal.Text(u.Why) + " (" + terminal.Text(u.Code) + ")"
	p.Hang(indent, indent+"  ", words)
	if u.Next != "" && (watched || u.Code != notProtected) { // on a line of its own, because it may be a command to copy
		p.Prose(indent+"  ", terminal.Text(u.Next))
	}
}
