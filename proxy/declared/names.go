package declared

import (
	"maps"
	"slices"

	"github.com/sallyport/sallyport/proxy/frame"
	"github.com/sallyport/sallyport/proxy/pin"
	"github.com/sallyport/sallyport/proxy/sanitize"
)

// Named is a tool or a prompt under its two names. The server's name counts wherever we decide or record; the delivered name is the one
// that the client knows (setting sanitizer.profile). Both are the same for nearly every item.
type Named struct {
	Name      string // the server's
	Key       string // pin key
	Delivered string // "" if no name is free: it is not listed, and can be called by the server's name
	Alias     bool   // found by a name that is not the server's
}

// maxMeanings limits what is remembered of delivered names. Beyond it, an item is delivered only under the server's name.
const maxMeanings = 4 * pin.MaxItems

// naming gives delivered names and remembers, for the session, what each of them has meant: a client may call a name from an old listing,
// and must never reach another item by it. Names are kept as pin keys, because a prompt may be called like a tool.
type naming struct {
	reserved []string
	own      map[string]bool   // items that were delivered under the server's name
	aliases  map[string]string // any other delivered name, and the item that it means
}

func newNaming(reserved []string) *naming {
	return &naming{reserved: reserved, own: map[string]bool{}, aliases: map[string]string{}}
}

// foreign reports whether a name has meant an item other than this one.
func (n *naming) foreign(name, item string) bool {
	if meant, known := n.aliases[name]; known {
		return meant != item
	}
	return name != item && n.own[name]
}

func (n *naming) full() bool { return len(n.own)+len(n.aliases) >= maxMeanings }

// apply gives every declared item of a view its delivered name, and fills in the names that can be called.
func (n *naming) apply(v *View) {
	if v.Seen == nil {
		return
	}
	v.delivered = n.deliver(v)
	for key := range v.Served {
		if !isNamed(kindOf(key)) {
			continue
		}
		switch name, renamed := v.delivered[key]; {
		case !renamed:
			if !n.full() {
				n.own[key] = true
			}
		case name != "":
			n.aliases[pin.Key(kindOf(key), name)] = key
		}
	}
	v.aliases = maps.Clone(n.aliases)
	for key, name := range v.delivered {
		if name != "" {
			v.aliases[pin.Key(kindOf(key), name)] = key
		}
	}
	v.callable()
}

// deliver returns the delivered names that differ from the server's, by pin key.
//
// A name that is changed must not be, nearly, a name that the server uses itself, one of our own tools', or what another name became. It
// then ends in a hash. So does an unchanged name that meant another item earlier in this session.
func (n *naming) deliver(v *View) map[string]string {
	var changed []string
	base := map[string]string{}
	uses := map[string]int{} // by folded name, how many items would have it
	count := func(kind pin.Kind, name string) string {
		folded := pin.Key(kind, frame.FoldedKey([]byte(name)))
		uses[folded]++
		return folded
	}
	for key := range v.Seen.every() {
		kind, own := kindOf(key), nameOf(key)
		if !isNamed(kind) {
			continue
		}
		name := sanitize.Name(own, v.Policy.Sanitizer)
		if name != own || n.foreign(key, key) {
			changed = append(changed, key)
			base[key] = name
		}
	}
	if len(changed) == 0 {
		return nil
	}
	slices.Sort(changed)
	for key := range v.Seen.every() {
		if isNamed(kindOf(key)) {
			count(kindOf(key), nameOf(key))
		}
	}
	for _, name := range n.reserved {
		count(pin.Tool, name)
	}
	for _, key := range changed {
		if base[key] != nameOf(key) {
			count(kindOf(key), base[key])
		}
	}
	delivered := map[string]string{}
	for _, key := range changed {
		kind, own := kindOf(key), nameOf(key)
		name := base[key]
		if name == "" || name == own || uses[pin.Key(kind, frame.FoldedKey([]byte(name)))] > 1 || n.foreign(pin.Key(kind, name), key) {
			if name = sanitize.Apart(own, v.Policy.Sanitizer); uses[count(kind, name)] > 1 || n.foreign(pin.Key(kind, name), key) {
				name = ""
			}
		}
		if _, known := n.aliases[pin.Key(kind, name)]; !known && n.full() {
			name = ""
		}
		delivered[key] = name
	}
	return delivered
}

// every visits the pin keys of all declared items, also of those that are never served.
func (o *Observation) every() func(yield func(string) bool) {
	return func(yield func(string) bool) {
		for key := range o.digests {
			if !yield(key) {
				return
			}
		}
		for key := range o.withheld {
			if _, both := o.digests[key]; !both && !yield(key) {
				return
			}
		}
	}
}

// callable fills in the tools and prompts that a call can name.
func (v *View) callable() {
	for key := range v.Served {
		if into := v.byName(kindOf(key)); into != nil {
			named := v.named(key)
			if meant, known := v.aliases[key]; known && meant != key {
				continue // the client may mean the other one
			}
			into[named.Name] = named
		}
	}
	for name, key := range v.aliases {
		if into := v.byName(kindOf(key)); into != nil && v.Served[key] && !v.Seen.declares(name) {
			named := v.named(key)
			named.Alias = true
			into[nameOf(name)] = named
		}
	}
}

// byName are the callable items of a kind; nil for a kind whose items have no names.
func (v *View) byName(kind pin.Kind) map[string]Named {
	switch kind {
	case pin.Tool:
		return v.tools
	case pin.Prompt:
		return v.prompts
	case pin.Instructions, pin.ResourceTemplate, pin.Resource, pin.Skill, pin.Launch:
	}
	return nil
}

func (v *View) named(key string) Named {
	n := Named{Name: nameOf(key), Key: key}
	n.Delivered = n.Name
	if name, renamed := v.delivered[key]; renamed {
		n.Delivered = name
	}
	return n
}

// Tool finds a served tool by its unescaped name.
func (v *View) Tool(name []byte) (Named, bool) {
	t, served := v.tools[string(name)]
	return t, served
}

// Means finds the item that a client means by a name, declared or not. Not clear: the name now belongs to another item than the one that
// it has meant in this session.
func (v *View) Means(kind pin.Kind, name string) (n Named, clear bool) {
	if n, served := v.byName(kind)[name]; served {
		return n, true
	}
	key := pin.Key(kind, name)
	meant, known := v.aliases[key]
	switch {
	case !known || meant == key:
		return v.named(key), true
	case v.Seen.declares(key):
		return v.named(key), false
	}
	n = v.named(meant)
	n.Alias = true
	return n, true
}

// Delivered is the name under which an item is listed; false if it is not.
func (v *View) Delivered(kind pin.Kind, name string) (string, bool) {
	if delivered, renamed := v.delivered[pin.Key(kind, name)]; renamed {
		return delivered, delivered != ""
	}
	return name, true
}

// isNamed reports whether a client calls items of a kind by their names.
func isNamed(kind pin.Kind) bool { return kind == pin.Tool || kind == pin.Prompt }

// kindOf and nameOf are the two parts of a pin key.
func kindOf(key string) pin.Kind {
	for _, l := range lists {
		if HasKind(key, l.Kind) {
			return l.Kind
		}
	}
	return pin.Kind(key)
}

func nameOf(key string) string {
	if kind := kindOf(key); string(kind) != key {
		return key[len(kind)+1:]
	}
	return ""
}
