package proxy

import (
	"sync"
	"sync/atomic"
	"time"

	"github.com/sallyport/sallyport/proxy/frame"
	"github.com/sallyport/sallyport/proxy/vocab"
)

// What Sallyport doesn't speak yet, and why a client and its person are told so in one sentence each (docs/protocol.md): the code in it
// leads to docs/problems.md.

const (
	saysBatches = "SP-223: the server sends several messages in one line, which Sallyport doesn't pass; requests that they respond to get errors"
	saysEvents  = "SP-225: the server sends events, which Sallyport doesn't pass yet"
)

// strangers are sides that have said nothing we can read so far. Only they are asked whether they use another framing: later, a line that is
// no message is a log line, whatever it looks like.
type strangers struct {
	*exchange
	clientSpoke, serverSpoke atomic.Bool // it has sent a message

	mu   sync.Mutex
	said map[string]bool
}

// notice tells a sentence to whoever reads our stderr, once a session.
func (s *strangers) notice(sentence string) {
	s.mu.Lock()
	said := s.said[sentence]
	if s.said == nil {
		s.said = map[string]bool{}
	}
	s.said[sentence] = true
	s.mu.Unlock()
	if !said {
		s.cfg.Notice(sentence)
	}
}

// heard notes that a side has sent a message.
func heard(side *atomic.Bool) {
	if !side.Load() {
		side.Store(true)
	}
}

// foreign is the framing of a line that is no message, "" if its side has sent messages before or it is no framing that we know.
func foreign(side *atomic.Bool, line []byte) frame.Framing {
	if side.Load() {
		return ""
	}
	return frame.Foreign(line)
}

// whyFramed says why a message in another framing is blocked.
func whyFramed(framing frame.Framing) string {
	return "it is framed by " + string(framing) + ", and on stdio Sallyport speaks only one message a line (SP-222)"
}

func saysFraming(side string, framing frame.Framing) string {
	return "SP-222: the " + side + " frames its messages by " + string(framing) + ", and on stdio Sallyport speaks only one message a line, so nothing passes"
}

// framedClient answers a client that frames its messages otherwise. It can't read the answer; a person who looks at what it printed can.
func (s *strangers) framedClient(framing frame.Framing) {
	why := whyFramed(framing)
	s.notice(saysFraming("client", framing))
	s.journal.refusedLine(vocab.ModeAlways, "client", why)
	s.client.Enqueue(errorLine(nil, -32600, "[Sallyport] the message was blocked: "+why, nil))
}

// framedServer reports a server that frames its messages otherwise. Its message has no end that we see, so whatever waits for one gets its
// error soon, unless a line answers it after all.
func (s *Session) framedServer(framing frame.Framing, line []byte) {
	why := whyFramed(framing)
	s.strangers.notice(saysFraming("server", framing))
	s.journal.refusedLine(vocab.ModeAlways, "server", why)
	s.cfg.Stray(line)
	time.AfterFunc(textGrace, func() {
		if s.strangers.serverSpoke.Load() {
			return
		}
		for _, r := range s.calls.takeAll() {
			if r.own != nil {
				r.own <- nil
				continue
			}
			s.lost(r, 0, why)
		}
	})
}
