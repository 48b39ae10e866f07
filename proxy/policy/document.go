package policy

import (
	"cmp"
	"maps"
	"slices"
	"strings"
)

// Document is a settings file: values set globally, for one server, or for one of its tools. It holds only what somebody set; Effective
// adds the defaults. The zero Document is an empty file.
type Document struct {
	global  Values
	servers map[string]override // by identity, id or display name
	unknown map[string]any      // unknown members, kept when the file is written again
}

type override struct {
	values  Values
	tools   map[string]Values
	unknown map[string]any
}

// exact reports whether a key of "servers" names one server for ever: its id or its identity. A display name does not, because its entry
// may run something else tomorrow, and trust never follows a name. So values under a name can only tighten.
func exact(key string) bool {
	if strings.HasPrefix(key, "stdio:") || strings.HasPrefix(key, "url:") {
		return true
	}
	return len(key) == 64 && strings.Trim(key, "0123456789abcdef") == ""
}

// Subject is what values apply to: everything (the zero Subject), a server, or one of its tools.
type Subject struct {
	IDs  []string // keys of "servers" that name the server exactly: its identity and, weightier, its id
	Name string   // its display name
	Tool string   // the server's name for the tool
}

// Effective returns the values in force for a server. identity is the hub's key for it in "servers" (its id, or its identity if that is
// exact), name its display name; both "" means global.
func (d Document) Effective(identity, name string) Values {
	return d.For(Subject{IDs: []string{identity}, Name: name})
}

// For returns the values in force for a subject: the narrowest value applies. One under an exact key replaces a wider one; one under the
// display name applies only if it is stricter.
func (d Document) For(of Subject) Values {
	values := Defaults()
	apply := func(over Values, widest Scope, onlyTightens bool) {
		for key, value := range over {
			s, ok := Lookup(key)
			if !ok || s.Scope < widest || onlyTightens && s.Loosens(values[key], value) {
				continue
			}
			values[key] = value
		}
	}
	apply(d.global, Global, false)
	for _, id := range of.exact() {
		apply(d.servers[id].values, Server, false)
	}
	for _, id := range of.exact() {
		apply(d.servers[id].tools[of.Tool], Tool, false)
	}
	if of.named() {
		apply(d.servers[of.Name].values, Server, true)
		apply(d.servers[of.Name].tools[of.Tool], Tool, true)
	}
	return values
}

func (s Subject) exact() []string {
	return slices.DeleteFunc(slices.Clone(s.IDs), func(id string) bool { return id == "" || !exact(id) })
}

func (s Subject) named() bool { return s.Name != "" && !exact(s.Name) }

// keys are the members of "servers" that apply to the subject.
func (s Subject) keys() []string {
	keys := s.exact()
	if s.named() {
		keys = append(keys, s.Name)
	}
	return keys
}

// Tools are the tools of a server that have values of their own.
func (d Document) Tools(server Subject) []string {
	tools := map[string]bool{}
	for _, key := range server.keys() {
		for tool, values := range d.servers[key].tools {
			if len(values) > 0 {
				tools[tool] = true
			}
		}
	}
	return sorted(tools)
}

// From says where the value in force for a key comes from: "tool", "server", "settings" or "default".
func (d Document) From(key string, of Subject) string {
	value := d.For(of)[key]
	keys := of.keys()
	if of.Tool != "" && slices.ContainsFunc(keys, func(k string) bool { return holds(d.servers[k].tools[of.Tool], key, value) }) {
		return "tool"
	}
	if slices.ContainsFunc(keys, func(k string) bool { return holds(d.servers[k].values, key, value) }) {
		return "server"
	}
	if _, ok := d.global[key]; ok {
		return "settings"
	}
	return "default"
}

func holds(values Values, key, value string) bool {
	v, ok := values[key]
	return ok && v == value
}

// Set returns a copy with a key set globally (server ""), for a server, or for one of its tools. The value is canonicalised; "" removes the
// key. A key that can't be set at that level is an error.
func (d Document) Set(key, value, server, tool string) (Document, error) {
	s, ok := Lookup(key)
	if !ok {
		return d, unknownKey(key)
	}
	if err := s.placed(server != "", tool != ""); err != nil {
		return d, err
	}
	if value != "" {
		canonical, err := s.Parse(value)
		if err != nil {
			return d, err
		}
		value = canonical
		if server != "" && !exact(server) && s.Loosens(d.Effective("", "")[key], value) {
			return d, errNameLoosens(key)
		}
	}
	d = d.clone()
	values := d.global
	if server != "" {
		over := d.servers[server]
		if over.values == nil {
			over.values = Values{}
		}
		values = over.values
		if tool != "" {
			if over.tools == nil {
				over.tools = map[string]Values{}
			}
			if over.tools[tool] == nil {
				over.tools[tool] = Values{}
			}
			values = over.tools[tool]
		}
		d.servers[server] = over
	}
	if value == "" {
		delete(values, key)
	} else {
		values[key] = value
	}
	return d, nil
}

