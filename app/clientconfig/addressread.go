package clientconfig

import (
	"fmt"
	"net/textproto"
	"strings"

	"github.com/sallyport/sallyport/proxy/address"
	"github.com/tailscale/hujson"
)

// remote reads the address of an entry, and says why it can't be guarded if it can't.
func (f *File) remote(e *Entry, kind string) {
	s, object := f.Format.spelling(), e.object
	say := func(format string, args ...any) {
		if e.left == "" {
			e.left = "a remote server, and " + fmt.Sprintf(format, args...)
		}
	}
	if s.headers == "" {
		e.left = "a remote server, which this client doesn't read from its file; add it with `sallyport protect --add`"
		return
	}
	var at *hujson.ObjectMember
	for _, key := range s.addresses() {
		m := member(object, key)
		switch {
		case m == nil || m.Value.Value.Kind() == 'n':
		case at != nil:
			say("it has two addresses, so Sallyport can't tell which one the client uses")
		default:
			at = m
			e.address.Transport = paired(s.address, key)
		}
	}
	e.address.URL = literal(at.Value)
	switch {
	case kind == "" && part(object, s.kind) != nil:
		say("its %s is empty, so Sallyport can't tell how the client reaches it", s.kind)
	case kind != "":
		if e.address.Transport = paired(s.kinds, kind); e.address.Transport == "" {
			say("its %s is one that this version doesn't know for an address", s.kind)
		}
	case e.address.Transport == "":
		say("it has no %s, so Sallyport can't tell how the client reaches it", s.kind)
	}
	if hidden := strings.Contains(e.address.URL, "?") || refers(e.address.URL); hidden {
		e.address.Source = "env:" + urlVariable
	}
	if why := AddressProblem(e.address.URL); why != "" && !refers(e.address.URL) {
		say("its address %s", why)
	}
	e.clear = !refers(e.address.URL) && inTheClear(e.address.URL)
	if name := s.reaches(object); name != "" {
		say("its member %s changes how it is reached, in a way that Sallyport can't take over", name)
	}
	if name := s.stranger(object); name != "" {
		say("its member %s changes how it is started, in a way that this version doesn't know", name)
	}
	switch {
	case e.args != nil:
		say("it has arguments beside its address")
	case e.env != nil && len(e.env.Members) > 0:
		say("it has variables of its own beside its address (%s)", s.env)
	case part(object, s.env) != nil && e.env == nil:
		say("its %s is null", s.env)
	}
	f.remoteHeaders(e, say)
	for _, name := range append(s.addresses(), s.kind, s.headers, s.env, s.bearer, s.variables) {
		if m := part(object, name); m != nil && f.odd[&m.Value] != "" {
			say("its %s %s", name, f.odd[&m.Value])
		}
	}
}

// remoteHeaders reads the headers of an entry with an address.
func (f *File) remoteHeaders(e *Entry, say func(string, ...any)) {
	s, a := f.Format.spelling(), &e.address
	seen := map[string]bool{}
	add := func(h Header) {
		as := textproto.CanonicalMIMEHeaderKey(h.Name)
		switch {
		case !address.HeaderTaken(h.Name):
			say("its header %.60q is one that Sallyport sets itself, or that may not be set", h.Name)
		case seen[as]:
			say("its header %s is there twice", h.Name)
		case h.From == "" && (h.Value == "" || strings.ContainsAny(h.Value, "\r\n\x00\ufffd")):
			say("its header %s is empty, or has a character that can't be sent", h.Name)
		case h.From == "" && s.literal && refers(h.Value):
			say("its header %s refers to a variable, which the client fills in for headers alone", h.Name)
		}
		seen[as] = true
		a.Headers = append(a.Headers, h)
	}
	if m := part(e.object, s.headers); m != nil {
		headers, ok := m.Value.Value.(*hujson.Object)
		if !ok {
			say("its %s are %s, not an object", s.headers, kindOf(m.Value))
			return
		}
		for i := range headers.Members {
			h := &headers.Members[i]
			if h.Value.Value.Kind() != '"' || f.odd[&h.Value] != "" {
				say("its header %.60q is not plain text", literal(h.Name))
			}
			add(Header{Name: literal(h.Name), Value: literal(h.Value)})
		}
	}
	bearer, from := part(e.object, s.bearer), part(e.object, s.variables)
	if (bearer != nil || from != nil) && (bearer != nil && from != nil || part(e.object, s.passes) != nil) {
		say("it names variables in two of %s, %s and %s, which Sallyport can't put together", s.bearer, s.variables, s.passes)
		return
	}
	if bearer != nil {
		add(Header{Name: "Authorization", Word: "Bearer", From: "env", Key: literal(bearer.Value)})
	}
	if from != nil {
		headers, ok := from.Value.Value.(*hujson.Object)
		if !ok || !f.opens(&from.Value) || len(headers.Members) == 0 {
			say("its %s are not between braces", s.variables)
			return
		}
		for i := range headers.Members {
			add(Header{Name: literal(headers.Members[i].Name), From: "env", Key: literal(headers.Members[i].Value)})
		}
	}
	for _, h := range a.Headers {
		if h.From != "" && (h.Key == "" || movedVariable(h.Key) || strings.ContainsAny(h.Key, " \t\r\n=\x00\ufffd")) {
			say("its header %s names no variable", h.Name)
		}
	}
}
