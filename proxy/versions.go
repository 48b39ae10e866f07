package proxy

import (
	"bytes"
	"context"
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
	apart := !slices.Contains(control.Spoken, version)
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
	s.journal.record(vocab.RecordProblem, vocab.StatusBlocked, control.Record{
		Summary: "the server and the client have no protocol version in common, so the server is blocked", Detail: control.VersionsDetail(v),
	})
	s.checks.Retell()
	return v
}

// versionError answers initialize in our words. From the server's message only versions that are dates are used.
func (s *handshake) versionError(id []byte, v control.Versions) []byte {
	data, err := json.Marshal(struct {
		Supported []string `json:"supported"`
		Requested string   `json:"requested,omitempty"`
	}{append([]string{}, v.Offered...), v.Asked})
	if err != nil {
		data = nil
	}
	server := strings.TrimSpace("The server " + legible.SpokenServer(s.view().State.Name, ""))
	return errorLine(id, CodeVersion, "[Sallyport] "+server+" "+control.VersionWords(v, "the client")+
		". Update the client or the server so that both speak the same version. Retrying will not help.", data)
}

// refusedVersion handles an error to initialize that is about versions, and reports whether it did or will: a server that does not know
// initialize is asked which versions it speaks. An error means that the client no longer reads.
func (s *handshake) refusedVersion(r *request, line []byte, m *frame.Message) (bool, error) {
	offered, about := versionsNamed(line, m.Error)
	if about {
		return true, s.client.Write(s.versionError(r.id, s.noCommonVersion(offered)))
	}
	code, _ := frame.Find(line, m.Error, "code")
	switch string(code.Of(line)) {
	case "-32601", "-32600", "-32602": // how a server answers a method, or parameters, that its version does not have
	default:
		return false, nil
	}
	line = bytes.Clone(line)
	s.aside.run(func() {
		ctx, cancel := context.WithTimeout(context.Background(), discoverLimit)
		defer cancel()
		if offered := s.discover(ctx); len(offered) > 0 && !slices.Contains(offered, s.life.version()) {
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

// discover asks a server which versions it speaks, as clients of 2026-07-28 do. nil: it did not say.
func (s *handshake) discover(ctx context.Context) []string {
	r := s.ownRequest(methodModern)
	line := appendHead(make([]byte, 0, 256), r.id)
	answer, err := s.ask(ctx, r, append(line, `,"method":"server/discover","params":{"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}}}`+"\n"...))
	if err != nil {
		return nil
	}
	root := frame.Root(answer)
	if result, ok := frame.Find(answer, root, "result", "supportedVersions"); ok {
		return versionTexts(answer, result)
	}
	failure, _ := frame.Find(answer, root, "error")
	offered, _ := versionsNamed(answer, failure)
	return offered
}

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
