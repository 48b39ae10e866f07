package flow

import (
	"cmp"
	"encoding/binary"
	"time"

	"github.com/sallyport/sallyport/proxy/control"
	"github.com/sallyport/sallyport/proxy/cut"
	values "github.com/sallyport/sallyport/proxy/flow"
	"github.com/sallyport/sallyport/proxy/inspect/legible"
)

// pairSize is the length of a value of a call: a hash under each key.
const pairSize = 16

func be64(b []byte) uint64 { return binary.BigEndian.Uint64(b) }

// ClientOf is the name under which a client's table is kept, as calls name it.
func ClientOf(registered, said string) string { return cmp.Or(registered, legible.Name(said, "")) }

// client is what came out of the servers of one client. Of two clients nothing is compared.
type client struct {
	name    string
	servers map[string]*heard
}

// heard is what came out of one server.
type heard struct {
	values map[uint64]entry
	order  []uint64  // oldest first; one that came again stands in it once more
	gone   int       // how many have left the front of order
	over   time.Time // until then, a destination may be missing: one was left out or pushed out
}

// entry is a value. It is small: there are a million of them.
type entry struct {
	from   *origin
	member uint64
	seen   int32 // seconds since the epoch, the last time
	kind   values.Kind
	as     as
}

// as is how a value was told.
type as uint8

const (
	inProse as = 1 << iota
	asField
	asSender // only in the field that names who wrote
	asEcho   // in a field that repeats what a call gave the server
)

// origin is the response that a value came in, shared by all its values.
type origin struct {
	item, request string
	at            time.Time
	flagged       bool
}

const maxRequest = 64

func (f *Flow) client(name string) *client {
	c := f.clients[name]
	if c == nil {
		c = &client{name: name, servers: map[string]*heard{}}
		f.clients[name] = c
	}
	return c
}

// came reports whether a value came out of any server of the client, and still counts.
func (c *client) came(hash uint64, now time.Time) bool {
	for _, h := range c.servers {
		if e, ok := h.values[hash]; ok && e.counts(now) {
			return true
		}
	}
	return false
}

// overflowed reports whether a destination may be missing from what came out of a server of the client.
func (c *client) overflowed(now time.Time) bool {
	for _, h := range c.servers {
		if now.Before(h.over) {
			return true
		}
	}
	return false
}

func (e entry) counts(now time.Time) bool {
	return now.Unix()-int64(e.seen) < int64(control.ValuesFor.Seconds())
}

// take adds the values of one response. A server's values push out only its own.
func (f *Flow) take(c *client, server string, v control.Values, now time.Time) {
	h := c.servers[server]
	if h == nil {
		h = &heard{values: map[uint64]entry{}}
		c.servers[server] = h
	}
	if v.Left {
		h.over = later(h.over, v.At.Add(control.ValuesFor))
	}
	from := &origin{item: cut.Bytes(v.Item, maxNamed), request: cut.Bytes(v.Request, maxRequest), at: v.At, flagged: v.Flagged}
	seen := int32(v.At.Unix())
	for came := v.Came; len(came) >= values.HashedSize; came = came[values.HashedSize:] {
		value, ok := values.ReadHashed(came)
		if !ok {
			continue
		}
		how := asField
		switch {
		case value.Prose:
			how = inProse
		case value.Echo:
			how = asEcho
		case senders[f.keys.members[value.Member]]:
			how = asSender
		}
		before, has := h.values[value.Hash]
		if has {
			how |= before.as
			if how&asField != 0 {
				how &^= asSender
			}
			kind := max(before.kind, value.Kind)
			if before.kind == values.Act || value.Kind == values.Act {
				kind = value.Kind
			}
			origin, member := before.from, before.member
			if value.Prose && before.as&inProse == 0 || from.flagged && !origin.flagged { // what a person is told is the first, and the worse
				origin, member = from, value.Member
			}
			h.values[value.Hash] = entry{from: origin, member: member, seen: max(before.seen, seen), kind: kind, as: how}
			if seen-before.seen > renewAfter {
				h.order = append(h.order, value.Hash)
			}
			continue
		}
		if len(h.values) >= control.MaxServerValues || f.entries >= maxEntries {
			if !f.push(h, now) { // it has none of its own to give up
				if value.Kind.Destination() {
					h.over = later(h.over, v.At.Add(control.ValuesFor))
				}
				continue
			}
		}
		h.values[value.Hash] = entry{from: from, member: value.Member, seen: seen, kind: value.Kind, as: how}
		h.order = append(h.order, value.Hash)
		f.entries++
	}
}

const (
	// renewAfter is after how many seconds a value that comes again moves to the end.
	renewAfter = 600
	// maxNamed is the longest name of what a response is from.
	maxNamed = 256
)

// push removes the oldest value of a server.
func (f *Flow) push(h *heard, now time.Time) bool {
	for h.gone < len(h.order) {
		hash := h.order[h.gone]
		h.gone++
		if h.gone > 1024 && h.gone*2 > len(h.order) {
			h.order = append(h.order[:0:0], h.order[h.gone:]...)
			h.gone = 0
		}
		e, ok := h.values[hash]
		if !ok {
			continue
		}
		delete(h.values, hash)
		f.entries--
		if e.kind.Destination() && e.counts(now) {
			h.over = later(h.over, time.Unix(int64(e.seen), 0).Add(control.ValuesFor))
		}
		return true
	}
	return false
}

// TendFlow forgets what no longer counts.
func (f *Flow) TendFlow() {
	f.mu.Lock()
	defer f.mu.Unlock()
	now := f.now()
	for name, c := range f.clients {
		for server, h := range c.servers {
			for hash, e := range h.values {
				if !e.counts(now) {
					delete(h.values, hash)
					f.entries--
				}
			}
			if len(h.values) == 0 && !now.Before(h.over) {
				delete(c.servers, server)
			}
		}
		if len(c.servers) == 0 {
			delete(f.clients, name)
		}
	}
}

func later(a, b time.Time) time.Time {
	if a.After(b) {
		return a
	}
	return b
}

// senders are the names of members that say who wrote.
var senders = map[string]bool{"from": true, "sender": true, "author": true, "reply_to": true, "organizer": true}

// memberNames are the names of members that a person is told. Of others nothing is known but a hash.
var memberNames = []string{
	"from", "sender", "author", "reply_to", "organizer", "to", "cc", "bcc", "recipient", "recipients", "email", "mail", "address", "url", "uri", "link", "href", "html_url",
	"host", "domain", "website", "id", "name", "title", "subject", "body", "text", "content", "description", "summary", "message", "comment", "note", "notes", "location",
	"phone", "account", "iban", "channel", "user", "username", "owner", "repo", "full_name", "path", "file", "filename", "attendees", "participants", "key", "token",
}
