package remote

import (
	"bytes"
	"context"
	"encoding/base64"
	"strings"
	"sync"
	"time"

	"github.com/sallyport/sallyport/proxy/frame"
)

// message is one message of the client, with what its POST needs to know of it.
type message struct {
	line    []byte // without a line break
	kind    frame.Kind
	id      []byte
	key     string // of id (frame.AppendIDKey)
	method  string
	name    string // of what is called, read or got
	version string // that it claims: set in the modern era alone
	params  frame.Span
	target  string // of a cancellation: the key of the request's id

	ctx        context.Context
	cancel     context.CancelFunc
	written    chan struct{} // closed once the request was written
	once       sync.Once
	generation int         // of the session that it was written for
	by         *stream     // of the older transport, that its response comes on
	limit      *time.Timer // for a response on it; nil if there is none

	swallow func(line []byte, why string) // takes the response to a message of ours
}

// messageOf reads a line of the client's, nil if it is no message: the session sends none.
func messageOf(line []byte) *message {
	var m frame.Message
	if frame.Scan(line, frame.FromClient, &m) != nil {
		return nil
	}
	of := &message{line: bytes.TrimRight(line, "\r\n"), kind: m.Kind, method: string(m.Method), params: m.Params, written: make(chan struct{})}
	if m.Kind == frame.Request {
		of.id = bytes.Clone(m.ID.Of(line))
		of.key = string(frame.AppendIDKey(nil, of.id))
	}
	if !m.Claim.Empty() && frame.Type(line, m.Claim) == '"' {
		of.version, _ = frame.String(line, m.Claim)
	}
	name := m.Name
	switch of.method {
	case "resources/read", "resources/subscribe", "resources/unsubscribe":
		name, _ = frame.Find(line, m.Params, "uri")
	case "notifications/cancelled":
		if id, ok := frame.Find(line, m.Params, "requestId"); ok {
			of.target = string(frame.AppendIDKey(nil, id.Of(line)))
		}
	}
	if !name.Empty() && frame.Type(line, name) == '"' {
		of.name, _ = frame.String(line, name)
	}
	return of
}

func (m *message) wrote() { m.once.Do(func() { close(m.written) }) }

// headerValue is a value as a header of the modern era carries it: as it is, or in base64 if it could not be read there (specification of
// 2026-07-28, "Streamable HTTP", Value Encoding).
func headerValue(s string) string {
	plain := strings.TrimSpace(s) == s && !strings.HasPrefix(s, "=?base64?")
	for i := 0; plain && i < len(s); i++ {
		plain = s[i] >= 0x20 && s[i] < 0x7f
	}
	if plain {
		return s
	}
	return "=?base64?" + base64.StdEncoding.EncodeToString([]byte(s)) + "?="
}
