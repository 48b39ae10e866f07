package declared

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/sallyport/sallyport/proxy/frame"
	"github.com/sallyport/sallyport/proxy/inspect"
	"github.com/sallyport/sallyport/proxy/pin"
	"github.com/sallyport/sallyport/proxy/powers"
)

var errNoPage = errors.New("the response has no listing")

// equivocationWindow is how close in time two definitions of one item must be to count as two faces.
const equivocationWindow = time.Minute

// maxSightings limits what is remembered of items; the listings of one snapshot stay below it.
const maxSightings = 4 * pin.MaxItems

type snapshot struct {
	items      []pin.Item
	withheld   map[string]bool
	findings   []inspect.Finding
	serverInfo json.RawMessage
	protocol   string
	uis        map[string]bool       // ui:// resources that tools name
	loose      map[string]pin.Item   // by looseKey, resources that are not pinned, if the person's standing rule judges them
	pages      map[string]*seenPage  // by URI
	entries    map[string]pin.Digest // of every page that the listing of resources has, by URI
	shifts     uint64                // list_changed notifications before it began
	skills     bool                  // it looked for skills
}

// snapshot walks every listing to its end, with requests of our own that look like the client's.
func (c *Checker) snapshot(ctx context.Context) (_ *snapshot, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = faulted(inspect.Fault(p))
		}
	}()
	greeting := c.Greeting()
	shot := &snapshot{serverInfo: greeting.ServerInfo, protocol: greeting.Protocol, findings: slices.Clone(greeting.Findings), uis: map[string]bool{}, loose: map[string]pin.Item{}, pages: map[string]*seenPage{}, entries: map[string]pin.Digest{}}
	if greeting.Instructions != nil {
		shot.items = append(shot.items, *greeting.Instructions)
	}
	c.mu.Lock()
	shot.shifts = c.shifts
	c.mu.Unlock()

	results := map[*List]chan walked{}
	start := func(l *List) {
		ch := make(chan walked, 1)
		results[l] = ch
		go func() {
			var got walked
			defer func() {
				if p := recover(); p != nil {
					got.err = faulted(inspect.Fault(p))
				}
				ch <- got
			}()
			got.err = c.walk(ctx, l, &got)
		}()
	}
	pinsResources, stands := c.view.Load().Policy.Resources, c.view.Load().stands()
	for _, l := range lists {
		if c.looksAt(l) && (l != Resources || pinsResources || stands || c.pages.looks()) {
			start(l)
		}
	}
	var pages []pin.Item
	for _, l := range lists {
		if l == Resources && results[l] == nil && len(shot.uis) > 0 && c.looksAt(l) {
			start(l)
		}
		if results[l] == nil {
			continue
		}
		var got walked
		if l == Resources && !pinsResources && len(shot.uis) == 0 { // only the standing rule wanted it, and it judges what is listed, or a look for pages
			got = awaitShort(results[l])
			got.err, got.findings = nil, nil
		} else {
			got = <-results[l]
		}
		if got.err != nil {
			return nil, fmt.Errorf("%s: %w", l.Method, got.err)
		}
		for _, item := range got.items {
			if l == Tools && item.Unread == nil {
				userInterfaces(item.Raw, shot.uis)
			}
			if l == Resources && pin.IsPage(item.Name) && item.Unread == nil {
				pages = append(pages, item)
				continue
			}
			if l == Resources && !pinsResources && !pin.IsPage(item.Name) {
				if stands && item.Unread == nil {
					shot.loose[looseKey(item)] = item
				}
				continue
			}
			shot.items = append(shot.items, item)
		}
		shot.findings = append(shot.findings, got.findings...)
	}
	c.takePages(ctx, shot, pages)
	_, known := c.view.Load().State.Items[everyResource] // a decision about it holds when other items come
	if (known || onlyResources(shot.items)) && !pinsResources && c.looksAt(Resources) {
		shot.items = append(shot.items, allResources())
	}
	if c.looksAt(Skills) {
		if err := c.Skills.complete(ctx, shot, c.view.Load().State); err != nil {
			return nil, err
		}
	}
	if ask := c.session.Uncallable(); ask != nil {
		c.calls.look(shot.items, ask)
	}
	shot.withhold(c.reserved)
	return shot, nil
}

// shortLook is how long a check waits for a listing that it can do without.
const shortLook = 2 * time.Second

// awaitShort is a listing, or nothing if it takes too long.
func awaitShort(result <-chan walked) walked {
	select {
	case got := <-result:
		return got
	case <-time.After(shortLook):
		return walked{}
	}
}

