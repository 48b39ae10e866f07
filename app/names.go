package app

import (
	"slices"

	"github.com/sallyport/sallyport/proxy/inspect"
	"github.com/sallyport/sallyport/store"
)

// nameless is what a server is called whose entry has no name that could be shown.
const nameless = "unnamed server"

// personName is what a server is called, whole.
func personName(name string) string {
	if clean := inspect.PersonName(name); clean != "" {
		return clean
	}
	return nameless
}

// called are the names under which servers are shown.
type called map[string]string // by key, the id of the one server, "" where several have it

func calledOf(servers []store.Server) called {
	c := called{}
	for _, s := range servers {
		c.add(s)
	}
	return c
}

func (c called) add(s store.Server) {
	key := inspect.NameKey(s.Name)
	if _, known := c[key]; known {
		c[key] = ""
		return
	}
	c[key] = s.ID
}

// shown is the name of a server where there is no room for the whole of it, and with what tells it apart where a reader could take it for
// another's; "" where that is its name.
func (c called) shown(s store.Server) string {
	name := shortName(s)
	if only, known := c[inspect.NameKey(s.Name)]; known && only != s.ID {
		name = marked(s)
	}
	if name == s.Name {
		return ""
	}
	return name
}

// shownBy is shown by id, "" for a server that is not among them.
func (c called) shownBy(servers []store.Server, id string) string {
	for _, s := range servers {
		if s.ID == id {
			return c.shown(s)
		}
	}
	return ""
}

// shortName is a name within a sentence of ours.
func shortName(s store.Server) string { return inspect.ShortName(s.Name, inspect.MaxShownName) }

// marked is a name with the first of its identity's hash.
func marked(s store.Server) string {
	return shortName(s) + " ·" + clip(s.ID, 4)
}

// goesBy says whether a person who wrote name on a command line means this server: by its whole name, also as the client's file spells it,
// or as it is shown.
func goesBy(s store.Server, name string) bool {
	return slices.Contains([]string{s.Name, shortName(s), marked(s)}, name) || name != "" && inspect.PersonName(name) == s.Name
}

// toldName is what the client of a server's wrapper is told.
func toldName(name string, server store.Server) string { return inspect.ToldName(name, server.Number) }