func (d Document) clone() Document {
	c := Document{global: maps.Clone(d.global), servers: map[string]override{}, unknown: d.unknown}
	if c.global == nil {
		c.global = Values{}
	}
	for name, over := range d.servers {
		tools := map[string]Values{}
		for tool, values := range over.tools {
			tools[tool] = maps.Clone(values)
		}
		c.servers[name] = override{values: maps.Clone(over.values), tools: tools, unknown: over.unknown}
	}
	return c
}

// ChangeOfSetting is one value in force that differs between two documents.
type ChangeOfSetting struct {
	Key    string `json:"key"`
	Server string `json:"server,omitempty"` // the key in "servers"; "" is global
	Tool   string `json:"tool,omitempty"`
	From   string `json:"from"`
	To     string `json:"to"`
}

// place is one level of a document that can hold values, and the subject whose values it decides.
type place struct {
	server, tool string
	of           Subject
}

func (d Document) at(p place) Values { return d.For(p.of) }

// places are all levels that either document names, global first, wider before narrower. A known server that the documents name in more
// than one way has one place for all of them, under its id and after its display name: what no single name shows is seen there.
func places(a, b Document, known []Subject) []place {
	tools := map[string][]string{} // by member of "servers"
	for _, d := range []Document{a, b} {
		for server, over := range d.servers {
			tools[server] = append(tools[server], slices.Collect(maps.Keys(over.tools))...)
		}
	}
	subjects := map[string]Subject{}
	for server := range tools {
		subjects[server] = Subject{IDs: []string{server}, Name: server}
	}
	for _, server := range known {
		named := slices.DeleteFunc(server.keys(), func(key string) bool { _, is := tools[key]; return !is })
		if ids := server.exact(); len(named) > 1 && len(ids) > 0 {
			id := ids[len(ids)-1]
			subjects[id] = server
			for _, key := range named {
				if key == id {
					continue
				}
				tools[id] = append(tools[id], tools[key]...)
				if exact(key) {
					delete(subjects, key) // it names no other server
				}
			}
		}
	}
	list := []place{{}}
	for server, of := range subjects {
		of.Tool = ""
		list = append(list, place{server, "", of})
		slices.Sort(tools[server])
		for _, tool := range slices.Compact(tools[server]) {
			of.Tool = tool
			list = append(list, place{server, tool, of})
		}
	}
	slices.SortFunc(list, func(a, b place) int {
		return cmp.Or(cmp.Compare(len(a.of.keys()), len(b.of.keys())), cmp.Compare(a.server, b.server), cmp.Compare(a.tool, b.tool))
	})
	return list
}

// Diff returns what changes in force from one document to another, each change once, at the widest level. A change that neither tightens
// nor loosens counts as tightened: it needs no decision. known are the servers whose names belong together.
func Diff(from, to Document, known ...Subject) (tightened, loosened []ChangeOfSetting) {
	told := map[ChangeOfSetting]bool{}
	for _, p := range places(from, to, known) {
		before, after := from.at(p), to.at(p)
		for _, s := range table {
			c := ChangeOfSetting{Key: s.Key, Server: p.server, Tool: p.tool, From: before[s.Key], To: after[s.Key]}
			if c.From == c.To || !s.mayStand(p) {
				continue
			}
			if toldWider(told, c, p) {
				continue
			}
			told[c] = true
			if s.Loosens(c.From, c.To) {
				loosened = append(loosened, c)
			} else {
				tightened = append(tightened, c)
			}
		}
	}
	return tightened, loosened
}

// toldWider reports whether a change is told already: for the whole server, for all servers, or under another name of the server.
func toldWider(told map[ChangeOfSetting]bool, c ChangeOfSetting, p place) bool {
	wider := c
	for _, key := range append(p.of.keys(), "") {
		for _, tool := range []string{p.tool, ""} {
			if wider.Server, wider.Tool = key, tool; wider != c && told[wider] {
				return true
			}
		}
	}
	return false
}

func (s Setting) mayStand(p place) bool { return s.placed(p.server != "", p.tool != "") == nil }

// Strictest returns a document with the stricter of both documents' values for every server and tool: it applies while a loosened file
// waits for a person. Between equally safe values the second wins, between rivals the first.
func Strictest(accepted, edited Document, known ...Subject) Document {
	result := Document{global: Values{}, servers: map[string]override{}, unknown: edited.unknown}
	for _, p := range places(accepted, edited, known) {
		a, b := accepted.at(p), edited.at(p)
		wider := result.at(p)
		values := Values{}
		for _, s := range table {
			if !s.mayStand(p) {
				continue
			}
			stricter := Stricter(s.Key, b[s.Key], a[s.Key])
			if s.rival(a[s.Key], b[s.Key]) {
				stricter = a[s.Key]
			}
			if stricter != wider[s.Key] {
				values[s.Key] = stricter
			}
		}
		switch {
		case p.server == "":
			result.global = values
		case p.tool == "":
			result.servers[p.server] = override{values: values, tools: map[string]Values{}, unknown: edited.servers[p.server].unknown}
		default:
			result.servers[p.server].tools[p.tool] = values
		}
	}
	return result
}
