package proxy

import (
	"context"
	"io"
	"slices"
	"sync"

	"github.com/sallyport/sallyport/proxy/control"
	"github.com/sallyport/sallyport/proxy/declared"
	"github.com/sallyport/sallyport/proxy/frame"
	"github.com/sallyport/sallyport/proxy/inspect/legible"
	"github.com/sallyport/sallyport/proxy/pin"
)

// park is a session whose server may not be started yet, or does not respond before a person has signed in: we answer initialize and refuse calls.
// Once the launch is allowed, or the person has signed in, the server gets the client's handshake repeated, and the client is told that every
// listing changed.
type park struct {
	*exchange
	handshake *handshake

	start func(context.Context) (io.Reader, io.WriteCloser, error)
	kick  chan struct{}
	late  *lateWriter
	err   error // why it could not be started

	version string // of the server, as JSON, that we give in its place

	mu         sync.Mutex
	parked     bool
	initialize []byte // the client's, to repeat to the server
}

func newPark(h *handshake, start func(context.Context) (io.Reader, io.WriteCloser, error)) *park {
	return &park{exchange: h.exchange, handshake: h, start: start, kick: make(chan struct{}, 1), late: newLateWriter(), version: `"not started"`, parked: true}
}

func (p *park) wake() {
	if p == nil {
		return
	}
	select {
	case p.kick <- struct{}{}:
	default:
	}
}

