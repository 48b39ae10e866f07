package proxy

import (
	"bytes"
	"errors"
	"strings"

	"github.com/sallyport/sallyport/proxy/control"
	"github.com/sallyport/sallyport/proxy/declared"
	"github.com/sallyport/sallyport/proxy/frame"
	"github.com/sallyport/sallyport/proxy/inspect"
	"github.com/sallyport/sallyport/proxy/pin"
	"github.com/sallyport/sallyport/proxy/refusal"
)

// handshake is initialize and its consequences: what the server declared, and which version both sides speak.
type handshake struct {
	*exchange
	entrance *entrance
	listings *listings
	tools    *ownTools
	modern   *discovery
}

// rememberClient stores the client's name and its style of ids from initialize.
func (s *handshake) rememberClient(line []byte, m *frame.Message, id []byte) {
	s.rememberNamed(line, m, id, "clientInfo", "name")
}

// rememberModern is rememberClient for a request of the modern era, each of which may say who the client is.
func (s *handshake) rememberModern(line []byte, m *frame.Message, id []byte) {
	s.rememberNamed(line, m, id, "_meta", reservedMeta+"clientInfo", "name")
	if s.life.toldApart.Swap(false) { // it goes on in the modern era after all
		s.checks.Resync()
	}
}

func (s *handshake) rememberNamed(line []byte, m *frame.Message, id []byte, path ...string) {
	s.life.mu.Lock()
	defer s.life.mu.Unlock()
	s.life.numericIDs = len(id) > 0 && id[0] != '"'
	if span, ok := frame.Find(line, m.Params, path...); ok {
		if name, ok := frame.String(line, span); ok {
			s.life.client = name
		}
	}
	s.journal.client.Store(new(s.clientNameLocked()))
}

// answerInitialize stores what the server declared and passes the response on: instructions only if they are approved, and for an
// unreviewed server only the protocol's own words.
func (s *handshake) answerInitialize(r *request, line []byte, m *frame.Message) error {
	if m.Kind == frame.Error {
		s.notInitialized()
		if handled, err := s.refusedVersion(r, line, m); handled {
			return err
		}
		return s.failedInitialize(r, line, m)
	}
	findings := s.foundInInitialize(line, len(m.Ours) > 0)
	if len(m.Ours) > 0 {
		s.journal.impersonated()
		line = cutOurs(line)
	}
	result, ok := frame.Find(line, frame.Root(line), "result")
	if !ok || frame.Type(line, result) != '{' {
		s.notInitialized()
		return s.client.Write(errorLine(r.id, -32603, "[Sallyport] the server's response to initialize is not an object", nil))
	}
	g, ours := s.rememberServer(line, result, findings)
	if !ours { // a request of the modern era was answered first
		s.notInitialized()
		return s.client.Write(s.versionError(r.id, control.VersionsOf(s.modern.versions(), s.life.version())))
	}
	apart := s.apartAt(line, result)
	s.life.answered.Store(true)
	if s.cfg.Launch != nil {
		s.cfg.Launch.Answered()
	}
	s.client.Uncork() // flush what was gathered: it must not wait with this response
	s.life.awaitState(s.cfg.StateWait)

	v := s.view()
	var edits []frame.Edit
	if v.Open() {
		edits = s.editOpen(v, line, result, g, nil)
	} else {
		edits = editClosedInitialize(line, result)
	}
	switch info, ok := frame.Find(line, result, "serverInfo"); {
	case ok && !s.harmless(info.Of(line)):
		edits = append(edits, frame.Edit{Start: info.Start, End: info.End, With: bareInfo(v, nil, frame.Span{})})
	case ok && !v.Open():
		edits = append(edits, frame.Edit{Start: info.Start, End: info.End, With: bareInfo(v, line, info)})
	default:
		edits = append(edits, s.greeting(v, line, result, "serverInfo")...)
	}
	if v.Open() && instructs(v, g) {
		edits = append(edits, s.greeting(v, line, result, "instructions")...)
	}
	s.greeted(v, line, result, s.checks.Greeting())
	err := s.toClient(frame.Splice(nil, line, append(edits, beside(line)...)))
	if apart {
		s.entrance.turnAway()
	}
	s.checks.Begin()
	return err
}

// failedInitialize passes on an error that is not about versions.
func (s *handshake) failedInitialize(r *request, line []byte, m *frame.Message) error {
	if s.view().Open() && s.harmlessError(line) {
		return s.toClient(s.withoutOurs(line, m))
	}
	return s.client.Write(blandError(r, line, m))
}

// notInitialized undoes the client's initialize after a response that started no session: requests it sent in advance are refused instead
// of waiting for a snapshot that can't come. Those of the modern era need no session.
func (s *handshake) notInitialized() {
	if s.life.answered.Load() {
		return // an earlier initialize was answered, and that session continues
	}
	s.life.asked.Store(false)
	for _, w := range s.entrance.takeIf(func(r *request) bool { return !r.modern }) {
		s.refuse(w.r, refusal.Uninitialized)
	}
}

