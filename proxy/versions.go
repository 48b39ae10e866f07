package proxy

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"
	"time"

	"github.com/sallyport/sallyport/proxy/control"
	"github.com/sallyport/sallyport/proxy/frame"
	"github.com/sallyport/sallyport/proxy/inspect/legible"
	"github.com/sallyport/sallyport/proxy/refusal"
	"github.com/sallyport/sallyport/proxy/vocab"
)

// CodeVersion is the JSON-RPC error code of "no common protocol version" (UnsupportedProtocolVersionError, specification of 2026-07-28).
const CodeVersion = -32022

// rememberVersion stores the version that the client's initialize asks for.
func (s *handshake) rememberVersion(line []byte, m *frame.Message) {
	asked := ""
	if span, ok := frame.Find(line, m.Params, "protocolVersion"); ok {
		asked, _ = frame.String(line, span)
		asked = strings.Clone(asked[:min(len(asked), maxPlainID)])
	}
	s.life.mu.Lock()
	s.life.wanted = asked
	s.life.mu.Unlock()
}

// apartAt reports whether the result of initialize names a version that we don't speak, and stores it. A version that we speak but the
// client did not ask for is the client's choice: if it leaves, leftOver reports it.
func (s *handshake) apartAt(line []byte, result frame.Span) bool {
	span, ok := frame.Find(line, result, "protocolVersion")
	if !ok || frame.Type(line, span) != '"' {
		return false // it names none, and the client will notice that itself
	}
	version, _ := frame.String(line, span)
	apart := !slices.Contains(control.Legacy, version)
	if apart {
		s.noCommonVersion([]string{version})
	}
	if s.life.apart.Swap(apart) != apart {
		s.checks.Rebuild(nil, nil)
	}
	return apart
}

// noCommonVersion tells the hub that this start failed, and returns the words.
func (s *handshake) noCommonVersion(offered []string) control.Versions {
	v := control.VersionsOf(offered, s.life.version())
	if len(v.Offered) > 0 && !slices.ContainsFunc(v.Offered, func(version string) bool { return slices.Contains(control.Legacy, version) }) {
		s.cfg.Gate.Eras(control.Eras{Legacy: []string{}})
	}
	s.recordVersions(v)
	return v
}

func (s *handshake) recordVersions(v control.Versions) {
	s.journal.record(vocab.RecordProblem, vocab.StatusBlocked, control.Record{
		Summary: "the server and the client have no protocol version in common, so the server is blocked", Detail: control.VersionsDetail(v),
	})
	s.checks.Retell()
}

// versionError answers initialize in our words. From the server's message only versions that are dates are used.
func (s *handshake) versionError(id []byte, v control.Versions) []byte {
	return s.versionErrorTo(id, v, v.Asked)
}

// versionErrorTo is versionError with the version in the client's own words, which only its data repeats: in a sentence of ours they could say
// anything.
func (s *handshake) versionErrorTo(id []byte, v control.Versions, requested string) []byte {
	server := strings.TrimSpace("The server " + legible.SpokenServer(s.view().State.Name, ""))
	return unspoken(id, "[Sallyport] "+server+" "+control.VersionWords(v, "the client")+
		". Update the client or the server so that both speak the same version. Retrying will not help. (SP-221)", v.Offered, requested)
}

// refusedVersion handles an error to initialize that is about versions, and reports whether it did or will: a server that does not know
// initialize is asked which versions it speaks. An error means that the client no longer reads.
func (s *handshake) refusedVersion(r *request, line []byte, m *frame.Message) (bool, error) {
	offered, about := versionsNamed(line, m.Error)
	if about {
		v := s.noCommonVersion(offered)
		s.modern.adopt(func() {}) // before the client is told, which may leave at once
		return true, s.client.Write(s.versionError(r.id, v))
	}
	code, _ := frame.Find(line, m.Error, "code")
	switch string(code.Of(line)) {
	case "-32601", "-32600", "-32602": // how a server answers a method, or parameters, that its version does not have
	default:
		return false, nil
	}
	line = bytes.Clone(line)
	s.modern.adopt(func() {
		if offered := s.modern.named(); len(offered) > 0 && !slices.Contains(offered, s.life.version()) {
			s.client.Enqueue(s.versionError(r.id, s.noCommonVersion(offered)))
			return
		}
		var again frame.Message
		if frame.Scan(line, frame.FromServer, &again) == nil {
			_ = s.failedInitialize(r, line, &again) // the client's own reader notices that it is gone
		}
	})
	return true, nil
}

