package main

import (
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

// coverage says how many servers are guarded, in which clients' files, and names each that is not, with the reason.
func (p *page) coverage(c control.Coverage) {
	if c.Total == 0 && len(c.Unguarded) == 0 {
		p.Printf("guarded   no servers found in any client's file\n")
	} else {
		p.Printf("guarded   %d of %d\n", c.Guarded, c.Total)
	}
	const indent = "          "
	left := slices.Clone(c.Unguarded)
	names := map[string]string{}
	for i, f := range c.Clients {
		names[f.Client] = f.Name
		if f.State == control.FileAbsent {
			continue
		}
		p.Prose(indent, terminal.Text(f.Name)+": "+fileState(f))
		p.Prose(indent+"  ", terminal.Text(f.Path))
		if !f.Watched && slices.ContainsFunc(left, func(u control.Unguarded) bool { return u.Client == f.Client && u.Code == notProtected }) {
			command := "sallyport protect"
			if f.Client != clientconfig.ClaudeDesktop {
				command += " --client " + terminal.Text(f.Client)
			}
			p.Printf("%s  to guard them: %s\n", indent, command)
		}
		if slices.ContainsFunc(c.Clients[i+1:], func(next control.ClientFile) bool { return next.Client == f.Client && next.State != control.FileAbsent }) {
			continue // unguarded entries are grouped by client, after its last file
		}
		left = slices.DeleteFunc(left, func(u control.Unguarded) bool {
			if u.Client != f.Client {
				return false
			}
			p.notGuarded(indent+"  ", u, "", f.Watched)
			return true
		})
	}
	for _, u := range left {
		client := names[u.Client]
		if client == "" {
			client = u.Client
		}
		p.notGuarded(indent, u, client, false)
	}
	for _, words := range c.Unseen {
		p.Prose(indent, terminal.Text(words))
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
