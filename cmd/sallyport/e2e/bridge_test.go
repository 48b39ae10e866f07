//go:build conformance

package e2e

import (
	"bufio"
	"bytes"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"os/exec"
	"slices"
	"strings"
	"sync"
	"testing"
)

// The conformance suite speaks streamable HTTP and a wrapper speaks lines. A bridge is what a proxy from one to the other must do and no more:
// in the legacy era a process for each session, in the modern one a process for all requests, whose ids it makes its own.
type bridge struct {
	t       testing.TB
	command func() *exec.Cmd

	mu     sync.Mutex
	legacy map[string]*bridged
	order  []string // of sessions, as they began
	modern *bridged
}

// bridged is one process behind a bridge.
type bridged struct {
	in   io.WriteCloser
	cmd  *exec.Cmd
	once sync.Once

	mu      sync.Mutex
	streams []*stream // in the order they were opened
	next    int
}

// stream is one HTTP response: what belongs to one request, or, with id "", whatever belongs to none.
type stream struct {
	id       string // as the process knows it
	raw      json.RawMessage
	token    string // of its progress
	messages chan json.RawMessage
	gone     chan struct{}
}

// said is what a bridge reads of a message.
type said struct {
	ID     json.RawMessage `json:"id"`
	Method string          `json:"method"`
	Params struct {
		Name, URI     string
		ProgressToken json.RawMessage            `json:"progressToken"`
		Meta          map[string]json.RawMessage `json:"_meta"`
	} `json:"params"`
	Error *struct{ Code int } `json:"error"`
}

const (
	metaVersion      = "io.modelcontextprotocol/protocolVersion"
	metaCapabilities = "io.modelcontextprotocol/clientCapabilities"
	metaSubscription = "io.modelcontextprotocol/subscriptionId"
	modernVersion    = "2026-07-28"
)

func newBridge(t testing.TB, command func() *exec.Cmd) *bridge {
	b := &bridge{t: t, command: command, legacy: map[string]*bridged{}}
	t.Cleanup(func() {
		b.mu.Lock()
		defer b.mu.Unlock()
		for _, p := range b.legacy {
			p.end()
		}
		if b.modern != nil {
			b.modern.end()
		}
	})
	return b
}

// maxIdle is how many sessions stay that nobody is using: the suite leaves each of its sessions behind.
const maxIdle = 3

// keep adds a session, and ends those that are idle and too many.
func (b *bridge) keep(name string, session *bridged) {
	b.mu.Lock()
	defer b.mu.Unlock()
	var idle []string
	for _, other := range b.order {
		if p := b.legacy[other]; p != nil && p.idle() {
			idle = append(idle, other)
		}
	}
	for _, other := range idle[:max(0, len(idle)-maxIdle)] {
		go b.legacy[other].end()
		delete(b.legacy, other)
	}
	b.legacy[name] = session
	b.order = append(b.order, name)
}

func (b *bridge) start() *bridged {
	cmd := b.command()
	in, err := cmd.StdinPipe()
	if err != nil {
		b.t.Error(err)
		return nil
	}
	out, err := cmd.StdoutPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		b.t.Error(err)
		return nil
	}
	p := &bridged{in: in, cmd: cmd}
	go p.read(out)
	return p
}

func (p *bridged) end() {
	p.once.Do(func() {
		p.in.Close()
		_ = p.cmd.Wait()
	})
}

func (p *bridged) idle() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return len(p.streams) == 0
}

// read gives each line of the process to the stream it belongs to.
func (p *bridged) read(out io.Reader) {
	lines := bufio.NewReaderSize(out, 1<<20)
	for {
		line, err := lines.ReadBytes('\n')
		if err != nil {
			return
		}
		var m said
		if json.Unmarshal(line, &m) != nil {
			continue
		}
		if s := p.belongs(&m); s != nil {
			select {
			case s.messages <- s.restored(line, &m):
			case <-s.gone:
			}
		}
	}
}

// belongs is the stream of a message: a response and a notification of a subscription say whose they are, progress has a token, and the rest
// goes to the last request that waits.
func (p *bridged) belongs(m *said) *stream {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, s := range p.streams {
		switch {
		case m.Method == "" && s.id != "" && s.id == string(m.ID),
			m.Method != "" && s.id != "" && s.id == string(m.Params.Meta[metaSubscription]),
			m.Method == "notifications/progress" && s.token != "" && s.token == string(m.Params.ProgressToken):
			return s
		}
	}
	if m.Method == "" || m.Params.Meta[metaSubscription] != nil {
		return nil
	}
	for _, s := range slices.Backward(p.streams) {
		if s.id != "" {
			return s
		}
	}
	if len(p.streams) > 0 {
		return p.streams[0]
	}
	return nil
}

