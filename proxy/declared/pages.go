package declared

import (
	"context"
	"encoding/json"
	"errors"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/sallyport/sallyport/proxy/frame"
	"github.com/sallyport/sallyport/proxy/inspect"
	"github.com/sallyport/sallyport/proxy/pin"
	"github.com/sallyport/sallyport/proxy/vocab"
)

// Limits on the pages that are read of one server. What is beyond stays blocked.
const (
	maxPages     = 64
	maxPageBytes = 8 << 20
	maxNamed     = 4 * maxPages // URIs that are remembered
)

const (
	pagesAtOnce  = 4                // reads in flight
	missingAgain = 10 * time.Second // a page that could not be read is read again, at the next check after this
)

// pages are the resources of a server that its client draws (MCP Apps, ui://): every one that a tool, a listing, a request or a response
// named, with what the reads of this connection delivered. A check reads each twice, which shows those that change at every read.
type pages struct {
	mu     sync.Mutex
	known  map[string]*page // by URI
	listed bool             // the last listing of resources held pages, so the next check looks again
	look   bool             // the next check looks whether it holds any
}

// page is what is known of one page.
type page struct {
	contents *pin.Contents // nil if none was read
	other    *pin.Contents // a reading that was not delivered because it differs; read again
	varies   bool          // its text or blob differed between two reads
	twoFaced bool          // more than that differed
	beyond   bool          // larger than maxPageBytes
	tried    time.Time     // zero: at the next check
}

// due reports whether a check reads the page.
func (p *page) due(now time.Time) bool {
	return p.other != nil || p.tried.IsZero() || p.contents == nil && now.Sub(p.tried) >= missingAgain
}

// settle takes the readings of one check, and the one before them that was not delivered. Pages that differ in more than what they show
// differ in what they may do: then the one that was not delivered counts, so that a person sees it.
func (p *page) settle(readings []*pin.Contents) {
	if p.other != nil {
		readings = append([]*pin.Contents{p.other}, readings...)
	}
	p.other = nil
	for _, r := range readings[1:] {
		switch {
		case r.Frame != readings[0].Frame:
			p.twoFaced = true
		case r.Digest != readings[0].Digest:
			p.varies = true
		}
	}
	p.contents = readings[0]
}

// name adds a page that somebody named, and reports whether it was not known. In another spelling of the scheme it is never read: its name
// would be nearly that of the page.
func (ps *pages) name(uri string) bool {
	ps.mu.Lock()
	defer ps.mu.Unlock()
	if ps.known[uri] != nil || len(ps.known) >= maxNamed || !strings.HasPrefix(uri, "ui://") {
		return false
	}
	if ps.known == nil {
		ps.known = map[string]*page{}
	}
	ps.known[uri] = &page{}
	return true
}

// looks reports whether a check asks for the listing of resources because of pages.
func (ps *pages) looks() bool {
	ps.mu.Lock()
	defer ps.mu.Unlock()
	return ps.look || ps.listed
}

// lookAgain has the next check ask for the listing.
func (ps *pages) lookAgain() {
	ps.mu.Lock()
	defer ps.mu.Unlock()
	ps.look = true
}

// took records what the listing of a check held.
func (ps *pages) took(entries []pin.Item) {
	ps.mu.Lock()
	defer ps.mu.Unlock()
	ps.look, ps.listed = false, len(entries) > 0
}

// NamePage is called for each page that a response or a request names, before anything can draw it. One that is new is read by a check.
func (c *Checker) NamePage(uri string) {
	if pin.IsPage(uri) && c.pages.name(uri) {
		c.Demand(true)
	}
}

// AskedForPage is called for a page that a client asked for and is refused: it becomes an item if the server has it, and is no longer
// pending if it went back to what is allowed. It returns the number of the check that reads a page for the first time, 0 for none.
func (c *Checker) AskedForPage(uri string) (check uint64) {
	switch {
	case !pin.IsPage(uri):
	case c.pages.name(uri):
		return c.Demand(true)
	case c.pages.unread(uri):
		return c.due.Load()
	case c.pages.again(uri):
		c.pokeSoon()
	}
	return 0
}

