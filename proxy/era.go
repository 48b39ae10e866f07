package proxy

import (
	"bytes"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/sallyport/sallyport/proxy/control"
	"github.com/sallyport/sallyport/proxy/frame"
	"github.com/sallyport/sallyport/proxy/vocab"
)

// era is one of the protocol's two eras (specification of 2026-07-28, "Versioning"): in the legacy one a session starts with initialize, in
// the modern one each request says its version itself. Nothing is translated from one into the other.
type era uint32

const (
	eraNone era = iota
	eraLegacy
	eraModern
)

func (e era) String() string {
	return [...]string{"", vocab.EraLegacy, vocab.EraModern}[e]
}

// eras is which era a connection is in.
type eras struct {
	serving atomic.Uint32 // of the server's last greeting, in which requests of our own are made
	fixed   atomic.Uint32 // of the first request that was answered with a result; the other era is not forwarded any more

	greeting sync.Mutex // held while a greeting takes effect, so that one of the other era does not come between

	meta atomic.Pointer[string] // what requests of our own carry, the inside of an object; nil before a client has said anything

	// For the goroutine that reads the client's lines.
	seen     []byte // the params._meta of the last request, as the client wrote it
	reserved []byte // its members that the protocol reserves
	rest     []byte // its other members
}

// era is the one that the server is asked in.
func (x *exchange) era() era { return era(x.eras.serving.Load()) }

// fix settles a connection's era, unless it has been settled, and reports whether it is this one.
func (e *eras) fix(as era) bool {
	e.fixed.CompareAndSwap(uint32(eraNone), uint32(as))
	return e.settled() == as
}

func (e *eras) settled() era { return era(e.fixed.Load()) }

// apart reports whether the client has neither been answered in an era nor tried the modern one: a server that is asked nevertheless has no
// version in common with it.
func (e *eras) apart() bool { return e.settled() == eraNone && e.meta.Load() == nil }

// answered settles the era with the first result of a modern request.
func (e *eras) answered(r *request) {
	if r.modern && e.settled() == eraNone && r.method != methodDiscover {
		e.fix(eraModern)
	}
}

// claims notes the `_meta` of a request of the modern era, and reports whether the protocol's own members of it differ from the last request's.
// Nearly every client writes the same each time.
func (e *eras) claims(meta []byte) bool {
	if bytes.Equal(meta, e.seen) {
		return false
	}
	e.seen = append(e.seen[:0], meta...)
	e.reserved, e.rest = e.reserved[:0], e.rest[:0]
	frame.Members(meta, frame.Root(meta), func(key string, m frame.Member) bool {
		to := &e.rest
		if strings.HasPrefix(key, reservedMeta) {
			to = &e.reserved
		}
		if len(*to) > 0 {
			*to = append(*to, ',')
		}
		*to = append(*to, meta[m.Key.Start:m.Value.End]...)
		return true
	})
	if before := e.meta.Load(); before != nil && *before == string(e.reserved) {
		return false
	}
	e.meta.Store(new(string(e.reserved)))
	return true
}

// reservedMeta begins the keys of `_meta` that describe the protocol, the client and its capabilities. A progress token is not among them: it
// belongs to one request.
const reservedMeta = "io.modelcontextprotocol/"

// defaultMeta is what our own requests of the modern era carry before a client has sent one.
var defaultMeta = `"` + frame.ClaimKey + `":"` + control.Modern[len(control.Modern)-1] + `","` + reservedMeta + `clientCapabilities":{}`

// own is the inside of the `_meta` of a request of ours.
func (e *eras) own() string {
	if meta := e.meta.Load(); meta != nil {
		return *meta
	}
	return defaultMeta
}

// ownLine is the line of a request of ours. params are the inside of an object, "" for none.
func (x *exchange) ownLine(r *request, method, params string) []byte {
	line := appendHead(make([]byte, 0, 512), r.id)
	line = append(line, `,"method":`...)
	line = frame.AppendString(line, method)
	if r.modern {
		line = append(append(append(line, `,"params":{"_meta":{`...), x.eras.own()...), '}')
		if params != "" {
			line = append(append(line, ','), params...)
		}
		line = append(line, '}')
	} else if params != "" {
		line = append(append(append(line, `,"params":{`...), params...), '}')
	}
	return append(line, "}\n"...)
}