// restored is a message with the id that the client knows.
func (s *stream) restored(line []byte, m *said) json.RawMessage {
	if s.raw == nil {
		return line
	}
	var whole map[string]json.RawMessage
	if json.Unmarshal(line, &whole) != nil {
		return line
	}
	if m.Method == "" {
		whole["id"] = s.raw
	}
	for _, member := range []string{"params", "result"} {
		var inner, meta map[string]json.RawMessage
		if json.Unmarshal(whole[member], &inner) == nil && json.Unmarshal(inner["_meta"], &meta) == nil && meta[metaSubscription] != nil {
			meta[metaSubscription] = s.raw
			inner["_meta"], _ = json.Marshal(meta)
			whole[member], _ = json.Marshal(inner)
		}
	}
	out, _ := json.Marshal(whole)
	return out
}

func (p *bridged) write(message []byte) {
	p.mu.Lock()
	defer p.mu.Unlock()
	var line bytes.Buffer
	if json.Compact(&line, message) == nil {
		line.WriteByte('\n')
		_, _ = p.in.Write(line.Bytes()) // a process that is gone answers nothing, and the suite says so
	}
}

func (p *bridged) open(s *stream) {
	s.messages, s.gone = make(chan json.RawMessage, 64), make(chan struct{})
	p.mu.Lock()
	defer p.mu.Unlock()
	p.streams = append(p.streams, s)
}

func (p *bridged) close(s *stream) {
	close(s.gone)
	p.mu.Lock()
	defer p.mu.Unlock()
	p.streams = slices.DeleteFunc(p.streams, func(other *stream) bool { return other == s })
}

// local reports whether a request comes from a page or a program of this machine (specification, "Security warning" of streamable HTTP).
func local(r *http.Request) bool {
	is := func(host string) bool {
		if name, _, err := net.SplitHostPort(host); err == nil {
			host = name
		}
		return host == "localhost" || host == "127.0.0.1" || host == "::1" || host == "[::1]"
	}
	if origin := r.Header.Get("Origin"); origin != "" {
		if u, err := url.Parse(origin); err != nil || !is(u.Host) {
			return false
		}
	}
	return is(r.Host)
}

func (b *bridge) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if !local(r) {
		http.Error(w, "not from here", http.StatusForbidden)
		return
	}
	b.mu.Lock()
	session := b.legacy[r.Header.Get("Mcp-Session-Id")]
	b.mu.Unlock()
	switch r.Method {
	case http.MethodPost:
		body, err := io.ReadAll(r.Body)
		var m said
		if err != nil || json.Unmarshal(body, &m) != nil {
			answer(w, http.StatusBadRequest, nil, -32700, "no message")
			return
		}
		b.post(w, r, session, body, &m)
	case http.MethodGet:
		if session == nil {
			http.Error(w, "no session", http.StatusMethodNotAllowed)
			return
		}
		s := &stream{}
		session.open(s)
		defer session.close(s)
		session.serve(w, r, s)
	case http.MethodDelete:
		if session == nil {
			http.Error(w, "no session", http.StatusNotFound)
			return
		}
		b.mu.Lock()
		delete(b.legacy, r.Header.Get("Mcp-Session-Id"))
		b.mu.Unlock()
		session.end()
	default:
		http.Error(w, "no such method", http.StatusMethodNotAllowed)
	}
}

func (b *bridge) post(w http.ResponseWriter, r *http.Request, session *bridged, body []byte, m *said) {
	header := r.Header.Get("Mcp-Protocol-Version")
	_, claims := m.Params.Meta[metaVersion]
	switch {
	case session == nil && (claims || header != "" && !strings.HasPrefix(header, "2025-") && !strings.HasPrefix(header, "2024-")):
		b.postModern(w, r, header, body, m)
	case session == nil && m.Method == "initialize":
		if session = b.start(); session == nil {
			http.Error(w, "not started", http.StatusInternalServerError)
			return
		}
		name := rand.Text()
		b.keep(name, session)
		w.Header().Set("Mcp-Session-Id", name)
		session.request(w, r, &stream{id: string(m.ID)}, body)
	case session == nil && r.Header.Get("Mcp-Session-Id") != "":
		answer(w, http.StatusNotFound, m.ID, -32001, "no such session")
	case session == nil:
		answer(w, http.StatusBadRequest, m.ID, -32000, "no session")
	case m.Method == "" || m.ID == nil:
		session.write(body)
		w.WriteHeader(http.StatusAccepted)
	default:
		session.request(w, r, &stream{id: string(m.ID), token: string(m.Params.Meta["progressToken"])}, body)
	}
}

