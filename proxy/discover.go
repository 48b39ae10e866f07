package proxy

import (
	"bytes"
	"context"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/sallyport/sallyport/proxy/control"
	"github.com/sallyport/sallyport/proxy/declared"
	"github.com/sallyport/sallyport/proxy/frame"
	"github.com/sallyport/sallyport/proxy/pin"
	"github.com/sallyport/sallyport/proxy/vocab"
)

// discovery is server/discover and its consequences: how a server is greeted in the modern era (specification of 2026-07-28). A client can go
// without it, so the wrapper asks itself before it judges a first request.
type discovery struct {
	*exchange
	handshake *handshake
	listens   *listens

	mu      sync.Mutex
	asking  bool               // a request of our own is under way
	greets  int                // greetings of our own under way, until their consequences are
	found   *declared.Greeting // what the server declared, nil if it has not
	offered []string           // versions that the server named, as it spells them
	silent  bool               // the server was asked and did not answer in time
	over    bool               // the server's output has ended

	wantsSignIn func() bool // handles a server that wants a sign-in first, and reports whether it does; nil if it can't
}

const (
	// probeLimit is how long a server that nobody knows may take to answer its client's server/discover. Clients take silence for a server
	// of the legacy era, after 10 s (Python SDK) or 60 s (TypeScript SDK); we say so in their place.
	probeLimit = 5 * time.Second
	// greetLimit is how long one that is known to speak the modern era may take to start: as long as clients wait for a response.
	greetLimit = time.Minute
	// firstState is how long a client's first request waits for the hub's first state.
	firstState = 250 * time.Millisecond
)

func newDiscovery(h *handshake, l *listens) *discovery {
	d := &discovery{exchange: h.exchange, handshake: h, listens: l}
	h.modern = d
	return d
}

// discover handles a client's server/discover.
func (d *discovery) discover(r *request, line []byte) {
	if d.view().State.Revision > 0 {
		d.probe(r, line)
		return
	}
	line = bytes.Clone(line)
	d.beside(r, func() {
		d.life.awaitState(firstState)
		d.probe(r, line)
	})
}

// probe asks the server, unless it is known to speak the legacy era alone.
func (d *discovery) probe(r *request, line []byte) {
	if d.speaksLegacyAlone() {
		d.client.Enqueue(errorLine(r.id, -32601, "[Sallyport] the server speaks no protocol version of 2026-07-28 or later; start with initialize", nil))
		return
	}
	d.forward(r, line)
	limit := probeLimit
	if d.speaksModern() {
		limit = greetLimit // it is slow, not silent
	}
	time.AfterFunc(limit, func() {
		if !d.calls.takeIf(r) {
			return
		}
		d.late(r.id) // before the client is told: what comes from then on says which era the server speaks
		d.client.Enqueue(errorLine(r.id, -32601, "[Sallyport] the server did not respond to server/discover; start with initialize", nil))
	})
}

// late waits for an answer that comes after its request was given up: it reaches no client, but says which era the server speaks.
func (d *discovery) late(id []byte) {
	d.mu.Lock()
	d.silent = !d.speaksModern()
	d.mu.Unlock()
	r := &request{id: id, method: methodDiscover, modern: true, own: make(chan []byte, 1), started: time.Now()}
	if !d.add(r) {
		return
	}
	d.aside.run(func() {
		select {
		case answer := <-r.own:
			if answer == nil {
				return
			}
			d.journal.dropped("a response to server/discover that came too late")
			d.mu.Lock()
			d.silent = false
			d.mu.Unlock()
			d.heard(answer)
		case <-time.After(greetLimit):
			d.calls.takeIf(r)
		}
	})
}

// heard notes what an answer to server/discover says about the server's versions, and returns what it declared if one of them is spoken here.
func (d *discovery) heard(line []byte) *declared.Greeting {
	result, ok := frame.Find(line, frame.Root(line), "result")
	if !ok || frame.Type(line, result) != '{' {
		failure, _ := frame.Find(line, frame.Root(line), "error")
		offered, about := versionsNamed(line, failure)
		d.mu.Lock()
		d.offered = offered
		d.mu.Unlock()
		d.tellEras(offered, !about)
		return nil
	}
	versions, _ := frame.Find(line, result, "supportedVersions")
	offered := versionTexts(line, versions)
	d.mu.Lock()
	defer d.mu.Unlock()
	d.offered = offered
	d.tellEras(offered, false)
	newest := newestModern(offered)
	if newest == "" {
		return nil
	}
	rest := cutOurs(line)
	findings := d.handshake.foundInInitialize(line, len(rest) != len(line))
	result, _ = frame.Find(rest, frame.Root(rest), "result")
	g := d.handshake.greetingOf(rest, result, findings)
	g.Protocol = newest
	d.found = &g
	return d.found
}

