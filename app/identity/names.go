package identity

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"github.com/sallyport/sallyport/app/clientconfig"
	"github.com/sallyport/sallyport/proxy/inspect/legible"
	"github.com/sallyport/sallyport/store"
)

// nameless is the name of a server whose entry has no showable name.
const nameless = "unnamed server"

// PersonName is the whole name of a server for people.
func PersonName(name string) string {
	return cmp.Or(legible.PersonName(name), nameless)
}

// Called are the names under which servers are shown.
type Called map[string]string // by key: the id of the server, "" if several have the key

func CalledOf(servers []store.Server) Called {
	c := Called{}
	for _, s := range servers {
		c.Add(s)
	}
	return c
}

func (c Called) Add(s store.Server) {
	for _, key := range nameKeys(s.Name) {
		if only, known := c[key]; known && only != s.ID {
			c[key] = ""
		} else if !known {
			c[key] = s.ID
		}
	}
}

// nameKeys are equal for names that look alike somewhere: whole, or as they are cut there.
func nameKeys(name string) []string {
	keys := []string{legible.NameKey(name)}
	for i, most := range []int{legible.MaxShownName, legible.MaxNarrowName} {
		if short := legible.ShortName(name, most); short != name {
			keys = append(keys, strconv.Itoa(i)+" "+legible.NameKey(short)) // no key begins with a number and a blank
		}
	}
	return keys
}

// Shown is the name of a server for limited space, with a suffix if a reader could confuse it with another; "" if that is just its name.
// Everything shown to people uses it, or legible.NarrowName of it.
func (c Called) Shown(s store.Server) string {
	if name := c.Always(s); name != s.Name {
		return name
	}
	return ""
}

// Always is Shown, or the name.
func (c Called) Always(s store.Server) string {
	apart := legible.LooksMarked(s.Name)
	for _, key := range nameKeys(s.Name) {
		only, known := c[key]
		apart = apart || known && only != s.ID
	}
	if apart {
		return Marked(s)
	}
	return ShortName(s)
}

// ShortName is a name for a sentence of ours.
func ShortName(s store.Server) string { return legible.ShortName(s.Name, legible.MaxShownName) }

// Marked is a name with the beginning of its identity's hash.
func Marked(s store.Server) string {
	return legible.MarkedName(ShortName(s), s.ID)
}

// GoesBy reports whether a person who wrote name on a command line means this server: by its whole name, as in the client's file, or as
// shown.
func GoesBy(s store.Server, name string) bool {
	return slices.Contains([]string{s.Name, ShortName(s), Marked(s)}, name) || name != "" && legible.PersonName(name) == s.Name
}

// ToldName is the name of a server for the client of its wrapper.
func ToldName(name string, server store.Server) string { return legible.ToldName(name, server.Number) }

// Retitled updates a stored title with the name as it is shown now: names change after a title is stored, and an older version stored a
// number for a name in another script. A title that does not begin with a name of its server stays as it is.
func Retitled(title string, s store.Server, shown string) string {
	shown = cmp.Or(shown, ShortName(s))
	number := strconv.Itoa(s.Number)
	for _, name := range append([]string{s.Name, "server-" + number, "server " + number}, s.Names...) {
		for _, as := range []string{legible.ShortName(name, legible.MaxShownName), name} {
			if rest, ok := strings.CutPrefix(title, as); ok && as != "" && (strings.HasPrefix(rest, " ") || strings.HasPrefix(rest, ":")) {
				return shown + rest
			}
		}
	}
	return title
}

// Client describes how one client picks up approvals. docs/clients.md says what was measured.
type Client struct {
	Title string // as people know it
	Next  string // what makes it list again after an approval; "" means a restart
	Own   bool   // it does that by itself, so the person need not do anything
}

// ownNames are the names under which clients introduce themselves (initialize), with their values of --client.
var ownNames = map[string]string{
	"claude-ai":             clientconfig.ClaudeDesktop,
	"gemini-cli-mcp-client": clientconfig.GeminiCLI,
	"codex-mcp-client":      "codex",
	"cursor-vscode":         clientconfig.Cursor,
	"Visual Studio Code":    clientconfig.VSCode,
}

// ClientOf describes a client, by the value of --client or by its own name; for an unknown one, a restart always helps.
func ClientOf(client string) Client {
	row, known := clientconfig.RowOf(cmp.Or(ownNames[client], client))
	way := Client{Title: row.Title, Next: row.Listing.Next, Own: row.Listing.Own}
	if !known {
		way.Title = legible.Name(client, "the client")
	}
	way.Next = cmp.Or(way.Next, "restart "+way.Title)
	return way
}

// ClientTitle is the name people know a client by.
func ClientTitle(client string) string { return ClientOf(client).Title }