// discoverLimit is how long a server that does not know initialize may take to name its versions.
const discoverLimit = 3 * time.Second

// versionsNamed reads the versions that an error names: in its data, under any of the names in use, else in its message. about means that
// the error is about versions at all.
func versionsNamed(line []byte, failure frame.Span) (offered []string, about bool) {
	if code, ok := frame.Find(line, failure, "code"); ok && string(code.Of(line)) == "-32022" {
		about = true
	}
	under(line, failure, "data", func(data frame.Span) bool {
		for _, key := range []string{"supported", "supportedVersions", "supportedProtocolVersions", "supported_versions", "protocolVersions", "versions"} {
			under(line, data, key, func(value frame.Span) bool {
				if named := versionTexts(line, value); len(named) > 0 {
					offered, about = append(offered, named...), true
				}
				return true
			})
		}
		return true
	})
	if span, ok := frame.Find(line, failure, "message"); ok && len(offered) == 0 {
		message, _ := frame.String(line, span)
		lower := strings.ToLower(message[:min(len(message), 1000)])
		words := strings.FieldsFunc(lower, func(c rune) bool { return (c < '0' || c > '9') && c != '-' })
		if strings.Contains(lower, "protocol version") || strings.Contains(lower, "protocolversion") || saysOfVersions(lower) && len(control.VersionsOf(words, "").Offered) > 0 {
			offered, about = words, true // only dates count
		}
	}
	return offered, about
}

// saysOfVersions reports whether a message with a date is about supported versions: servers word such an error as they like.
func saysOfVersions(lower string) bool {
	return slices.ContainsFunc([]string{"version", "protocol", "speak"}, func(word string) bool { return strings.Contains(lower, word) })
}

// versionTexts are the texts of a list, or a single one.
func versionTexts(line []byte, value frame.Span) (texts []string) {
	add := func(span frame.Span) {
		if text, ok := frame.String(line, span); ok && len(text) <= maxPlainID && len(texts) < pageOfVersions {
			texts = append(texts, strings.Clone(text))
		}
	}
	switch frame.Type(line, value) {
	case '"':
		add(value)
	case '[':
		frame.Elements(line, value, func(_ int, one frame.Span) bool {
			add(one)
			return true
		})
	}
	return texts
}

// pageOfVersions limits how many versions of a server are read: the protocol has a handful.
const pageOfVersions = 100

// leftOver reports, at the end of the session, that the client left at the version it was offered. A client that went on agreed to it.
func (s *handshake) leftOver() {
	wanted, offered := s.life.version(), s.checks.Greeting().Protocol
	if s.life.answered.Load() && !s.life.apart.Load() && !s.life.initialized.Load() && !s.life.wentOn.Load() && wanted != "" && offered != "" && wanted != offered {
		s.noCommonVersion([]string{offered})
	}
}

// refuseApart answers a client's requests to a server whose version we don't speak.
func (s *handshake) refuseApart(r *request, line []byte) {
	switch {
	case r.method == methodCall && isOwnTool(r.name):
		s.tools.callOwn(r, line)
	case r.method.listing():
		s.client.Enqueue(s.listings.emptyListing(s.view(), r))
	default:
		s.refuse(r, refusal.Version)
	}
}

// unspoken is the error for a request in a version that the server or Sallyport does not speak (UnsupportedProtocolVersionError,
// specification of 2026-07-28): a client chooses from supported.
func unspoken(id []byte, message string, supported []string, requested string) []byte {
	data, err := json.Marshal(struct {
		Supported []string `json:"supported"`
		Requested string   `json:"requested,omitempty"`
	}{append([]string{}, supported...), requested})
	if err != nil {
		data = nil
	}
	return errorLine(id, CodeVersion, message, data)
}
