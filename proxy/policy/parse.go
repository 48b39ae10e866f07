package policy

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
)

// MaxDocument limits a settings file.
const MaxDocument = 1 << 20

const (
	maxDepth   = 16
	maxServers = 2000 // and as many tools: comparing two files walks them all
)

// ParseDocument reads a settings file: one JSON object with dotted keys ("pins.recheck") or nested ones ({"pins": {"recheck": …}}), and
// "servers": {NAME or IDENTITY: {…, "tools": {NAME: {…}}}}. Each error is one line and names its key; everything else is still read. A
// duplicate key is ignored. The caller compares the result with what was in force (Diff, Strictest), so unreadable values never loosen
// anything.
func ParseDocument(raw []byte) (Document, []error) {
	d := Document{global: Values{}, servers: map[string]override{}, unknown: map[string]any{}}
	if len(raw) > MaxDocument {
		return d, []error{fmt.Errorf("settings: larger than %s", formatBytes(MaxDocument))}
	}
	if len(bytes.TrimSpace(raw)) == 0 {
		return d, nil
	}
	r := reader{decoder: json.NewDecoder(bytes.NewReader(raw))}
	r.decoder.UseNumber()
	top, err := r.value(0)
	if err == nil {
		if _, more := r.decoder.Token(); !errors.Is(more, io.EOF) {
			err = errors.New("there is something after its end")
		}
	}
	if err != nil {
		line, column := position(raw, r.decoder.InputOffset())
		return d, []error{fmt.Errorf("settings: not valid JSON at line %d, column %d: %w", line, column, err)}
	}
	root, ok := top.(object)
	if !ok {
		return d, []error{errors.New("settings: not a JSON object")}
	}
	d.global, d.unknown = r.values(root, "", Global, []string{"servers", "$schema"})
	if schema, ok := root.members["$schema"]; ok {
		d.unknown["$schema"] = plain(schema)
	}
	if servers, ok := r.object(root, "servers", "servers"); ok {
		for _, name := range sorted(servers.members) {
			if name == "" { // "" means a place without a server
				r.complain("servers: one has no name")
				continue
			}
			if len(d.servers) == maxServers {
				r.complain("servers: more than %d; the rest is ignored", maxServers)
				break
			}
			d.servers[name] = r.server(servers, name)
		}
	}
	for _, name := range sorted(d.servers) {
		r.names(d, name)
	}
	return d, r.errs
}

func (r *reader) server(servers object, name string) override {
	at := "servers." + quoted(name)
	over := override{values: Values{}, tools: map[string]Values{}, unknown: map[string]any{}}
	members, ok := r.object(servers, name, at)
	if !ok {
		return over
	}
	over.values, over.unknown = r.values(members, at, Server, []string{"tools"})
	if tools, ok := r.object(members, "tools", at+".tools"); ok {
		for _, tool := range sorted(tools.members) {
			if tool == "" {
				r.complain("%s.tools: one has no name", at)
				continue
			}
			if r.tools++; r.tools > maxServers {
				r.complain("%s.tools: more than %d tools in total; the rest is ignored", at, maxServers)
				break
			}
			place := at + ".tools." + quoted(tool)
			if values, ok := r.object(tools, tool, place); ok {
				over.tools[tool], _ = r.values(values, place, Tool, nil)
			}
		}
	}
	return over
}

// names reports values under a display name that have no effect.
func (r *reader) names(d Document, name string) {
	if exact(name) {
		return
	}
	at := "servers." + quoted(name)
	r.loosening(at, d.Effective("", ""), d.servers[name].values)
	for _, tool := range sorted(d.servers[name].tools) {
		r.loosening(at+".tools."+quoted(tool), d.Effective("", name), d.servers[name].tools[tool])
	}
}

func (r *reader) loosening(at string, wider, own Values) {
	for _, key := range sorted(own) {
		if s, ok := Lookup(key); ok && s.Loosens(wider[key], own[key]) {
			r.complain("%s: %w", at, errNameLoosens(key))
		}
	}
}

// object is a JSON object with the keys that occur more than once.
type object struct {
	members map[string]any
	twice   map[string]bool
}

type reader struct {
	decoder *json.Decoder
	errs    []error
	tools   int // tools read so far, over all servers
}

func (r *reader) complain(format string, args ...any) {
	// A file of a megabyte can hold a hundred thousand mistakes; the first ones are enough.
	if len(r.errs) < 100 {
		r.errs = append(r.errs, fmt.Errorf(format, args...))
	}
}

func (r *reader) value(depth int) (any, error) {
	if depth > maxDepth {
		return nil, errors.New("nested too deep")
	}
	token, err := r.decoder.Token()
	if err != nil {
		return nil, err
	}
	switch token {
	case json.Delim('{'):
		o := object{members: map[string]any{}, twice: map[string]bool{}}
		for r.decoder.More() {
			name, err := r.decoder.Token()
			if err != nil {
				return nil, err
			}
			key, _ := name.(string)
			value, err := r.value(depth + 1)
			if err != nil {
				return nil, err
			}
			if _, ok := o.members[key]; ok {
				o.twice[key] = true
			}
			o.members[key] = value
		}
		_, err := r.decoder.Token()
		return o, err
	case json.Delim('['):
		list := []any{}
		for r.decoder.More() {
			value, err := r.value(depth + 1)
			if err != nil {
				return nil, err
			}
			list = append(list, value)
		}
		_, err := r.decoder.Token()
		return list, err
	}
	return token, nil
}