// unread reports whether a page was named and no check has read it yet.
func (ps *pages) unread(uri string) bool {
	ps.mu.Lock()
	defer ps.mu.Unlock()
	p := ps.known[uri]
	return p != nil && p.contents == nil && p.tried.IsZero()
}

// again has the next check read a page that was read before, and reports whether it does.
func (ps *pages) again(uri string) bool {
	ps.mu.Lock()
	defer ps.mu.Unlock()
	p := ps.known[uri]
	if p == nil || time.Since(p.tried) < ListingAge {
		return false
	}
	p.tried = time.Time{}
	return true
}

// AnotherPage is called for a reading that differs from what the last check saw. It returns the number of the check that reads the page
// again, so that a person sees what it is now.
func (c *Checker) AnotherPage(uri string, contents *pin.Contents) uint64 {
	c.pages.name(uri)
	c.pages.mu.Lock()
	if p := c.pages.known[uri]; p != nil {
		p.other = contents
	}
	c.pages.mu.Unlock()
	return c.Demand(true)
}

// DeliversPage reports whether contents of a page may be delivered: they are what was declared, and that is allowed.
func (v *View) DeliversPage(uri string, contents *pin.Contents) bool {
	if v.Seen == nil || !v.Allows(pin.Key(pin.Resource, uri)) {
		return false
	}
	p := v.Seen.pages[uri]
	return p != nil && (p.contents == contents.Digest || p.varies && p.frame == contents.Frame)
}

// seenPage is what a snapshot saw of a page, by part.
type seenPage struct {
	entry           pin.Digest // "" if no listing has it
	contents, frame pin.Digest
	varies          bool
}

// approvesEntry reports whether an entry of a listing may be delivered: it is what was declared, and its page is allowed.
func (v *View) approvesEntry(uri string, entry pin.Digest) bool {
	p := v.Seen.pages[uri]
	return p != nil && p.entry == entry && v.Served[pin.Key(pin.Resource, uri)]
}

// lists reports whether a listing of the server has this item. A page need not be in one.
func (o *Observation) lists(key string) bool {
	if !HasKind(key, pin.Resource) {
		return true
	}
	p := o.pages[nameOf(key)]
	return p == nil || p.entry != ""
}

// takePages reads the pages of a snapshot and makes their items. entries are those of its listing of resources.
func (c *Checker) takePages(ctx context.Context, shot *snapshot, entries []pin.Item) {
	v := c.view.Load()
	uris := c.namedPages(v, shot, entries)
	if len(uris) > maxPages {
		uris = uris[:maxPages]
		shot.findings = append(shot.findings, beyondPages("resources/read", "The server has more than 64 pages; the rest stays blocked"))
	}
	c.pages.took(entries)
	c.readPages(ctx, uris)
	listed := map[string][]pin.Item{}
	for _, e := range entries {
		listed[e.Name] = append(listed[e.Name], e)
		shot.entries[e.Name] = e.Digest
	}
	for _, uri := range uris {
		c.pages.mu.Lock()
		p := *c.pages.known[uri]
		c.pages.mu.Unlock()
		if p.beyond {
			shot.findings = append(shot.findings, beyondPages(pin.Key(pin.Resource, uri), "A page of more than 8 MiB stays blocked"))
		}
		if p.contents == nil {
			continue
		}
		if len(listed[uri]) == 0 {
			c.addPage(v, shot, pin.Page{URI: uri, Contents: p.contents, Varies: p.varies}, p)
		}
		for _, e := range listed[uri] { // two of one name collide, and none is served
			c.addPage(v, shot, pin.Page{URI: uri, Entry: e.Raw, Contents: p.contents, Varies: p.varies}, p)
			shot.pages[uri].entry = e.Digest
		}
	}
}

// definitionOf is the definition that a listing delivers of an item. A page need not be in one.
func definitionOf(item pin.Item) []byte {
	if item.Kind != pin.Resource || !pin.IsPage(item.Name) {
		return item.Raw
	}
	if p, ok := pin.ReadPage(item.Raw); ok && p.Entry != nil {
		return p.Entry
	}
	return append(frame.AppendString([]byte(`{"uri":`), item.Name), '}')
}