func isModern(version string) bool { return slices.Contains(control.Modern, version) }

func newestModern(offered []string) string {
	newest := ""
	for _, version := range offered {
		if isModern(version) && version > newest {
			newest = strings.Clone(version)
		}
	}
	return newest
}

// answer passes a server's answer to its client's server/discover on.
func (d *discovery) answer(r *request, line []byte, m *frame.Message) error {
	if m.Kind == frame.Error {
		d.heard(line)
		if offered, about := versionsNamed(line, m.Error); about {
			return d.client.Write(d.handshake.versionError(r.id, control.VersionsOf(offered, d.claimed())))
		}
		return d.handshake.failedInitialize(r, line, m)
	}
	d.client.Uncork() // flush what was gathered: it must not wait with this response
	d.life.awaitState(d.cfg.StateWait)
	g := d.heard(line)
	if len(m.Ours) > 0 {
		d.journal.impersonated()
		line = cutOurs(line)
	}
	result, ok := frame.Find(line, frame.Root(line), "result")
	switch {
	case !ok || frame.Type(line, result) != '{':
		return d.client.Write(errorLine(r.id, -32603, "[Sallyport] the server's response to server/discover is not an object", nil))
	case g == nil:
		return d.client.Write(d.handshake.versionError(r.id, d.noCommon(d.claimed())))
	}
	if d.cfg.Launch != nil {
		d.cfg.Launch.Answered()
	}
	d.changed(g)
	v := d.view()
	d.handshake.greeted(v, line, result, *g)
	if !v.Open() {
		return d.client.Write(resultLine(r, d.bareDiscovery(v, line, result)))
	}
	line = uncached(line)
	result, _ = frame.Find(line, frame.Root(line), "result")
	edits := d.handshake.editOpen(v, line, result, *g, d.edited)
	if instructs(v, *g) {
		edits = append(edits, d.handshake.greeting(v, line, result, "instructions")...)
	}
	return d.toClient(frame.Splice(nil, line, append(edits, beside(line)...)))
}

// noCommon reports that the server and the client have no version in common.
func (d *discovery) noCommon(asked string) control.Versions {
	v := control.VersionsOf(d.versions(), asked)
	d.handshake.recordVersions(v)
	return v
}

// versions are those that the server named in this session, else those that the hub knows, else those of the legacy era's newest: a server
// that does not know server/discover has it.
func (d *discovery) versions() []string {
	offered := d.named()
	if len(offered) == 0 {
		offered = d.knownVersions()
	}
	if len(offered) == 0 {
		offered = control.Legacy[len(control.Legacy)-1:]
	}
	return offered
}

// claimed is the version that the client's last modern request said.
func (d *discovery) claimed() string {
	meta := []byte("{" + d.eras.own() + "}")
	span, ok := frame.Find(meta, frame.Root(meta), frame.ClaimKey)
	if !ok {
		return ""
	}
	version, _ := frame.String(meta, span)
	return strings.Clone(version)
}

// refuseVersion answers a request in a version that is not spoken on this connection. asked is where the request says it.
func (d *discovery) refuseVersion(r *request, line []byte, asked frame.Span) {
	version, _ := frame.String(line, asked)
	offered := slices.DeleteFunc(d.counting(), func(version string) bool { return !slices.Contains(control.Spoken, version) })
	requested := ""
	if len(version) <= maxPlainID {
		requested = version
	}
	d.client.Enqueue(d.handshake.versionErrorTo(r.id, control.VersionsOf(offered, version), requested))
}