// foundInInitialize returns the findings in the response to initialize or server/discover, except in instructions, which are an item: all those
// in serverInfo, which a person reviewing the server will see, and those elsewhere that cause a cut. ours means that the line holds members
// only we may write.
func (s *handshake) foundInInitialize(line []byte, ours bool) (findings []inspect.Finding) {
	own := s.rules.file.Load()
	result, _ := frame.Find(line, frame.Root(line), "result")
	_, modern := frame.Find(line, result, "_meta", serverInfoKey)
	frame.Members(line, result, func(key string, member frame.Member) bool {
		if key == "instructions" {
			return true
		}
		whole := line[member.Key.Start:member.Value.End]
		if own.Count() == 0 && !ours && isShortWord(whole) {
			return true
		}
		judged := own.JudgeInitialize(key, member.Value.Of(line))
		if key == "serverInfo" || key == "_meta" && modern || judged.Verdict == inspect.Block {
			findings = append(findings, judged.Findings...)
		}
		return true
	})
	return findings
}

// rememberServer stores what the server declared in its response to initialize, and returns it. ok is false if the connection is in the modern
// era by now: then it counts for nothing.
func (s *handshake) rememberServer(line []byte, result frame.Span, findings []inspect.Finding) (g declared.Greeting, ok bool) {
	g = s.greetingOf(line, result, findings)
	s.eras.greeting.Lock()
	defer s.eras.greeting.Unlock()
	if !s.eras.fix(eraLegacy) {
		return g, false
	}
	s.checks.Greet(g)
	if era(s.eras.serving.Swap(uint32(eraLegacy))) == eraModern { // it was judged by what it declares there
		s.modern.listens.end()
		s.checks.Crossed()
		s.entrance.shut()
	}
	if g.Protocol != "" {
		s.modern.initialized(g.Protocol)
	}
	return g, true
}

// greetingOf reads what a server declares in its response to initialize or server/discover.
func (s *handshake) greetingOf(line []byte, result frame.Span, findings []inspect.Finding) declared.Greeting {
	g := declared.Greeting{Findings: findings, Capabilities: map[string]bool{}}
	frame.Members(line, result, func(key string, member frame.Member) bool {
		value := member.Value.Of(line)
		switch key {
		case "capabilities":
			frame.Members(line, member.Value, func(name string, c frame.Member) bool {
				g.Capabilities[strings.Clone(name)] = frame.Type(line, c.Value) == '{'
				announcedSkills(line, name, c.Value, g.Capabilities)
				return true
			})
		case "serverInfo":
			g.ServerInfo = bytes.Clone(value)
		case "_meta":
			if info, ok := frame.Find(line, member.Value, serverInfoKey); ok {
				g.ServerInfo = bytes.Clone(info.Of(line))
			}
		case "protocolVersion":
			g.Protocol, _ = frame.String(line, member.Value)
			g.Protocol = strings.Clone(g.Protocol)
		case "instructions":
			if isEmptyText(value) {
				break
			}
			item, err := pin.Declared(pin.Instructions, value)
			if err != nil {
				s.journal.withheld("instructions", err)
				break
			}
			if item.Unread != nil {
				s.journal.withheld("instructions", errors.New(item.Findings[0].Title))
			}
			g.Instructions = &item
		}
		return true
	})
	return g
}

// instructs reports whether the server's instructions may pass.
func instructs(v *declared.View, g declared.Greeting) bool {
	return g.Instructions != nil && v.Approves(string(pin.Instructions), g.Instructions.Digest)
}

// editOpen cuts unapproved instructions and announces our tools. ours, unless nil, is what we write in place of some members.
func (s *handshake) editOpen(v *declared.View, line []byte, result frame.Span, g declared.Greeting, ours func(key string, value []byte) ([]byte, bool)) []frame.Edit {
	approved := instructs(v, g)
	var written []frame.Edit
	capabilities, ok := frame.Find(line, result, "capabilities")
	ok = ok && frame.Type(line, capabilities) == '{' && s.harmless(capabilities.Of(line))
	keep := func(key string, m frame.Member) bool {
		if ours != nil {
			if with, is := ours(key, m.Value.Of(line)); is {
				written = append(written, frame.Edit{Start: m.Value.Start, End: m.Value.End, With: with})
				return true
			}
		}
		switch {
		case key == "capabilities":
			return ok
		case key == "instructions":
			return approved || isEmptyText(m.Value.Of(line))
		case key != "serverInfo" && (!s.harmless(m.Key.Of(line)) || !s.harmless(m.Value.Of(line))):
			return false
		}
		// A parser that ignores case would read these as the two above, unapproved.
		return !strings.EqualFold(key, "capabilities") && !strings.EqualFold(key, "instructions")
	}
	if !ok {
		return append(frame.EditObject(line, result, keep, []byte(`"capabilities":{"tools":{"listChanged":true}}`)), written...)
	}
	edits := append(frame.EditObject(line, result, keep), written...)
	tools, ok := frame.Find(line, capabilities, "tools")
	if !ok || frame.Type(line, tools) != '{' {
		notTools := func(key string, _ frame.Member) bool { return key != "tools" }
		return append(edits, frame.EditObject(line, capabilities, notTools, []byte(`"tools":{"listChanged":true}`))...)
	}
	if flag, ok := frame.Find(line, tools, "listChanged"); ok {
		if string(flag.Of(line)) == "true" {
			return edits
		}
		return append(edits, frame.Edit{Start: flag.Start, End: flag.End, With: []byte("true")})
	}
	return append(edits, frame.AppendMember(line, tools, []byte(`"listChanged":true`))...)
}

func isEmptyText(raw []byte) bool { return string(raw) == `""` || string(raw) == "null" }