// postModern checks what only HTTP has, its headers, and what they repeat, and passes the request on under an id of its own.
func (b *bridge) postModern(w http.ResponseWriter, r *http.Request, header string, body []byte, m *said) {
	var version string
	_ = json.Unmarshal(m.Params.Meta[metaVersion], &version)
	named := map[string]string{"tools/call": m.Params.Name, "prompts/get": m.Params.Name, "resources/read": m.Params.URI}[m.Method]
	switch {
	case version == "" || m.Params.Meta[metaCapabilities] == nil:
		answer(w, http.StatusBadRequest, m.ID, -32602, "no "+metaVersion+" or "+metaCapabilities)
		return
	case header != version, r.Header.Get("Mcp-Method") != m.Method, named != "" && strings.TrimSpace(r.Header.Get("Mcp-Name")) != named:
		answer(w, http.StatusBadRequest, m.ID, -32020, "the headers are not those of the message")
		return
	}
	b.mu.Lock()
	if b.modern == nil {
		b.modern = b.start()
	}
	p := b.modern
	b.mu.Unlock()
	if m.ID == nil {
		p.write(body)
		w.WriteHeader(http.StatusAccepted)
		return
	}
	p.mu.Lock()
	p.next++
	own := fmt.Sprintf(`"bridge-%d"`, p.next)
	p.mu.Unlock()
	var whole map[string]json.RawMessage
	if json.Unmarshal(body, &whole) != nil {
		answer(w, http.StatusBadRequest, m.ID, -32600, "no message")
		return
	}
	whole["id"] = json.RawMessage(own)
	message, _ := json.Marshal(whole)
	p.request(w, r, &stream{id: own, raw: m.ID, token: string(m.Params.Meta["progressToken"])}, message)
}

// request passes a request on and serves its stream.
func (p *bridged) request(w http.ResponseWriter, r *http.Request, s *stream, message []byte) {
	p.open(s)
	defer p.close(s)
	p.write(message)
	if !p.serve(w, r, s) && s.raw != nil { // in the modern era a closed stream cancels its request
		p.write(fmt.Appendf(nil, `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":%s}}`, s.id))
	}
}

// statuses are those of errors that have one over HTTP in the modern era; others have 200.
var statuses = map[int]int{-32601: http.StatusNotFound, -32020: http.StatusBadRequest, -32021: http.StatusBadRequest, -32022: http.StatusBadRequest}

// serve writes what comes for a stream until its response, and reports whether there was one. A response that comes first is JSON, anything else
// begins events.
func (p *bridged) serve(w http.ResponseWriter, r *http.Request, s *stream) (answered bool) {
	flusher := w.(http.Flusher)
	events := false
	for begin := s.id == ""; ; begin = true {
		if begin && !events {
			w.Header().Set("Content-Type", "text/event-stream")
			w.WriteHeader(http.StatusOK)
			flusher.Flush()
			events = true
		}
		var message json.RawMessage
		select {
		case message = <-s.messages:
		case <-r.Context().Done():
			return false
		}
		var m said
		_ = json.Unmarshal(message, &m)
		last := m.Method == "" && s.id != ""
		if last && !events {
			w.Header().Set("Content-Type", "application/json")
			status := http.StatusOK
			if m.Error != nil && s.raw != nil && statuses[m.Error.Code] != 0 {
				status = statuses[m.Error.Code]
			}
			w.WriteHeader(status)
			_, _ = w.Write(message)
			return true
		}
		if !events {
			w.Header().Set("Content-Type", "text/event-stream")
			events = true
		}
		fmt.Fprintf(w, "event: message\ndata: %s\n\n", bytes.TrimSpace(message))
		flusher.Flush()
		if last {
			return true
		}
	}
}

func answer(w http.ResponseWriter, status int, id json.RawMessage, code int, why string) {
	if id == nil {
		id = json.RawMessage("null")
	}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	fmt.Fprintf(w, `{"jsonrpc":"2.0","id":%s,"error":{"code":%d,"message":%q}}`, id, code, why)
}