// begin greets the server in the modern era, if it has not been: nothing can be decided before.
func (d *discovery) begin() {
	if d.life.discovered.Load() {
		return
	}
	d.mu.Lock()
	found, asking := d.found, d.asking
	if !asking && found == nil {
		d.asking = true
		d.greets++
	}
	d.mu.Unlock()
	switch {
	case asking:
	case found != nil:
		d.use(found)
	default:
		d.aside.run(func() {
			d.life.awaitState(firstState)
			d.goOn(d.greet())
		})
	}
}

// greeted goes on with what a greeting of our own came to.
func (d *discovery) greeted(found *declared.Greeting) {
	d.mu.Lock()
	over := d.over
	d.mu.Unlock()
	switch {
	case found != nil:
		d.use(found)
	case d.wantsSignIn != nil && d.wantsSignIn():
	case !over: // else they are told how the server ended
		d.turnAway()
	}
}

// greet asks the server itself. nil: it speaks no version of the modern era, or did not say.
func (d *discovery) greet() *declared.Greeting {
	if d.speaksLegacyAlone() {
		return nil
	}
	limit := discoverLimit
	if d.speaksModern() {
		limit = greetLimit
	}
	ctx, cancel := context.WithTimeout(context.Background(), limit)
	defer cancel()
	r := d.ownRequest(methodDiscover)
	r.modern = true
	if !d.add(r) {
		return nil
	}
	answer, err := d.sendOwn(ctx, r, d.ownLine(r, "server/discover", ""))
	if err != nil {
		if ctx.Err() != nil {
			d.late(r.id)
		}
		return nil
	}
	return d.heard(answer)
}

// add registers a request of our own, unless the server's output has ended: nothing would answer it.
func (d *discovery) add(r *request) bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	return !d.over && d.calls.add(r) > 0
}

// pending reports whether the server is being greeted, or is about to be.
func (d *discovery) pending() bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.greets > 0
}

// adopt greets a server that speaks the modern era alone, for a client of the legacy one: then it can be reviewed. first runs before it does.
func (d *discovery) adopt(first func()) {
	d.mu.Lock()
	d.asking = true
	d.greets++
	d.mu.Unlock()
	d.aside.run(func() {
		found := d.greet()
		first()
		d.goOn(found)
	})
}

// goOn ends a greeting of our own, with what it came to.
func (d *discovery) goOn(found *declared.Greeting) {
	d.mu.Lock()
	d.asking = false
	d.mu.Unlock()
	d.greeted(found)
	d.mu.Lock()
	d.greets--
	d.mu.Unlock()
}

// use makes a greeting of the modern era the one that counts: listings are asked and judged in it. In a legacy session it counts for nothing.
func (d *discovery) use(g *declared.Greeting) {
	d.eras.greeting.Lock()
	if d.eras.settled() == eraLegacy {
		d.eras.greeting.Unlock()
		d.turnAway()
		return
	}
	d.checks.Greet(*g)
	was := era(d.eras.serving.Swap(uint32(eraModern)))
	d.life.discovered.Store(true)
	if d.listens.any() {
		d.eras.fix(eraModern)
	}
	d.eras.greeting.Unlock()
	if d.cfg.Launch != nil {
		d.cfg.Launch.Answered()
	}
	if was == eraLegacy {
		d.checks.Crossed()
		d.checks.Demand(true)
	}
	d.checks.Begin()
	d.listens.start()
}

// turnAway answers the modern requests that wait for a greeting that will not come, and ends the streams that were opened in advance.
func (d *discovery) turnAway() {
	requests := d.listens.takeAll()
	for _, w := range d.handshake.entrance.takeIf(func(r *request) bool { return r.modern }) {
		requests = append(requests, w.r)
	}
	if len(requests) > 0 && d.eras.settled() != eraLegacy {
		d.noCommon(d.claimed())
	}
	for _, r := range requests {
		d.refuseEra(r)
	}
}

// refuseEra answers a modern request of a connection that is not in that era.
func (d *discovery) refuseEra(r *request) {
	d.client.Enqueue(d.handshake.versionError(r.id, control.VersionsOf(d.counting(), d.claimed())))
	d.journal.answered(r, vocab.StatusBlocked, 0)
}

// counting are the versions that a client can go on with: in a legacy session the one it has.
func (d *discovery) counting() []string {
	if v := d.checks.Greeting().Protocol; d.eras.settled() == eraLegacy && v != "" {
		return []string{v}
	}
	return d.versions()
}

