package main

import (
	"fmt"
	"slices"

	"github.com/sallyport/sallyport/app/clientconfig"
	"github.com/sallyport/sallyport/proxy/control"
)

// Problem codes of what is not guarded, as the hub gives them: these two are said of the whole file already.
const (
	notProtected = "SP-210"
	fileUnread   = "file" // a kind
)

// coverage says how many servers run behind the port, in which clients' files, and names each that does not, with why.
func (p *page) coverage(c control.Coverage) {
	if c.Total == 0 && len(c.Unguarded) == 0 {
		p.printf("guarded   no servers found in any client's file\n")
	} else {
		p.printf("guarded   %d of %d\n", c.Guarded, c.Total)
	}
	const indent = "          "
	left := slices.Clone(c.Unguarded)
	names := map[string]string{}
	for i, f := range c.Clients {
		names[f.Client] = f.Name
		if f.State == control.FileAbsent {
			continue
		}
		p.prose(indent, text(f.Name)+": "+fileState(f))
		p.prose(indent+"  ", text(f.Path))
		if !f.Watched && slices.ContainsFunc(left, func(u control.Unguarded) bool { return u.Client == f.Client && u.Code == notProtected }) {
			command := "sallyport protect"
			if f.Client != clientconfig.ClaudeDesktop {
				command += " --client " + text(f.Client)
			}
			p.printf("%s  to guard them: %s\n", indent, command)
		}
		if slices.ContainsFunc(c.Clients[i+1:], func(next control.ClientFile) bool { return next.Client == f.Client && next.State != control.FileAbsent }) {
			continue // what is not guarded is known by its client: all of it behind the last file
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
		p.prose(indent, text(words))
	}
}

// fileState is what is the matter with a client's file, in a few words.
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
		state += ": " + text(f.Why)
	}
	return state
}

// notGuarded names one thing that is not guarded, why, and what to do.
func (p *page) notGuarded(indent string, u control.Unguarded, client string, watched bool) {
	if u.Kind == fileUnread && client == "" {
		return // its file's own line has said so
	}
	words := "not guarded: " + called(u.Name)
	if client != "" {
		words += " (" + text(client) + ")"
	}
	words += ": " + text(u.Why) + " (" + text(u.Code) + ")"
	p.hang(indent, indent+"  ", words)
	if u.Next != "" && (watched || u.Code != notProtected) { // a row of its own: it may be a command to copy
		p.prose(indent+"  ", text(u.Next))
	}
}

// called is the name of an entry, "" where it has none that could be seen.
func called(name string) string {
	if shown := given(name, 60); shown != "" && shown != " " {
		return shown
	}
	return fmt.Sprintf("%q", short(name, 60))
}
