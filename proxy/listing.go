package proxy

import (
	"bytes"
	"sync"

	"github.com/sallyport/sallyport/proxy/declared"
	"github.com/sallyport/sallyport/proxy/frame"
	"github.com/sallyport/sallyport/proxy/pin"
	"github.com/sallyport/sallyport/proxy/refusal"
)

// listings filters out what is not approved, and adds our own tools.
type listings struct {
	*exchange
	own   ownListing
	pages pageWalk
}

// admitListing answers a listing ourselves if the server is not open, and forwards it otherwise.
func (s *listings) admitListing(v *declared.View, r *request, line []byte) {
	if !s.awaitsChoice(v, r, line) {
		s.listPage(v, r, line)
	}
}

func (s *listings) listPage(v *declared.View, r *request, line []byte) {
	// Clients never list tools that are not announced. This one does because we announce tools for every server.
	if r.method != methodListTools && !s.checks.Announces(r.method.list()) {
		s.checks.AskedFor(r.method.list())
	}
	if !v.Open() {
		if s.checks.BesideListing() == 0 {
			s.checks.Poke(v)
		}
		s.eras.answered(r)
		s.client.Enqueue(s.emptyListing(v, r))
		return
	}
	// For a server that was not started yet we announced every listing, before it could say which it has.
	if (r.method == methodListTools || s.cfg.Start != nil) && !s.checks.Announces(r.method.list()) {
		s.client.Enqueue(s.emptyListing(v, r))
		return
	}
	r.page = s.pages.pageOf(r.method, r.cursor)
	r.need = s.checks.BesideListing()
	s.forward(r, line)
}

// emptyListing is the listing of a server that is not open: our two tools, or nothing.
func (s *listings) emptyListing(v *declared.View, r *request) []byte {
	l := r.method.list()
	result := append([]byte(`{"`), l.Member...)
	result = append(result, `":[`...)
	if r.method == methodListTools && r.cursor == "" {
		for i, tool := range s.ownTools(v) {
			if i > 0 {
				result = append(result, ',')
			}
			result = append(result, tool...)
		}
	}
	if r.modern {
		result = append(result, `],"ttlMs":0,"cacheScope":"private"}`...)
	} else {
		result = append(result, "]}"...)
	}
	return resultLine(r, result)
}

// answerListing handles one page of a listing. It digests every definition on it; a page with anything that the last snapshot did not have
// waits for a new one.
func (s *listings) answerListing(r *request, line []byte) error {
	items, err := declared.ItemsOf(line, r.unread, r.method.list())
	if err == nil && s.checks.Surprises(items) {
		r.need = s.checks.Demand(true)
	}
	if s.checks.Keep(r, line) {
		return nil
	}
	return s.deliverListing(r, line)
}

// deliverListing cuts what is not approved out of the page and adds our tools to the first one.
func (s *listings) deliverListing(r *request, line []byte) error {
	v := s.view()
	if !v.Open() {
		return s.client.Write(s.emptyListing(v, r))
	}
	if !v.Verified {
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
		return s.toClient(cutOurs(line)) // errors of an open server pass
	}
	l := r.method.list()
	array, ok := frame.Find(line, result, l.Member)
	if !ok || frame.Type(line, array) != '[' {
		return s.client.Write(errorLine(r.id, -32603, "[Sallyport] the server's listing has no array "+l.Member, nil))
	}
	page := map[string]pin.Digest{}
	var changed []frame.Edit
	deliver := func(name string, value frame.Span) bool {
		out, ok := s.definition(v, l.Kind, name, value.Of(line))
		if ok && !bytes.Equal(out, value.Of(line)) {
			changed = append(changed, frame.Edit{Start: value.Start, End: value.End, With: out})
		}
		return ok
	}
	keep := func(_ int, value frame.Span) bool {
		name, ok := declared.NameOf(l.Kind, line, value)
		if l.Kind == pin.Resource && !v.ListsSkillFile(line, value) {
			return false
		}
		if l.Kind == pin.Resource && !v.PinsResource(line, value) {
			return !v.ShutsResources() && s.harmless(value.Of(line)) && deliver("", value)
		}
		if !ok {
			return false
		}
		digest, err := pin.DigestOf(l.Kind, name, value.Of(line))
		key := pin.Key(l.Kind, name)
		if err != nil {
			return false
		}
		digest, approved := v.ApprovesListed(l.Kind, name, digest)
		if !approved || !deliver(name, value) {
			return false
		}
		page[key] = digest
		return true
	}
	var own [][]byte
	if r.method == methodListTools && r.page <= 1 {
		own = s.ownTools(v)
	}
	edits := append(frame.EditArray(line, array, keep, own...), changed...)
	if r.modern {
		edits = append(edits, cacheEdits(line, result)...)
	}
	edits = append(edits, frame.CutMembers(line, result, func(key string, m frame.Member) bool {
		switch {
		case key == l.Member:
			return false
		case key == "nextCursor" && frame.Type(line, m.Value) != 'n':
			cursor, _ := frame.String(line, m.Value)
			if !s.pages.follows(r, cursor) {
				return true
			}
		}
		return !s.harmless(m.Key.Of(line)) || !s.harmless(m.Value.Of(line))
	})...)
	if err := s.toClient(cutOurs(frame.Splice(nil, line, append(edits, beside(line)...)))); err != nil {
		return err
	}
	s.checks.Shown.Deliver(page)
	return nil
}

// beside cuts everything but id and result from a response's line.
func beside(line []byte) []frame.Edit {
	return frame.CutMembers(line, frame.Root(line), func(key string, _ frame.Member) bool {
		return key != "jsonrpc" && key != "id" && key != "result"
	})
}

// pageWalk counts the pages a client reads of each listing, so that it gets no further than a snapshot does.
type pageWalk struct {
	mu      sync.Mutex
	cursors map[method]map[string]int // cursor → its page
}

// pageOf returns the page of a cursor: 1 without one, and 1 for an unknown one (whose page is checked item by item like any other).
func (p *pageWalk) pageOf(m method, cursor string) int {
	if cursor == "" {
		return 1
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if page := p.cursors[m][cursor]; page > 0 {
		return page
	}
	return 2
}

// follows reports whether the page that answers r may lead to next: not beyond the last page of a snapshot, and not back to an earlier
// cursor (an endless listing). An empty cursor means that there is no further page: servers that write one mean that.
func (p *pageWalk) follows(r *request, next string) bool {
	if r.page >= pin.MaxPages || next == r.cursor || next == "" {
		return false
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.cursors == nil {
		p.cursors = map[method]map[string]int{}
	}
	known := p.cursors[r.method]
	if r.page == 1 && r.cursor == "" || known == nil {
		known = map[string]int{}
		p.cursors[r.method] = known
	}
	if page := known[next]; page > 0 && page <= r.page {
		return false
	}
	known[next] = r.page + 1
	return true
}
