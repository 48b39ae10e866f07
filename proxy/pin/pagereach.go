package pin

import (
	"slices"
	"strings"

	"github.com/sallyport/sallyport/proxy/frame"
	"github.com/sallyport/sallyport/proxy/inspect"
)

// Reach is what a page asks its client for: hosts by what it may do there, permissions, and the domain it wants to run under. A client may
// grant less.
type Reach struct {
	Connect     []string `json:"connect"` // requests
	Load        []string `json:"load"`    // images, scripts, styles, fonts
	Frame       []string `json:"frame"`   // other pages inside it
	Base        []string `json:"base"`    // where its relative links lead
	Permissions []string `json:"permissions"`
	Domain      string   `json:"domain"`
}

// asked is one thing that a page asks for, and where its item says so.
type asked struct{ what, where string }

// reachIn collects a Reach with places.
type reachIn struct {
	connect, load, frame, base, permissions, domain []asked
}

// PageReach is what the page of an item asks for, nil for anything else.
func PageReach(raw []byte) *Reach {
	p, ok := ReadPage(raw)
	if !ok || p.Contents == nil {
		return nil
	}
	reach := p.Reach()
	return &reach
}

// Reach is what the page asks for. The contents go before the listing (MCP Apps, "UI resource format").
func (p Page) Reach() Reach {
	in := p.reach()
	r := Reach{Connect: whats(in.connect), Load: whats(in.load), Frame: whats(in.frame), Base: whats(in.base), Permissions: whats(in.permissions)}
	if len(in.domain) > 0 {
		r.Domain = in.domain[0].what
	}
	return r
}

func whats(all []asked) []string {
	out := []string{}
	for _, a := range all {
		if !slices.Contains(out, a.what) {
			out = append(out, a.what)
		}
	}
	return out
}

func (p Page) reach() (in reachIn) {
	whole := p.Contents == nil
	if !whole {
		frame.Elements(p.Contents.frame, frame.Root(p.Contents.frame), func(i int, content frame.Span) bool {
			raw, at := content.Of(p.Contents.frame), inspect.Element("contents", i)
			said := in.of(raw, at, "ui")
			in.chatGPT(raw, at)
			whole = whole || !said
			return true
		})
		whole = whole || kindOf(p.Contents.frame) == '[' && len(elements(p.Contents.frame)) == 0
	}
	if whole && p.Entry != nil {
		in.of(p.Entry, "entry", "ui")
		in.chatGPT(p.Entry, "entry")
	}
	return in
}

// of reads `_meta.ui` of a content or a listing, and reports whether there is one.
func (in *reachIn) of(raw []byte, at, key string) bool {
	ui, ok := frame.Find(raw, frame.Root(raw), "_meta", key)
	if !ok || frame.Type(raw, ui) != '{' {
		return false
	}
	meta, at := ui.Of(raw), inspect.Member(inspect.Member(at, "_meta"), key)
	csp := inspect.Member(at, "csp")
	for _, list := range []struct {
		key  string
		into *[]asked
	}{{"connectDomains", &in.connect}, {"resourceDomains", &in.load}, {"frameDomains", &in.frame}, {"baseUriDomains", &in.base}} {
		hosts(meta, csp, list.into, "csp", list.key)
	}
	if asks, ok := frame.Find(meta, frame.Root(meta), "permissions"); ok {
		frame.Members(meta, asks, func(key string, _ frame.Member) bool {
			in.permissions = append(in.permissions, asked{strings.Clone(key), inspect.Member(inspect.Member(at, "permissions"), key)})
			return true
		})
	}
	in.under(meta, at, "domain")
	return true
}

// chatGPT reads the older spelling of the Apps SDK.
func (in *reachIn) chatGPT(raw []byte, at string) {
	meta, ok := frame.Find(raw, frame.Root(raw), "_meta")
	if !ok || frame.Type(raw, meta) != '{' {
		return
	}
	of, at := meta.Of(raw), inspect.Member(at, "_meta")
	const csp = "openai/widgetCSP"
	for _, list := range []struct {
		key  string
		into *[]asked
	}{{"connect_domains", &in.connect}, {"resource_domains", &in.load}, {"frame_domains", &in.frame}} {
		hosts(of, inspect.Member(at, csp), list.into, csp, list.key)
	}
	in.under(of, at, "openai/widgetDomain")
}

// under reads the domain that a page wants.
func (in *reachIn) under(meta []byte, at, key string) {
	if span, ok := frame.Find(meta, frame.Root(meta), key); ok && frame.Type(meta, span) == '"' {
		domain, _ := frame.String(meta, span)
		in.domain = append(in.domain, asked{strings.Clone(domain), inspect.Member(at, key)})
	}
}

// hosts reads one list of hosts, or a single one where a list belongs.
func hosts(meta []byte, at string, into *[]asked, path ...string) {
	list, ok := frame.Find(meta, frame.Root(meta), path...)
	if !ok {
		return
	}
	at = inspect.Member(at, path[len(path)-1])
	add := func(v frame.Span, where string) {
		if frame.Type(meta, v) == '"' {
			host, _ := frame.String(meta, v)
			*into = append(*into, asked{strings.Clone(host), where})
		}
	}
	add(list, at)
	frame.Elements(meta, list, func(i int, v frame.Span) bool {
		add(v, inspect.Element(at, i))
		return true
	})
}

// Visibility is who may call a tool (`_meta.ui.visibility`), nil if its definition does not say.
func Visibility(tool []byte) []string {
	span, ok := frame.Find(tool, frame.Root(tool), "_meta", "ui", "visibility")
	if !ok || frame.Type(tool, span) != '[' {
		return nil
	}
	who := []string{}
	frame.Elements(tool, span, func(_ int, v frame.Span) bool {
		if frame.Type(tool, v) == '"' {
			one, _ := frame.String(tool, v)
			who = append(who, strings.Clone(one))
		}
		return true
	})
	return who
}
