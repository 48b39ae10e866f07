package proxy

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
)

var (
	errNoPage     = errors.New("the response has no listing")
	errUnreadable = errors.New("the response can be read in more than one way")
	errGone       = errors.New("no answer came")
)

// equivocationWindow is how close two definitions of one item must be to count as two faces.
const equivocationWindow = time.Minute

// maxSightings bounds what is remembered of items; the listings of one snapshot stay below it.
const maxSightings = 4 * pin.MaxItems

// snapshot is everything one connection declares at one moment.
type snapshot struct {
	items      []pin.Item
	withheld   map[string]bool
	findings   []inspect.Finding
	serverInfo json.RawMessage
	protocol   string
	uis        map[string]bool // ui:// resources that tools name
	shifts     uint64          // list_changed notifications there had been when it began
}

// snapshot walks every listing to its end, with requests of our own that look like the client's.
func (c *checker) snapshot(ctx context.Context) (_ *snapshot, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = faulted(inspect.Fault(p))
		}
	}()
	life := &c.s.life
	life.mu.Lock()
	shot := &snapshot{serverInfo: life.serverInfo, protocol: life.protocol, findings: slices.Clone(life.findings), uis: map[string]bool{}}
	if life.instructions != nil {
		shot.items = append(shot.items, *life.instructions)
	}
	life.mu.Unlock()
	c.mu.Lock()
	shot.shifts = c.shifts
	c.mu.Unlock()

	type walked struct {
		page walkResult
		err  error
	}
	results := map[method]chan walked{}
	start := func(m method) {
		ch := make(chan walked, 1)
		results[m] = ch
		go func() {
			var got walked
			defer func() {
				if p := recover(); p != nil {
					got = walked{err: faulted(inspect.Fault(p))}
				}
				ch <- got
			}()
			got.page, got.err = c.walk(ctx, m)
		}()
	}
	pinsResources := c.view.Load().policy.Resources
	for _, m := range listMethods {
		if life.lists(m) && (m != methodListResources || pinsResources) {
			start(m)
		}
	}
	for _, m := range listMethods {
		if m == methodListResources && results[m] == nil && len(shot.uis) > 0 && life.lists(m) {
			start(m)
		}
		if results[m] == nil {
			continue
		}
		got := <-results[m]
		if got.err != nil {
			return nil, fmt.Errorf("%s: %w", lists[m].method, got.err)
		}
		for _, item := range got.page.items {
			if m == methodListTools && item.Unread == nil {
				userInterfaces(item.Raw, shot.uis)
			}
			if m == methodListResources && !pinsResources && !shot.uis[item.Name] {
				continue
			}
			shot.items = append(shot.items, item)
		}
		shot.findings = append(shot.findings, got.page.findings...)
	}
	_, known := c.view.Load().state.Items[everyResource] // what was decided over it holds when other items come
	if (known || onlyResources(shot.items)) && !pinsResources && life.lists(methodListResources) {
		shot.items = append(shot.items, allResources())
	}
	shot.withhold()
	return shot, nil
}

// onlyResources says that nothing of a server but its resources could be allowed; they are not pinned one by one.
func onlyResources(items []pin.Item) bool {
	return !slices.ContainsFunc(items, func(i pin.Item) bool { return i.Kind != pin.Instructions })
}

// allResources stands for the resources of a server that has nothing else: without an item nobody could open it.
func allResources() pin.Item {
	item, err := pin.ItemOf(pin.Resource, json.RawMessage(`{"uri":"*","name":"Everything this server offers to read"}`))
	if err != nil {
		panic(err) // it is ours
	}
	return item
}

// withhold marks the items whose names collide, and those that have no one reading.
func (shot *snapshot) withhold() {
	shot.withheld = map[string]bool{}
	indices, findings := pin.Collisions(shot.items, OwnToolNames)
	for i := range indices {
		shot.withheld[shot.items[i].Key()] = true
	}
	shot.findings = append(shot.findings, findings...)
	for _, item := range shot.items {
		if item.Unread != nil {
			shot.withheld[item.Key()] = true
		}
	}
}

func (shot *snapshot) observation() *observation {
	o := &observation{digests: map[string]pin.Digest{}, withheld: shot.withheld, unread: map[string]bool{}, ordinal: map[string]int{}, uis: shot.uis}
	tools := 0
	for _, item := range shot.items {
		key := item.Key()
		if item.Kind == pin.Tool {
			tools++
			o.ordinal[key] = tools
		}
		if item.Unread != nil {
			o.unread[key] = true
		}
		if !shot.withheld[key] {
			o.digests[key] = item.Digest
		}
	}
	return o
}

// fingerprint tells two snapshots apart, findings about the whole included.
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

// walkResult is one listing, all pages of it.
type walkResult struct {
	items    []pin.Item
	findings []inspect.Finding
}

