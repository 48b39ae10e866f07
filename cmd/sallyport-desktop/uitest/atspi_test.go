//go:build ui

package uitest

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/godbus/dbus/v5"
)

// role is what a thing on the screen is, by AT-SPI's numbers.
type role uint32

const (
	anything  role = 0
	alert     role = 2 // an alertdialog too
	checkBox  role = 7
	dialog    role = 16
	frame     role = 23
	list      role = 31
	listItem  role = 32
	tab       role = 37
	button    role = 43
	radio     role = 44
	statusBar role = 54
	toggle    role = 62
	paragraph role = 73
	entry     role = 79
	heading   role = 83
	link      role = 88
	document  role = 95
)

var roleNames = map[role]string{
	anything: "anything", alert: "alert", checkBox: "check box", dialog: "dialog", frame: "frame", list: "list", listItem: "list item",
	tab: "tab", button: "button", radio: "radio", statusBar: "status", toggle: "toggle", paragraph: "paragraph",
	entry: "entry", heading: "heading", link: "link", document: "document",
}

func (r role) String() string {
	if name, ok := roleNames[r]; ok {
		return name
	}
	return fmt.Sprintf("role %d", uint32(r))
}

// States of AT-SPI that stories ask for, by their bit.
const (
	stateFocused   = 12
	stateSensitive = 24
)

const accessible = "org.a11y.atspi.Accessible"

// node is one thing on the accessibility bus.
type node struct {
	bus  *dbus.Conn
	name string // of the program, on that bus
	path dbus.ObjectPath
}

func (n node) object() dbus.BusObject { return n.bus.Object(n.name, n.path) }

func (n node) call(method string, into any, args ...any) error {
	return n.object().Call("org.a11y.atspi."+method, 0, args...).Store(into)
}

func (n node) get(property string) any {
	value, err := n.object().GetProperty(accessible + "." + property)
	if err != nil {
		return nil
	}
	return value.Value()
}

// kids asks for each child by its number: GetChildren leaves out the socket in which the whole page sits.
func (n node) kids() []node {
	count, _ := n.get("ChildCount").(int32)
	kids := make([]node, 0, count)
	for i := range count {
		var ref struct {
			Name string
			Path dbus.ObjectPath
		}
		if n.call("Accessible.GetChildAtIndex", &ref, i) == nil && ref.Path != "/org/a11y/atspi/null" {
			kids = append(kids, node{n.bus, ref.Name, ref.Path})
		}
	}
	return kids
}

func (n node) label() string {
	name, _ := n.get("Name").(string)
	return name
}

func (n node) role() role {
	var r uint32
	if n.call("Accessible.GetRole", &r) != nil {
		return anything
	}
	return role(r)
}

// text is what the thing says itself, without what its children say.
func (n node) text() string {
	var faces []string
	var text string
	// Asked what has no text, the toolkit complains on the program's output.
	if n.call("Accessible.GetInterfaces", &faces) != nil || !slices.Contains(faces, "org.a11y.atspi.Text") {
		return ""
	}
	if n.call("Text.GetText", &text, int32(0), int32(-1)) != nil {
		return ""
	}
	return strings.ReplaceAll(text, "\ufffc", "")
}

func (n node) id() string {
	var attributes map[string]string
	if n.call("Accessible.GetAttributes", &attributes) != nil {
		return ""
	}
	return attributes["id"]
}

func (n node) is(state int) bool {
	var bits []uint32
	if n.call("Accessible.GetState", &bits) != nil || len(bits) <= state/32 {
		return false
	}
	return bits[state/32]&(1<<(state%32)) != 0
}

// press is what a screen reader's "activate" does. A button that is disabled refuses.
func (n node) press() error {
	var done bool
	if err := n.call("Action.DoAction", &done, int32(0)); err != nil || !done {
		return fmt.Errorf("%q cannot be pressed (%v)", n.label(), err)
	}
	return nil
}

func (n node) focus() error {
	var done bool
	if err := n.call("Component.GrabFocus", &done); err != nil || !done {
		return fmt.Errorf("%q cannot be focused (%v)", n.label(), err)
	}
	return nil
}

// walk visits a tree, parents first, until visit says stop.
func (n node) walk(visit func(node, role) (stop bool)) bool {
	if visit(n, n.role()) {
		return true
	}
	return slices.ContainsFunc(n.kids(), func(kid node) bool { return kid.walk(visit) })
}

// keys of X, for keyboard.
const (
	keyEnter  = 0xff0d
	keyEscape = 0xff1b
	keyTab    = 0xff09
	keySpace  = 0x20
)

// key presses and releases one key, wherever the focus is.
func (d *desk) key(symbol int32) {
	d.t.Helper()
	d.keyboard(symbol, "", 3)
}

// keyboard is the registry's: kind 3 is a symbol, 4 a text.
func (d *desk) keyboard(symbol int32, text string, kind uint32) {
	d.t.Helper()
	err := d.a11y.Object("org.a11y.atspi.Registry", "/org/a11y/atspi/registry/deviceeventcontroller").Call(
		"org.a11y.atspi.DeviceEventController.GenerateKeyboardEvent", 0, symbol, text, kind).Err
	if err != nil {
		d.t.Fatalf("keyboard: %v", err)
	}
}