// holds reports whether the server has not been started yet.
func (p *park) holds() bool {
	if p == nil {
		return false
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.parked
}

// parkedRequest answers a request in place of the missing server, and reports whether it did.
func (p *park) parkedRequest(r *request, line []byte, m *frame.Message) bool {
	if p == nil {
		return false
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if !p.parked {
		return false
	}
	switch r.method {
	case methodInitialize:
		p.handshake.rememberClient(line, m, r.id)
		p.handshake.rememberVersion(line, m)
		p.life.asked.Store(true)
		p.eras.fix(eraLegacy)
		p.initialize = slices.Clone(line)
		p.client.Enqueue(resultLine(r, p.parkedInitialize(line, m)))
		return true
	case methodPlain:
		p.client.Enqueue(resultLine(r, []byte("{}")))
		return true
	case methodDiscover:
		p.parkedDiscover(r)
		return true
	}
	if r.modern && !p.handshake.modern.speaksModern() {
		v := control.VersionsOf(p.handshake.modern.versions(), p.handshake.modern.claimed())
		p.client.Enqueue(p.handshake.versionError(r.id, v))
		return true
	}
	if !r.modern && !p.life.asked.Load() {
		return false // refused like any other that comes too early
	}
	p.eras.answered(r)
	if r.method == methodListen {
		p.handshake.modern.listens.add(p.view(), r, line)
		return true
	}
	p.subjectOf(r, line, m)
	r.keep(line, m, p.eras.rest)
	v := p.view()
	switch {
	case r.method == methodCall && isOwnTool(r.name):
		p.handshake.tools.callOwn(r, line)
	case r.method.listing():
		p.client.Enqueue(p.handshake.listings.emptyListing(v, r))
	case v.Held() || v.State.Revision == 0 || v.State.Blocked:
		p.refuse(r, v.Shut())
	default: // it is starting
		p.handshake.entrance.hold(r, line)
	}
	return true
}

// parkedInitialized keeps the client's notifications/initialized for later.
func (p *park) parkedInitialized() bool {
	if p == nil {
		return false
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.parked {
		p.life.initialized.Store(true)
	}
	return p.parked
}

// parkedInitialize is our own response. It announces all listings, because the server's are unknown.
func (p *park) parkedInitialize(line []byte, m *frame.Message) []byte {
	protocol := control.Legacy[len(control.Legacy)-1] // the answer to a client that asks for an unknown version
	if span, ok := frame.Find(line, m.Params, "protocolVersion"); ok {
		if asked, _ := frame.String(line, span); slices.Contains(control.Legacy, asked) {
			protocol = asked
		}
	}
	result := append([]byte(`{"protocolVersion":"`), protocol...)
	result = append(result, `","capabilities":`+parkedCapabilities(p.view())+`,"serverInfo":{"name":`...)
	result = frame.AppendString(result, legible.SpokenServer(p.view().State.Name, "a server"))
	return append(append(result, `,"version":`...), p.version+`}}`...)
}

// parkedDiscover is our own response to server/discover, if the server is known to speak the modern era. Otherwise the client is sent to
// initialize, which every server that is not known can be asked with.
func (p *park) parkedDiscover(r *request) {
	var versions []byte
	for _, version := range p.view().State.Eras.Modern {
		if isModern(version) {
			versions = frame.AppendString(append(versions, ','), version)
		}
	}
	if versions == nil {
		p.client.Enqueue(errorLine(r.id, -32601, "[Sallyport] the server has not been started yet; start with initialize", nil))
		return
	}
	result := append([]byte(`{"supportedVersions":[`), versions[1:]...)
	result = append(result, `],"capabilities":`+parkedCapabilities(p.view())+`,"ttlMs":0,"cacheScope":"private","_meta":{"`+serverInfoKey+`":{"name":`...)
	result = frame.AppendString(result, legible.SpokenServer(p.view().State.Name, "a server"))
	p.client.Enqueue(resultLine(r, append(append(result, `,"version":`...), p.version+`}}}`...)))
}

// parkedCapabilities announce all listings of the protocol, and skills if the server is known to have some: a client asks once whether there are.
func parkedCapabilities(v *declared.View) string {
	skills := ""
	for key := range v.State.Items {
		if declared.HasKind(key, pin.Skill) {
			skills = `,"extensions":{"` + pin.SkillsExtension + `":{}}`
			break
		}
	}
	return `{"tools":{"listChanged":true},"prompts":{"listChanged":true},"resources":{"listChanged":true}` + skills + `}`
}

// awaitStart waits until the server may be started, starts it, and returns its output; nil if the session ended first or the start failed.
func (p *park) awaitStart(ctx context.Context) io.Reader {
	if !p.wait(ctx, func(v *declared.View) bool { return v.Launch == control.LaunchHold }) {
		return nil
	}
	from, to, err := p.start(ctx)
	if err != nil {
		p.err = err
		return nil
	}
	p.late.set(to)
	go p.meet(ctx)
	return from
}

// meet introduces the client to the server as soon as nothing holds it, and again if it wants a sign-in after all.
func (p *park) meet(ctx context.Context) {
	for p.wait(ctx, (*declared.View).Held) && !p.introduce(ctx) {
	}
}

// wait waits as long as a view holds the server. It returns false if the session ended before.
func (p *park) wait(ctx context.Context, holds func(*declared.View) bool) bool {
	for holds(p.view()) {
		select {
		case <-p.kick:
		case <-p.late.closed:
			return false
		case <-ctx.Done():
			return false
		}
	}
	return true
}

// introduce repeats the client's handshake to a server that was started late. It returns false if the server wants a sign-in first.
func (p *park) introduce(ctx context.Context) (met bool) {
	p.mu.Lock()
	line := p.initialize
	if line == nil {
		p.parked = false
	}
	p.mu.Unlock()
	if line == nil { // the client's own is still to come, or it needs none
		if p.eras.settled() == eraModern {
			p.checks.Stale()
			p.handshake.modern.begin()
		}
		return true
	}
	var m frame.Message
	answered := false
	if frame.Scan(line, frame.FromClient, &m) == nil {
		r := p.ownRequest(methodInitialize)
		whole, err := p.ask(ctx, r, frame.Splice(nil, line, []frame.Edit{{Start: m.ID.Start, End: m.ID.End, With: r.id}}))
		if err == nil {
			answer := cutOurs(whole)
			findings := p.handshake.foundInInitialize(whole, len(answer) != len(whole))
			if result, ok := frame.Find(answer, frame.Root(answer), "result"); ok && frame.Type(answer, result) == '{' {
				p.handshake.rememberServer(answer, result, findings)
				p.handshake.apartAt(answer, result)
				answered = true
			} else if failure, ok := frame.Find(answer, frame.Root(answer), "error"); ok {
				if offered, about := versionsNamed(answer, failure); about {
					p.handshake.noCommonVersion(offered)
				}
			}
		}
	}
	if !answered && p.view().State.SignIn.Wanted {
		return false
	}
	if answered {
		if p.cfg.Launch != nil {
			p.cfg.Launch.Answered()
		}
		p.life.answered.Store(true)
		p.checks.Stale()
	}
	p.mu.Lock()
	p.parked = false
	initialized := p.life.initialized.Load()
	p.mu.Unlock()
	switch {
	case !answered:
		p.handshake.notInitialized()
		return true
	case p.life.apart.Load():
		p.handshake.entrance.turnAway()
		return true
	}
	if initialized {
		p.server.Enqueue([]byte(`{"jsonrpc":"2.0","method":"notifications/initialized"}` + "\n"))
	}
	p.checks.Begin()
	return true
}

// lateWriter is the input of a server that is not there yet. Writes wait for it.
type lateWriter struct {
	ready  chan struct{}
	closed chan struct{}
	once   sync.Once
	mu     sync.Mutex
	to     io.WriteCloser
}

func newLateWriter() *lateWriter {
	return &lateWriter{ready: make(chan struct{}), closed: make(chan struct{})}
}

func (w *lateWriter) set(to io.WriteCloser) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.to = to
	close(w.ready)
	select {
	case <-w.closed:
		to.Close()
	default:
	}
}

func (w *lateWriter) Write(b []byte) (int, error) {
	select {
	case <-w.ready:
		return w.to.Write(b)
	case <-w.closed:
		return 0, io.ErrClosedPipe
	}
}

func (w *lateWriter) Close() error {
	w.once.Do(func() { close(w.closed) })
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.to != nil {
		return w.to.Close()
	}
	return nil
}