// walk follows one listing from page to page: at most pin.MaxPages, pin.MaxItems, pin.MaxBytes, and no cursor twice.
func (c *checker) walk(ctx context.Context, m method) (walkResult, error) {
	var (
		got    walkResult
		cursor string
		bytes  int
		used   = map[string]bool{}
		l      = lists[m]
	)
	for page := 1; ; page++ {
		line, unread, err := c.ask(ctx, m, cursor)
		if err != nil {
			return got, err
		}
		root := frame.Root(line)
		if failed, ok := frame.Find(line, root, "error"); ok {
			code, _ := frame.Find(line, failed, "code")
			if page == 1 && (string(code.Of(line)) == "-32601" || !c.s.life.announces(l.capability)) {
				return got, nil // there is no such listing, announced or not: nothing is declared by it
			}
			return got, errors.New("the server responded with an error")
		}
		result, _ := frame.Find(line, root, "result")
		array, ok := frame.Find(line, result, l.member)
		if !ok || frame.Type(line, array) != '[' {
			return got, errNoPage
		}
		full := false
		take := func(raw []byte) bool {
			if len(got.items) >= pin.MaxItems || bytes+len(raw) > pin.MaxBytes {
				full = true
				return false
			}
			bytes += len(raw)
			item, err := pin.Declared(l.kind, raw)
			if err != nil {
				got.findings = append(got.findings, inspect.Finding{
					Rule: "unreadable_item", Level: inspect.High, Category: "threat", Where: string(l.kind),
					Title: "A " + itemNoun(l.kind) + " has no name, or its text can be read in two ways; it stays blocked",
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
			return got, nil
		}
		cursor, ok = frame.String(line, next)
		if ok && cursor == "" && !full {
			return got, nil // it would ask for the first page: there is no other
		}
		if full || page == pin.MaxPages || !ok || used[cursor] {
			got.findings = append(got.findings, inspect.Finding{
				Rule: inspect.BeyondBounds, Level: inspect.Medium, Category: "threat", Where: l.method,
				Title: fmt.Sprintf("The listing is longer than %d pages, %d items or %d MiB, or repeats itself; the rest stays blocked",
					pin.MaxPages, pin.MaxItems, pin.MaxBytes>>20),
			})
			return got, nil
		}
		used[cursor] = true
	}
}

// ask sends one request of our own and waits for its answer. The answer is a readable message with result or error; unread are the
// definitions that it is readable without.
func (c *checker) ask(ctx context.Context, m method, cursor string) (answer []byte, unread [][]byte, err error) {
	r := &request{id: c.s.ownID(), method: m, own: make(chan []byte, 1), started: time.Now()}
	if c.s.calls.add(r) == 0 {
		return nil, nil, errGone
	}
	line := appendHead(make([]byte, 0, 128), r.id)
	line = append(line, `,"method":"`...)
	line = append(line, lists[m].method...)
	line = append(line, '"')
	if cursor != "" {
		line = append(line, `,"params":{"cursor":`...)
		line = frame.AppendString(line, cursor)
		line = append(line, '}')
	}
	c.s.server.Enqueue(append(line, "}\n"...))
	select {
	case <-ctx.Done():
		c.s.calls.take(r.id)
		return nil, nil, errGone
	case answer := <-r.own:
		if answer == nil {
			return nil, nil, errUnreadable
		}
		return answer, r.unread, nil
	}
}

// compareSightings finds items that show two definitions within a minute with no list_changed between them.
func (c *checker) compareSightings(shot *snapshot) {
	v := c.view.Load()
	for i := range shot.items {
		item := &shot.items[i]
		if item.Kind == pin.Instructions || shot.withheld[item.Key()] {
			continue
		}
		key := item.Key()
		c.sight(key, item.Digest, shot.shifts)
		c.mu.Lock()
		twoFaced := c.twoFaced[key]
		c.mu.Unlock()
		// Said for as long as nobody has approved what is shown now: a finding that came and went with the next check
		// would be one nobody reads.
		if twoFaced && !v.approves(key, item.Digest) {
			item.Findings = append(item.Findings, equivocation(key))
		}
	}
}

// sight records a definition, and whether the item has shown two faces. since is how many list_changed notifications there
// had been when it was asked for: one that came between that and now may stand between the two definitions.
func (c *checker) sight(key string, digest pin.Digest, since uint64) {
	c.mu.Lock()
	now := time.Now()
	last, known := c.sighting[key]
	twoFaced := known && last.digest != digest && last.since == c.shifts && now.Sub(last.at) < equivocationWindow
	if len(c.sighting) > maxSightings { // a server that renames its tools for ever fills no memory
		clear(c.sighting)
		clear(c.twoFaced)
	}
	c.sighting[key] = seen{digest, now, since}
	if twoFaced {
		c.twoFaced[key] = true
	}
	c.mu.Unlock()
	if twoFaced {
		c.s.journal.equivocated(key)
	}
}

func equivocation(key string) inspect.Finding {
	return inspect.Finding{
		Rule: "equivocation", Level: inspect.High, Category: "threat", Where: key,
		Title: "Two different definitions within a minute, without notice of a change",
	}
}

// surprises says whether a page shows anything the last snapshot did not.
func (c *checker) surprises(items []pin.Item) bool {
	v := c.view.Load()
	seen := v.seen
	if seen == nil {
		return true
	}
	c.mu.Lock()
	shifts := c.shifts
	c.mu.Unlock()
	surprise := false
	for _, item := range items {
		key := item.Key()
		if item.Kind == pin.Resource && !v.policy.Resources && !seen.pinned(item.Name) {
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

// userInterfaces collects the ui:// resources a tool names in its _meta (MCP Apps: _meta.ui.resourceUri, earlier
// _meta."ui/resourceUri"; in the Apps SDK _meta."openai/outputTemplate").
func userInterfaces(tool []byte, into map[string]bool) {
	root := frame.Root(tool)
	for _, path := range [][]string{{"_meta", "ui", "resourceUri"}, {"_meta", "ui/resourceUri"}, {"_meta", "openai/outputTemplate"}} {
		if span, ok := frame.Find(tool, root, path...); ok {
			if uri, ok := frame.String(tool, span); ok && isUserInterface(uri) {
				into[strings.Clone(uri)] = true
			}
		}
	}
}

// itemNoun is how a kind of item is called in a sentence.
func itemNoun(kind pin.Kind) string {
	switch kind {
	case pin.Tool:
		return "tool"
	case pin.Prompt:
		return "prompt"
	case pin.Resource, pin.ResourceTemplate:
		return "resource"
	}
	return "request"
}