// object reads a member that must be an object, if present.
func (r *reader) object(o object, name, at string) (object, bool) {
	value, ok := o.members[name]
	if !ok {
		return object{}, false
	}
	if o.twice[name] {
		r.complain("%s: given twice", at)
		return object{}, false
	}
	members, ok := value.(object)
	if !ok {
		r.complain("%s: must be an object", at)
	}
	return members, ok
}

// values reads the settings of one place. Nested groups and dotted keys mean the same; a key given both ways counts as a duplicate.
func (r *reader) values(o object, at string, scope Scope, besides []string) (values Values, unknown map[string]any) {
	values, unknown = Values{}, map[string]any{}
	given := map[string][]any{}
	var collect func(o object, prefix string)
	collect = func(o object, prefix string) {
		for _, name := range sorted(o.members) {
			key := prefix + name
			value := o.members[name]
			if prefix == "" && slices.Contains(besides, name) {
				continue
			}
			if o.twice[name] {
				r.complain("%s: given twice", path(at, key))
				continue
			}
			if group, ok := value.(object); ok && isGroup(key) {
				collect(group, key+".")
				continue
			}
			if _, ok := Lookup(key); !ok {
				r.complain("%s: %w", whole(at), unknownKey(key))
				unknown[key] = plain(value)
				continue
			}
			given[key] = append(given[key], value)
		}
	}
	collect(o, "")
	for _, key := range sorted(given) {
		s, _ := Lookup(key)
		if len(given[key]) > 1 {
			r.complain("%s: given twice", path(at, key))
			continue
		}
		if err := s.placed(scope >= Server, scope >= Tool); err != nil {
			r.complain("%s: %w", whole(at), err)
			continue
		}
		text, ok := scalar(given[key][0])
		if l, lists := s.kind.(lister); lists && !ok {
			if items, all := words(given[key][0]); all {
				text, ok = l.list(items), true
			}
		}
		if !ok {
			r.complain("%s: must be a word, a number, true or false", path(at, key))
			continue
		}
		canonical, err := s.Parse(text)
		if err != nil {
			r.complain("%s: %w", whole(at), err)
			continue
		}
		values[key] = canonical
	}
	return values, unknown
}

func isGroup(key string) bool {
	for _, s := range table {
		if strings.HasPrefix(s.Key, key+".") {
			return true
		}
	}
	return false
}

// words are the items of a list that holds nothing but strings.
func words(value any) (items []string, all bool) {
	list, all := value.([]any)
	for _, one := range list {
		word, is := one.(string)
		items, all = append(items, word), all && is
	}
	return items, all
}

func scalar(value any) (string, bool) {
	switch v := value.(type) {
	case string:
		return v, true
	case json.Number:
		return v.String(), true
	case bool:
		return fmt.Sprint(v), true
	}
	return "", false
}

// plain converts a value to what encoding/json writes.
func plain(value any) any {
	switch v := value.(type) {
	case object:
		m := make(map[string]any, len(v.members))
		for name, member := range v.members {
			m[name] = plain(member)
		}
		return m
	case []any:
		list := make([]any, len(v))
		for i := range v {
			list[i] = plain(v[i])
		}
		return list
	}
	return value
}

// Marshal writes the document as a settings file: dotted keys, sorted, two spaces of indent. Unknown members are kept. Reading it gives the
// same values in force.
func (d Document) Marshal() []byte {
	root := maps.Clone(d.unknown)
	if root == nil {
		root = map[string]any{}
	}
	for key, value := range d.global {
		root[key] = value
	}
	servers := map[string]any{}
	for name, over := range d.servers {
		member := maps.Clone(over.unknown)
		if member == nil {
			member = map[string]any{}
		}
		for key, value := range over.values {
			member[key] = value
		}
		tools := map[string]any{}
		for tool, values := range over.tools {
			if len(values) > 0 {
				tools[tool] = values
			}
		}
		if len(tools) > 0 {
			member["tools"] = tools
		}
		if len(member) > 0 {
			servers[name] = member
		}
	}
	if len(servers) > 0 {
		root["servers"] = servers
	}
	var out bytes.Buffer
	encoder := json.NewEncoder(&out)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", "  ")
	if err := encoder.Encode(root); err != nil {
		return []byte("{}\n") // can't happen: every member came from JSON or is a string
	}
	return out.Bytes()
}

func (s Setting) placed(server, tool bool) error {
	switch {
	case tool && s.Scope < Tool:
		return fmt.Errorf("%s: can't be set for a tool", s.Key)
	case server && s.Scope < Server:
		return fmt.Errorf("%s: can't be set for a server", s.Key)
	}
	return nil
}

func errNameLoosens(key string) error {
	return fmt.Errorf("%s: under a name, a setting can only be stricter, because another server may take the name; use `sallyport settings set --server`", key)
}

func unknownKey(key string) error {
	return fmt.Errorf("%s: no such setting; run `sallyport settings list` to see them", quoted(key))
}

// quoted is a name from a file, short and on one line.
func quoted(name string) string {
	if len(name) <= 64 && name != "" && strings.Trim(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-") == "" {
		return name
	}
	return fmt.Sprintf("%.64q", name)
}

func whole(at string) string {
	if at == "" {
		return "settings"
	}
	return at
}

func path(at, key string) string {
	if at == "" {
		return "settings: " + quoted(key)
	}
	return at + ": " + quoted(key)
}

func sorted[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }

func position(raw []byte, offset int64) (line, column int) {
	before := raw[:min(int64(len(raw)), max(0, offset))]
	return bytes.Count(before, []byte("\n")) + 1, len(before) - bytes.LastIndexByte(before, '\n')
}
