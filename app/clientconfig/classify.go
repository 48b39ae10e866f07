package clientconfig

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// Installation is the Sallyport that edits: the absolute, stable path of its command, and the client whose file it is.
type Installation struct {
	Path   string
	Client string // the value of --client

	Plaintext bool // servers on other computers may be reached over http (setting remote.plaintext)
}

// Kind is what an entry is.
type Kind string

const (
	Plain        Kind = "plain"         // starts its server directly
	Wrapped      Kind = "wrapped"       // starts it through this installation, as our record would write it
	LooksWrapped Kind = "looks_wrapped" // only looks wrapped, and must count as not guarded
	Remote       Kind = "remote"        // a URL
	Odd          Kind = "odd"           // cannot be read
)

// Reason is why an entry only looks wrapped.
type Reason string

const (
	OtherCommand Reason = "other_command" // the command is not this installation's file
	MissingFile  Reason = "missing_file"  // the command is a path where nothing is
	OtherArgs    Reason = "other_args"    // the arguments are not what the record would write
	MovedHome    Reason = "moved_home"    // env names a variable that moves our home or our screen
)

// Class says what an entry is. Inner is the command behind the wrapper, if it can be determined.
type Class struct {
	Kind   Kind
	Reason Reason // for LooksWrapped, and for a Plain entry that can't be wrapped
	Why    string // one sentence in our words, with nothing from the file except names of variables; "" without a Reason
	Inner  []string

	Address *Address // of a remote server, behind the wrapper or in the entry; nil for a command
}

// Behind reports whether it is known what the wrapper runs.
func (c Class) Behind() bool { return len(c.Inner) > 0 || c.Address != nil }

// Guardable reports whether an entry that is not wrapped can be.
func (c Class) Guardable() bool {
	return c.Kind == Plain && c.Reason != MovedHome || c.Kind == Remote && c.Why == ""
}

func (c Class) String() string {
	if c.Why == "" {
		return string(c.Kind)
	}
	return string(c.Kind) + ": " + c.Why
}

func (c Class) GoString() string { return c.String() }

// Classify says what an entry is. It counts as a wrapper only if its command is the very file of this installation (os.SameFile, not the
// name), its arguments are those the record would write (without a record: those Wrap would write for this name and client), and its env
// moves neither our home nor our screen.
func Classify(e Entry, by Installation, record *Record) Class {
	switch {
	case e.Odd != "":
		return Class{Kind: Odd, Why: e.Odd}
	case e.URL != "":
		c := Class{Kind: Remote, Why: e.left, Address: &e.address}
		if c.Why == "" && e.clear && !by.Plaintext {
			c.Why = "a remote server on another computer, and http:// sends everything in the clear; use https://, or allow it with the setting remote.plaintext"
		}
		return c
	}
	same, present := sameFile(e.Command, by.Path)
	inner, form := wrapForm(e.Args)
	c := Class{Kind: LooksWrapped, Inner: inner}
	if address, ok := e.wraps(); ok && !form {
		form, c.Address = true, &address
	}
	if !same {
		if !named(e.Command) && !(form && slices.ContainsFunc(e.Args, named)) && (by.Path == "" || e.Command != by.Path) {
			if name := homeMover(e.EnvNames); name != "" {
				return Class{Kind: Plain, Reason: MovedHome, Why: movedHome(name)}
			}
			return Class{Kind: Plain}
		}
		c.Reason, c.Why = OtherCommand, "its command is a different program with Sallyport's name"
		if !present && filepath.IsAbs(e.Command) {
			c.Reason, c.Why = MissingFile, "its command is a Sallyport program that doesn't exist"
		}
		return c
	}
	if name := homeMover(e.EnvNames); name != "" {
		c.Reason, c.Why = MovedHome, movedHome(name)
		return c
	}
	if !form || !c.asWritten(e, by, record) {
		c.Reason, c.Why = OtherArgs, "its arguments are not the ones Sallyport wrote"
		return c
	}
	return Class{Kind: Wrapped, Inner: inner, Address: c.Address}
}

// asWritten reports whether an entry's arguments are those that the record would write, or without one those that Wrap would.
func (c Class) asWritten(e Entry, by Installation, record *Record) bool {
	name, client, argv := e.Server(), by.Client, c.Inner
	if record != nil {
		name, client, argv = record.called(), record.Client, record.Argv
	}
	if c.Address == nil {
		return (record == nil || !record.Remote()) && asWritten(e.Args, name, client, argv)
	}
	flags := c.Address.Flags()
	if record != nil {
		if flags = record.Flags; !record.Remote() || c.Address.URL != record.URL {
			return false
		}
	}
	return slices.Equal(e.Args, addressArgs(name, client, flags))
}

// wrapForm finds the command behind `wrap … --`, or inside `wrap … --argv=JSON`.
func wrapForm(args []string) (inner []string, ok bool) {
	if len(args) == 0 || args[0] != "wrap" {
		return nil, false
	}
	end := slices.Index(args, "--")
	if end < 0 {
		return argvForm(args)
	}
	if end+1 >= len(args) || args[end+1] == "" {
		return nil, false
	}
	return args[end+1:], true
}

func sameFile(command, wrapper string) (same, present bool) {
	if !filepath.IsAbs(command) {
		return false, false // looked up in the client's PATH, or in a folder that we don't know
	}
	a, err := os.Stat(command)
	if err != nil {
		return false, false
	}
	b, err := os.Stat(wrapper)
	return err == nil && os.SameFile(a, b), true
}

// named reports whether a command looks like ours by name.
func named(command string) bool {
	base := command[strings.LastIndexAny(command, `/\`)+1:]
	return strings.HasPrefix(strings.ToLower(base), "sallyport")
}

func movedHome(name string) string {
	if slices.Contains(screenMovers, strings.ToUpper(name)) {
		return "its env sets " + name + ", which changes the screen or session bus for Sallyport's window"
	}
	return "its env sets " + name + ", which moves Sallyport's data folder"
}

// screenMovers decide where a window opens. A hub takes them from the client itself; an entry that sets them aims at another screen.
var screenMovers = []string{"DISPLAY", "WAYLAND_DISPLAY", "XAUTHORITY", "DBUS_SESSION_BUS_ADDRESS"}

// homeMover returns the first variable that would lead a wrapper to another home, and so to another hub, or a hub to another screen. Names
// are compared ignoring case, as Windows does.
func homeMover(names []string) string {
	for _, name := range names {
		upper := strings.ToUpper(name)
		if strings.HasPrefix(upper, "SALLYPORT_") || strings.HasPrefix(upper, "XDG_") || upper == "HOME" || upper == "USERPROFILE" || slices.Contains(screenMovers, upper) {
			return name
		}
	}
	return ""
}
