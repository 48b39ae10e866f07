package proxy

import (
	"time"

	"github.com/sallyport/sallyport/proxy/frame"
	"github.com/sallyport/sallyport/proxy/pin"
	"github.com/sallyport/sallyport/proxy/refusal"
)

// listingAge is how old the last check may be when a client lists without another one beside it.
const listingAge = time.Second

// admitListing answers a listing of a server that is not open by ourselves, and sends every other one on.
func (s *Session) admitListing(v *view, r *request, line []byte) {
	if !s.awaitsChoice(v, r, line) {
		s.listPage(v, r, line)
	}
}

func (s *Session) listPage(v *view, r *request, line []byte) {
	// Tools that are not announced are never listed, so nobody asks for them: that the client does is our own doing, who
	// announce tools for every server.
	if r.method != methodListTools && !s.life.announces(lists[r.method].capability) {
		s.life.askedFor(r.method)
	}
	if !v.open() {
		if s.checks.besideListing() == 0 {
			s.checks.poke(v)
		}
		s.client.Enqueue(s.emptyListing(v, r))
		return
	}
	// Of a server that was held back we announced every listing, before it could say which it has.
	if (r.method == methodListTools || s.park != nil) && !s.life.announces(lists[r.method].capability) {
		s.client.Enqueue(s.emptyListing(v, r))
		return
	}
	r.page = s.checks.pageOf(r.method, r.cursor)
	r.need = s.checks.besideListing()
	s.forward(r, line)
}

// emptyListing is the listing of a server from which nothing may be shown: our two tools, else nothing.
func (s *Session) emptyListing(v *view, r *request) []byte {
	l := lists[r.method]
	result := append([]byte(`{"`), l.member...)
	result = append(result, `":[`...)
	if r.method == methodListTools && r.cursor == "" {
		for i, tool := range s.ownTools(v) {
			if i > 0 {
				result = append(result, ',')
			}
			result = append(result, tool...)
		}
	}
	return resultLine(r.id, append(result, "]}"...))
}

// answerListing takes one page of a listing. Every definition on it is digested as it stands there; a page that shows
// anything the last snapshot did not see waits for a new one.
func (s *Session) answerListing(r *request, line []byte) error {
	items, err := itemsOf(line, r.unread, r.method)
	if err == nil && s.checks.surprises(items) {
		r.need = s.checks.demand(true)
	}
	if s.checks.keep(r, line) {
		return nil
	}
	return s.deliverListing(r, line)
}

// deliverListing cuts what is not approved out of the page and adds our tools to the first one.
func (s *Session) deliverListing(r *request, line []byte) error {
	v := s.view.Load()
	if !v.open() {
		return s.client.Write(s.emptyListing(v, r))
	}
	if !v.verified {
		if r.method == methodListTools {
			return s.client.Write(s.emptyListing(v, r))
		}
		s.refuse(r, refusal.Unverified)
		return nil
	}
	root := frame.Root(line)
	result, ok := frame.Find(line, root, "result")
	if !ok {
		if !s.harmlessError(line) {
			return s.client.Write(errorLine(r.id, -32603, "[Sallyport] the server responded with an error; its text was blocked because it has warnings", nil))
		}
		return s.toClient(cutOurs(line)) // an error of an open server is its own
	}
	l := lists[r.method]
	array, ok := frame.Find(line, result, l.member)
	if !ok || frame.Type(line, array) != '[' {
		return s.client.Write(errorLine(r.id, -32603, "[Sallyport] the server's listing has no array "+l.member, nil))
	}
	page := map[string]pin.Digest{}
	keep := func(_ int, value frame.Span) bool {
		if l.kind == pin.Resource && !v.pinsResource(line, value) {
			return !v.shutsResources() && s.harmless(value.Of(line))
		}
		name, ok := nameOf(l.kind, line, value)
		if !ok || s.unnameable(v, name) {
			return false
		}
		digest, err := pin.DigestOf(l.kind, name, value.Of(line))
		key := pin.Key(l.kind, name)
		if err != nil || !v.approves(key, digest) {
			return false
		}
		page[key] = digest
		return true
	}
	var own [][]byte
	if r.method == methodListTools && r.page <= 1 {
		own = s.ownTools(v)
	}
	edits := frame.EditArray(line, array, keep, own...)
	edits = append(edits, frame.CutMembers(line, result, func(key string, m frame.Member) bool {
		switch {
		case key == l.member:
			return false
		case key == "nextCursor" && frame.Type(line, m.Value) != 'n':
			cursor, _ := frame.String(line, m.Value)
			if !s.checks.follows(r, cursor) {
				return true
			}
		}
		return !s.harmless(m.Key.Of(line)) || !s.harmless(m.Value.Of(line))
	})...)
	if err := s.toClient(cutOurs(frame.Splice(nil, line, append(edits, beside(line)...)))); err != nil {
		return err
	}
	s.shown.deliver(page)
	return nil
}

// beside cuts what stands in an answer's line beside its id and its result.
func beside(line []byte) []frame.Edit {
	return frame.CutMembers(line, frame.Root(line), func(key string, _ frame.Member) bool {
		return key != "jsonrpc" && key != "id" && key != "result"
	})
}

// pinsResource says whether a listed resource is pinned: all of them with pins.resources, else only those of a tool's user
// interface.
func (v *view) pinsResource(line []byte, value frame.Span) bool {
	if v.policy.Resources {
		return true
	}
	uri, ok := nameOf(pin.Resource, line, value)
	return !ok || v.seen.pinned(uri)
}

func isUserInterface(uri string) bool { return len(uri) >= 5 && uri[:5] == "ui://" }

// nameOf reads the name a definition is pinned under.
func nameOf(kind pin.Kind, raw []byte, value frame.Span) (string, bool) {
	member := "name"
	switch kind {
	case pin.ResourceTemplate:
		member = "uriTemplate"
	case pin.Resource:
		member = "uri"
	}
	span, ok := frame.Find(raw, value, member)
	if !ok {
		return "", false
	}
	return frame.String(raw, span)
}

// itemsOf reads the definitions on one page, and those that were cut out of it. Those that have no name are left out: they are never
// served either.
func itemsOf(line []byte, unread [][]byte, m method) ([]pin.Item, error) {
	l := lists[m]
	array, ok := frame.Find(line, frame.Root(line), "result", l.member)
	if !ok || frame.Type(line, array) != '[' {
		return nil, errNoPage
	}
	var items []pin.Item
	add := func(raw []byte) {
		if item, err := pin.Declared(l.kind, raw); err == nil {
			items = append(items, item)
		}
	}
	frame.Elements(line, array, func(_ int, value frame.Span) bool {
		add(value.Of(line))
		return true
	})
	for _, raw := range unread {
		add(raw)
	}
	return items, nil
}

// cutOurs removes every member whose key starts with "sallyport/" from a line of the server, at any depth.
func cutOurs(line []byte) []byte {
	var m frame.Message
	if frame.Scan(line, frame.FromServer, &m) != nil || len(m.Ours) == 0 {
		return line
	}
	return frame.Splice(nil, line, m.CutOurs())
}