// onlyResources reports whether a server has nothing to allow except resources, which are not pinned one by one.
func onlyResources(items []pin.Item) bool {
	return !slices.ContainsFunc(items, func(i pin.Item) bool {
		return i.Kind != pin.Instructions && (i.Kind != pin.Resource || !pin.IsPage(i.Name))
	})
}

// allResources is one item for all resources of a server that declares nothing else: without it there would be nothing to allow.
func allResources() pin.Item {
	item, err := pin.ItemOf(pin.Resource, json.RawMessage(`{"uri":"*","name":"Everything this server offers to read"}`))
	if err != nil {
		panic(err) // it is ours
	}
	return item
}

// withhold marks the items with colliding names, the ambiguous ones, and tools that can't be called.
func (shot *snapshot) withhold(reserved []string) {
	shot.withheld = map[string]bool{}
	indices, findings := pin.Collisions(shot.items, reserved)
	for i := range indices {
		shot.withheld[shot.items[i].Key()] = true
	}
	shot.findings = append(shot.findings, findings...)
	for _, item := range shot.items {
		if item.Unread != nil || mismatched(item) || uncallable(item) {
			shot.withheld[item.Key()] = true
		}
	}
}

func (shot *snapshot) observation() *Observation {
	o := &Observation{digests: map[string]pin.Digest{}, withheld: shot.withheld, unread: map[string]bool{}, uncallable: map[string]bool{}, Ordinal: map[string]int{}, pages: shot.pages, entries: shot.entries, sanitizes: map[string]bool{}, powers: map[string]powers.Reach{}, raws: map[string]json.RawMessage{}}
	tools := 0
	for _, item := range shot.items {
		key := item.Key()
		if item.Kind == pin.Tool {
			tools++
			o.Ordinal[key] = tools
		}
		switch {
		case item.Unread != nil:
			o.unread[key] = true
		case uncallable(item):
			o.uncallable[key] = true
		case item.Kind == pin.Tool:
			o.powers[key] = powers.ReachOf(item.Raw)
			if takesSanitize(item.Raw) {
				o.sanitizes[key] = true
			}
		}
		if !shot.withheld[key] {
			o.digests[key], o.raws[key] = item.Digest, definitionOf(item)
		}
	}
	o.loose = shot.loose
	o.skills = shot.skillSet()
	return o
}

// fingerprint identifies a snapshot, including findings about the whole.
func (shot *snapshot) fingerprint() string {
	var b strings.Builder
	b.WriteString(pin.Fingerprint(shot.items))
	b.Write(shot.serverInfo)
	findings := slices.Clone(shot.findings)
	for _, item := range shot.items {
		findings = append(findings, item.Findings...)
	}
	for _, f := range findings {
		b.WriteString("\n" + f.Rule + "\n" + f.Where)
	}
	return b.String()
}

// walked is one listing, all pages of it.
type walked struct {
	items    []pin.Item
	findings []inspect.Finding
	err      error
}

// walk follows one listing from page to page: at most pin.MaxPages, pin.MaxItems, pin.MaxBytes, and no cursor twice.
func (c *Checker) walk(ctx context.Context, l *List, got *walked) error {
	var (
		cursor string
		bytes  int
		used   = map[string]bool{}
	)
	for page := 1; ; page++ {
		line, unread, err := c.session.Ask(ctx, l, cursor)
		if err != nil {
			return err
		}
		root := frame.Root(line)
		if failed, ok := frame.Find(line, root, "error"); ok {
			code, _ := frame.Find(line, failed, "code")
			if page == 1 && (string(code.Of(line)) == "-32601" || !c.Announces(l)) {
				return nil // there is no such listing, announced or not
			}
			return errors.New("the server responded with an error")
		}
		result, _ := frame.Find(line, root, "result")
		array, ok := frame.Find(line, result, l.Member)
		if !ok || frame.Type(line, array) != '[' {
			return errNoPage
		}
		full := false
		take := func(raw []byte) bool {
			if len(got.items) >= pin.MaxItems || bytes+len(raw) > pin.MaxBytes {
				full = true
				return false
			}
			bytes += len(raw)
			item, err := pin.Declared(l.Kind, raw)
			if err != nil {
				got.findings = append(got.findings, inspect.Finding{
					Rule: "unreadable_item", Level: inspect.High, Category: "threat", Where: string(l.Kind),
					Title: "A " + itemNoun(l.Kind) + " has no name, or its text can be read in two ways; it stays blocked",
				})
				return true
			}
			got.items = append(got.items, item)
			return true
		}
		frame.Elements(line, array, func(_ int, value frame.Span) bool { return take(value.Of(line)) })
		for _, raw := range unread {
			if !take(raw) {
				break
			}
		}
		next, more := frame.Find(line, result, "nextCursor")
		if more && frame.Type(line, next) == 'n' {
			more = false
		}
		if !more && !full {
			return nil
		}
		cursor, ok = frame.String(line, next)
		if ok && cursor == "" && !full {
			return nil // it would ask for the first page, so there is no other
		}
		if full || page == pin.MaxPages || !ok || used[cursor] {
			got.findings = append(got.findings, inspect.Finding{
				Rule: inspect.BeyondBounds, Level: inspect.Medium, Category: "threat", Where: l.Method,
				Title: fmt.Sprintf("The listing is longer than %d pages, %d items or %d MiB, or repeats itself; the rest stays blocked",
					pin.MaxPages, pin.MaxItems, pin.MaxBytes>>20),
			})
			return nil
		}
		used[cursor] = true
	}
}

