package clientconfig

import (
	"fmt"
	"slices"
	"strings"
)

// Event is what happened to a protected file.
type Event string

const (
	NewEntry     Event = "new_entry"     // an entry that is not wanted
	ChangedEntry Event = "changed_entry" // command, args, URL or the names in env differ
	LostWrapper  Event = "lost_wrapper"  // it was guarded and now starts its server directly
	FalseWrapper Event = "false_wrapper" // it only looks wrapped, or its env moves our home or our screen
	WipedServers Event = "wiped_servers" // none of the wanted entries is left
	RemovedEntry Event = "removed_entry" // one is gone, others remain: the person removed it
)

type Change struct {
	Event  Event
	Name   string   // "" for WipedServers
	Names  []string // for WipedServers: what is gone
	Class  Class    // what the entry is now
	Fields []string // which of command, args, url, env, form differ
}

func (c Change) String() string {
	if c.Event == WipedServers {
		return fmt.Sprintf("%s: %d entries", c.Event, len(c.Names))
	}
	return strings.TrimSpace(fmt.Sprintf("%s %q %s", c.Event, c.Name, strings.Join(c.Fields, ", ")))
}

func (c Change) GoString() string { return c.String() }

// Compare lists what differs between the current file and what the person decided.
func Compare(wanted Snapshot, now *File, by Installation, records []Record) []Change {
	here := now.Snapshot(by, records)
	var changes []Change
	for i, k := range here.Entries {
		c, differs := compareEntry(wanted, k, Classify(now.Entries[i], by, FindRecord(records, k.Name)), by)
		if differs {
			changes = append(changes, c)
		}
	}
	var gone []string
	guarded := false
	for _, k := range wanted.Entries {
		if _, ok := here.Entry(k.Name); !ok {
			gone = append(gone, k.Name)
			guarded = guarded || k.Guarded
		}
	}
	// A client that forgets its servers leaves none. One entry that gives way to others is a person renaming it.
	wiped := guarded && len(gone) == len(wanted.Entries) && (len(here.Entries) == 0 || len(gone) > 1)
	if wiped {
		return append(changes, Change{Event: WipedServers, Names: gone})
	}
	for _, name := range gone {
		changes = append(changes, Change{Event: RemovedEntry, Name: name})
	}
	return changes
}

func compareEntry(wanted Snapshot, k Kept, class Class, by Installation) (Change, bool) {
	c := Change{Name: k.Name, Class: class}
	w, known := wanted.Entry(k.Name)
	if known {
		c.Fields = fields(w, k)
	}
	switch {
	case known && !w.Guarded && len(c.Fields) == 0:
		return c, false // the person wants it as it is, false wrapper or not
	case class.Kind == LooksWrapped && !(class.Reason == OtherArgs && ownWords(k.Args, by)):
		c.Event = FalseWrapper
	case !known:
		c.Event = NewEntry
	case w.Guarded && class.Kind != Wrapped && class.Kind != LooksWrapped:
		c.Event = LostWrapper
	case len(c.Fields) > 0:
		c.Event = ChangedEntry
	default:
		return c, false
	}
	return c, true
}

// ownWords reports whether arguments are those of a wrapper that Wrap wrote, for any name and command: then the server does run guarded,
// and a person edited its command behind the wrapper.
func ownWords(args []string, by Installation) bool {
	inner, ok := wrapForm(args)
	if address, remote := (Entry{Args: args}).wraps(); !ok && remote {
		name := "--"
		if args[1] == "--name" {
			name = args[2]
		}
		return slices.Equal(args, addressArgs(name, by.Client, address.Flags()))
	}
	if !ok {
		return false
	}
	head := args[:len(args)-1]
	if dashed(args) {
		head = args[:len(args)-len(inner)-1]
	}
	switch len(head) {
	case 4:
		return head[1] == "--name=--" && head[2] == "--client" && head[3] == by.Client
	case 5:
		return head[1] == "--name" && head[3] == "--client" && head[4] == by.Client
	}
	return false
}