// addPage adds the item of one page. Once a person has allowed that a page changes at every read, it need not do so in this connection.
func (c *Checker) addPage(v *View, shot *snapshot, p pin.Page, of page) {
	key := pin.Key(pin.Resource, p.URI)
	if varying := p; !p.Varies {
		varying.Varies = true
		p.Varies = v.Approves(key, varying.Digest())
	}
	item, err := p.Item()
	if err != nil {
		return // can't happen: both parts were read
	}
	if of.twoFaced && !v.Approves(key, item.Digest) {
		item.Findings = append(item.Findings, equivocation(key))
	}
	p.Contents.Long(func(where string, text json.RawMessage) {
		for _, f := range append(inspect.JSON(text, where), c.session.Rules().Threats(text).Findings...) {
			if f.Level.Rank() >= inspect.Medium.Rank() {
				f.Where = where
				item.Findings = append(item.Findings, f)
			}
		}
	})
	shot.items = append(shot.items, item)
	shot.pages[p.URI] = &seenPage{contents: p.Contents.Digest, frame: p.Contents.Frame, varies: p.Varies}
}

// namedPages are the pages to read: those of the tools and the listing first, then what was allowed and what somebody named.
func (c *Checker) namedPages(v *View, shot *snapshot, entries []pin.Item) []string {
	uris := slices.Sorted(maps.Keys(shot.uis))
	add := func(uri string) {
		if pin.IsPage(uri) && !slices.Contains(uris, uri) {
			uris = append(uris, uri)
		}
	}
	for _, e := range entries {
		add(e.Name)
	}
	resource := pin.Key(pin.Resource, "")
	for _, key := range slices.Sorted(maps.Keys(v.State.Items)) {
		if HasKind(key, pin.Resource) && v.State.Items[key].State != vocab.PartRemoved {
			add(key[len(resource):])
		}
	}
	for _, uri := range uris {
		c.pages.name(uri)
	}
	c.pages.mu.Lock()
	defer c.pages.mu.Unlock()
	for _, uri := range slices.Sorted(maps.Keys(c.pages.known)) {
		add(uri)
	}
	return slices.DeleteFunc(uris, func(uri string) bool { return c.pages.known[uri] == nil })
}

// readPages reads those that are due, a few at a time. It takes half of the time that the check has left: without a page the rest of the
// server goes on.
func (c *Checker) readPages(ctx context.Context, uris []string) {
	if deadline, ok := ctx.Deadline(); ok {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, time.Until(deadline)/2)
		defer cancel()
	}
	var reading sync.WaitGroup
	turns := make(chan struct{}, pagesAtOnce)
	for _, uri := range uris {
		c.pages.mu.Lock()
		due := c.pages.known[uri].due(time.Now())
		c.pages.mu.Unlock()
		if !due {
			continue
		}
		turns <- struct{}{}
		reading.Go(func() {
			defer func() { <-turns }()
			c.readTwice(ctx, uri)
		})
	}
	reading.Wait()
}

var errPageTooLong = errors.New("the page is too long")

// readTwice reads a page twice. What can't be read now keeps its last reading, unless another one was seen since.
func (c *Checker) readTwice(ctx context.Context, uri string) {
	var readings []*pin.Contents
	var failed error
	for range 2 {
		contents, err := c.readPage(ctx, uri)
		if failed = err; err != nil {
			break
		}
		readings = append(readings, contents)
	}
	c.pages.mu.Lock()
	defer c.pages.mu.Unlock()
	p := c.pages.known[uri]
	p.tried, p.beyond = time.Now(), failed == errPageTooLong
	switch {
	case failed == nil || p.other != nil:
		p.settle(readings)
	default:
		p.contents = nil
	}
}

// readPage reads a page once.
func (c *Checker) readPage(ctx context.Context, uri string) (contents *pin.Contents, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = faulted(inspect.Fault(p))
		}
	}()
	line, err := c.session.Read(ctx, uri)
	if err != nil {
		return nil, err
	}
	span, ok := frame.Find(line, frame.Root(line), "result", "contents")
	if !ok {
		return nil, errNoPage
	}
	if span.End-span.Start > maxPageBytes {
		return nil, errPageTooLong
	}
	return pin.ContentsOf(span.Of(line))
}

func beyondPages(where, title string) inspect.Finding {
	return inspect.Finding{Rule: inspect.BeyondBounds, Level: inspect.Medium, Category: "threat", Where: where, Title: title}
}