// compareSightings finds items that show two definitions within a minute with no list_changed between them.
func (c *Checker) compareSightings(shot *snapshot) {
	v := c.view.Load()
	for i := range shot.items {
		item := &shot.items[i]
		key := item.Key()
		if item.Kind == pin.Instructions || shot.withheld[key] || shot.pages[item.Name] != nil {
			continue // a page is read twice by itself
		}
		twoFaced := c.sight(key, item.Digest, shot.shifts)
		// Report it until a person approves the current definition: a finding that vanished with the next check would go unread.
		if twoFaced && !v.Approves(key, item.Digest) {
			item.Findings = append(item.Findings, equivocation(key))
		}
	}
}

// sight records a definition, and reports whether the item has shown two in this session. since is the number of list_changed notifications when it was
// requested: a later one may have come between the two definitions.
func (c *Checker) sight(key string, digest pin.Digest, since uint64) (twoFaced bool) {
	c.mu.Lock()
	now := time.Now()
	last, known := c.sighting[key]
	caught := known && last.digest != digest && last.since == c.shifts && now.Sub(last.at) < equivocationWindow
	if len(c.sighting) > maxSightings { // a server that renames its tools forever fills no memory
		clear(c.sighting)
		clear(c.twoFaced)
	}
	c.sighting[key] = seen{digest, now, since}
	if caught {
		c.twoFaced[key] = true
	}
	twoFaced = c.twoFaced[key]
	c.mu.Unlock()
	if caught {
		c.session.Equivocated(key)
	}
	return twoFaced
}

func equivocation(key string) inspect.Finding {
	return inspect.Finding{
		Rule: "equivocation", Level: inspect.High, Category: "threat", Where: key,
		Title: "Two different definitions within a minute, without notice of a change",
	}
}

// Surprises reports whether a page shows anything that the last snapshot did not.
func (c *Checker) Surprises(items []pin.Item) bool {
	v := c.view.Load()
	seen := v.Seen
	if seen == nil {
		return true
	}
	c.mu.Lock()
	shifts := c.shifts
	c.mu.Unlock()
	surprise := false
	for _, item := range items {
		key := item.Key()
		if item.Kind == pin.Resource && pin.IsPage(item.Name) {
			if seen.entries[item.Name] != item.Digest {
				c.pages.lookAgain()
				surprise = true
			}
			continue
		}
		if item.Kind == pin.Resource && !v.Policy.Resources {
			if _, listed := seen.loose[looseKey(item)]; !listed && v.stands() {
				surprise = true
			}
			continue
		}
		if seen.digests[key] == item.Digest || seen.withheld[key] {
			continue
		}
		surprise = true
		c.sight(key, item.Digest, shifts)
	}
	return surprise
}

// userInterfaces collects the ui:// resources a tool names in its _meta (MCP Apps: _meta.ui.resourceUri, earlier _meta."ui/resourceUri"; in
// the Apps SDK _meta."openai/outputTemplate").
func userInterfaces(tool []byte, into map[string]bool) {
	root := frame.Root(tool)
	for _, path := range [][]string{{"_meta", "ui", "resourceUri"}, {"_meta", "ui/resourceUri"}, {"_meta", "openai/outputTemplate"}} {
		if span, ok := frame.Find(tool, root, path...); ok {
			if uri, ok := frame.String(tool, span); ok && pin.IsPage(uri) {
				into[strings.Clone(uri)] = true
			}
		}
	}
}

// itemNoun is the word for a kind of item in a sentence.
func itemNoun(kind pin.Kind) string {
	switch kind {
	case pin.Tool:
		return "tool"
	case pin.Prompt:
		return "prompt"
	case pin.Resource, pin.ResourceTemplate:
		return "resource"
	case pin.Skill:
		return "skill"
	default:
		return "request"
	}
}

// faulted is the error of a listing that could not be read because of a bug of ours.
func faulted(fault string) error { return fmt.Errorf("a bug in Sallyport: %s", fault) }