// bareDiscovery is what the client gets of a server that nobody has reviewed: what it needs to go on, in the protocol's own words.
func (d *discovery) bareDiscovery(v *declared.View, line []byte, result frame.Span) []byte {
	out := append([]byte(`{"supportedVersions":`), d.spoken()...)
	out = append(append(out, `,"capabilities":`...), bareCapabilities(line, result)...)
	info, _ := frame.Find(line, result, "_meta", serverInfoKey)
	out = append(out, `,"ttlMs":0,"cacheScope":"private","_meta":{"`+serverInfoKey+`":`...)
	return append(append(out, bareInfo(v, line, info)...), `}}`...)
}

// named are the versions that the server named in this session.
func (d *discovery) named() []string {
	d.mu.Lock()
	defer d.mu.Unlock()
	return slices.Clone(d.offered)
}

// spoken is the JSON of the versions that the server offers and Sallyport speaks.
func (d *discovery) spoken() []byte {
	d.mu.Lock()
	defer d.mu.Unlock()
	list := []byte{'['}
	for _, version := range control.Spoken {
		if slices.Contains(d.offered, version) {
			if len(list) > 1 {
				list = append(list, ',')
			}
			list = frame.AppendString(list, version)
		}
	}
	return append(list, ']')
}

// edited are the members of a discovery that we write ourselves, by key.
func (d *discovery) edited(key string, _ []byte) (with []byte, ours bool) {
	return d.spoken(), key == "supportedVersions"
}

// changed has a server judged again that greets otherwise than before: in the modern era it can do so at any time.
func (d *discovery) changed(g *declared.Greeting) {
	if d.era() != eraModern {
		return
	}
	before := d.checks.Greeting()
	d.checks.Greet(*g)
	if digestOf(before.Instructions) != digestOf(g.Instructions) || !bytes.Equal(before.ServerInfo, g.ServerInfo) || !maps.Equal(before.Capabilities, g.Capabilities) {
		d.checks.Demand(true)
	}
}

func digestOf(item *pin.Item) pin.Digest {
	if item == nil {
		return ""
	}
	return item.Digest
}

// serverInfoKey is where each result of the modern era may name its server.
const serverInfoKey = reservedMeta + "serverInfo"

// speaksLegacyAlone and speaksModern are what the hub knows about the server's process.
func (d *discovery) speaksLegacyAlone() bool {
	known := d.view().State.Eras.Modern
	return known != nil && len(known) == 0
}

func (d *discovery) speaksModern() bool { return len(d.view().State.Eras.Modern) > 0 }

// knownVersions are those that the hub knows of the server.
func (d *discovery) knownVersions() []string {
	known := d.view().State.Eras
	return slices.Concat(known.Legacy, known.Modern)
}

// tellEras tells the hub which versions the server named, or that it speaks none of the modern era.
func (d *discovery) tellEras(offered []string, refused bool) {
	var known control.Eras
	if refused {
		known.Modern = []string{}
	}
	for _, version := range control.VersionsOf(offered, "").Offered {
		if version > control.Legacy[len(control.Legacy)-1] {
			known.Modern = append(known.Modern, version)
		} else {
			known.Legacy = append(known.Legacy, version)
		}
	}
	d.cfg.Gate.Eras(known)
}

// fallSilent ends the waiting for answers to server/discover, because the server's output has ended.
func (d *discovery) fallSilent() {
	d.mu.Lock()
	d.over = true
	d.mu.Unlock()
	for _, r := range d.calls.of(methodDiscover) {
		select {
		case r.own <- nil: // never, for a request of the client
		default:
		}
	}
}

// deserted tells the hub that the server exited by itself instead of answering server/discover, if it did: servers of the legacy era do.
func (d *discovery) deserted() {
	if len(d.calls.of(methodDiscover)) > 0 && !d.speaksModern() { // one that spoke the modern era before may just have failed
		d.tellEras(nil, true)
	}
}

// initialized tells the hub that the server answered initialize. One that was silent about the modern era does not speak it.
func (d *discovery) initialized(version string) {
	d.mu.Lock()
	silent := d.silent
	d.mu.Unlock()
	known := control.Eras{Legacy: []string{version}}
	if silent {
		known.Modern = []string{}
	}
	d.cfg.Gate.Eras(known)
}