// root is the program as the accessibility bus has it, found by the number of its process.
func (a *app) root() (node, bool) {
	registry := node{a.a11y, "org.a11y.atspi.Registry", "/org/a11y/atspi/accessible/root"}
	for _, program := range registry.kids() {
		var pid uint32
		if a.a11y.BusObject().Call("org.freedesktop.DBus.GetConnectionUnixProcessID", 0, program.name).Store(&pid) == nil &&
			int(pid) == a.pid() {
			return program, true
		}
	}
	return node{}, false
}

// look is the first thing of this role whose name holds part, if it is there now. Names are compared as a person hears
// them: without regard to the case.
func (a *app) look(r role, part string) (found node, ok bool) {
	root, there := a.root()
	if !there {
		return node{}, false
	}
	part = strings.ToLower(part)
	root.walk(func(n node, is role) bool {
		if r != anything && is != r {
			return false
		}
		if !strings.Contains(strings.ToLower(n.label()), part) {
			return false
		}
		found, ok = n, true
		return true
	})
	return found, ok
}

// find waits for a thing of this role whose name holds part.
func (a *app) find(r role, part string) node {
	a.t.Helper()
	var found node
	a.until(fmt.Sprintf("a %s named %q", r, part), func() (ok bool) {
		found, ok = a.look(r, part)
		return ok
	})
	return found
}

// press waits for a thing that can be pressed and presses it. What is disabled for a moment is waited for.
func (a *app) press(r role, part string) {
	a.t.Helper()
	var last error
	a.until(fmt.Sprintf("a %s named %q that can be pressed", r, part), func() bool {
		n, ok := a.look(r, part)
		if !ok {
			return false
		}
		last = n.press()
		return last == nil
	})
}

// insist presses a button until what it would do is asked about. Where a warning was not on the screen yet, a press brings it
// there and does nothing else.
func (a *app) insist(part string) {
	a.t.Helper()
	a.until(fmt.Sprintf("a question before %q", part), func() bool {
		if _, asked := a.look(alert, ""); asked {
			return true
		}
		if n, ok := a.look(button, part); ok {
			_ = n.press() // refused while it is disabled
		}
		return false
	})
}

// gone waits until no such thing is there.
func (a *app) gone(r role, part string) {
	a.t.Helper()
	a.until(fmt.Sprintf("no %s named %q", r, part), func() bool {
		_, ok := a.look(r, part)
		return !ok
	})
}

// fill focuses the one entry and types into it.
func (a *app) fill(part, text string) {
	a.t.Helper()
	field := a.find(entry, part)
	a.until("the field "+part+" has the focus", func() bool { return field.focus() == nil && field.is(stateFocused) })
	a.keyboard(0, text, 4)
}

// reads is all that the page says, a line for each thing that says something.
func (a *app) reads() string {
	root, ok := a.root()
	if !ok {
		return ""
	}
	var lines []string
	root.walk(func(n node, is role) bool {
		if is == frame || is == document {
			return false
		}
		name, text := n.label(), n.text()
		switch {
		case text == "" || strings.Contains(name, text):
			text = name
		case name != "" && !strings.Contains(text, name):
			text = name + ": " + text
		}
		if text = strings.TrimSpace(text); text != "" {
			lines = append(lines, text)
		}
		return false
	})
	return strings.Join(lines, "\n")
}

// says waits until the page says all of these.
func (a *app) says(parts ...string) {
	a.t.Helper()
	var page string
	a.until(fmt.Sprintf("the page says %q", parts), func() bool {
		page = strings.ToLower(a.reads())
		return !slices.ContainsFunc(parts, func(part string) bool { return !strings.Contains(page, strings.ToLower(part)) })
	})
}

// until waits for something of the program, and shows what was on its page if it does not come.
func (a *app) until(what string, is func() bool) {
	a.t.Helper()
	for deadline := time.Now().Add(patience); ; time.Sleep(25 * time.Millisecond) {
		if is() {
			return
		}
		select {
		case <-a.ended:
			a.t.Fatalf("the program ended before there was %s: %s", what, a.said)
		default:
		}
		if time.Now().After(deadline) {
			a.shoot()
			a.t.Fatalf("not within %s: %s. The page:\n%s", patience, what, a.outline())
		}
	}
}

// outline is the page as the bus has it, for the message of a failed test.
func (a *app) outline() string {
	root, ok := a.root()
	if !ok {
		return "(the program is not on the accessibility bus)"
	}
	var out strings.Builder
	var down func(n node, depth int)
	down = func(n node, depth int) {
		is := n.role()
		text := n.text()
		if name, id := n.label(), n.id(); name != "" || id != "" || text != "" {
			fmt.Fprintf(&out, "%s%s %q", strings.Repeat(" ", depth), is, name)
			if id != "" {
				fmt.Fprintf(&out, " #%s", id)
			}
			if text != "" && text != name {
				fmt.Fprintf(&out, " says %q", text)
			}
			if is == button && !n.is(stateSensitive) {
				out.WriteString(" (disabled)")
			}
			if n.is(stateFocused) {
				out.WriteString(" (focused)")
			}
			out.WriteByte('\n')
		}
		for _, kid := range n.kids() {
			down(kid, depth+1)
		}
	}
	down(root, 0)
	active, err := a.tool("xdotool", "getwindowfocus", "getwindowname")
	if err != nil {
		active = err.Error()
	}
	fmt.Fprintf(&out, "The window with the focus: %s\n", active)
	return out.String()
}
