package proxy

import (
	"bytes"

	"github.com/sallyport/sallyport/proxy/frame"
	"github.com/sallyport/sallyport/proxy/inspect"
)

// A bug in our code must neither end the session nor open a way past a check. The line that triggers it goes no further, a request that
// waits for it gets an error, and the timeline names the place in our code.

// guardedServer is fromServer, and survives a panic in it.
func (s *Session) guardedServer(line []byte) (err error) {
	s.serving = nil
	defer func() {
		if p := recover(); p != nil {
			s.journal.fault("a line of the server", inspect.Fault(p))
			err = s.failedServer(s.serving, line)
		}
	}()
	return s.fromServer(line)
}

// failedServer answers for a lost line of the server. r is the request it was known to answer, nil for none.
func (s *Session) failedServer(r *request, line []byte) error {
	switch {
	case r == nil:
		if id, _ := frame.FindID(line); id != nil {
			s.unanswered(id, bytes.Contains(line, []byte(`"method"`)), len(line), whyFault)
		}
	case r.own != nil:
		select {
		case r.own <- nil:
		default:
		}
	default:
		return s.client.Write(faultLine(r.id))
	}
	return nil
}

// guardedClient is fromClient, and survives a panic in it.
func (s *Session) guardedClient(line []byte) {
	defer func() {
		if p := recover(); p != nil {
			s.journal.fault("a line of the client", inspect.Fault(p))
			s.failedClient(line)
		}
	}()
	s.fromClient(line)
}

// failedClient is failedServer for a line of the client.
func (s *Session) failedClient(line []byte) {
	id, _ := frame.FindID(line)
	switch {
	case id == nil:
	case bytes.Contains(line, []byte(`"method"`)):
		s.calls.take(id)
		s.client.Enqueue(faultLine(id))
	default:
		if asked := s.asks.take(id); asked != nil {
			s.server.Enqueue(faultLine(asked.id))
		}
	}
}
