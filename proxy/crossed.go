package proxy

import (
	"slices"

	"github.com/sallyport/sallyport/proxy/control"
	"github.com/sallyport/sallyport/proxy/frame"
)

// inOtherEra answers a request that the connection's era, or no version that we speak, allows, and reports whether it did.
func (s *Session) inOtherEra(r *request, line []byte, m *frame.Message) bool {
	settled, claims := s.eras.settled(), !m.Claim.Empty()
	switch {
	case r.method == methodInitialize:
		if settled != eraModern {
			return false
		}
		if claims { // it greets nobody: a request of the modern era, which has no such method
			s.client.Enqueue(errorLine(r.id, -32601, "Method not found", nil))
			return true
		}
		asked, _ := frame.Find(line, m.Params, "protocolVersion")
		s.discovery.refuseVersion(r, line, asked)
		return true
	case settled != eraModern && (settled == eraLegacy || !claims) && (r.method == methodDiscover || r.method == methodListen):
		s.client.Enqueue(errorLine(r.id, -32601, "Method not found", nil))
		return true
	case settled == eraLegacy && claims:
		s.discovery.refuseVersion(r, line, m.Claim)
		return true
	case claims:
		if version, _ := frame.String(line, m.Claim); !slices.Contains(control.Modern, version) {
			s.discovery.refuseVersion(r, line, m.Claim)
			return true
		}
	case settled == eraModern:
		s.client.Enqueue(errorLine(r.id, -32602, "[Sallyport] the request does not say its protocol version: "+frame.ClaimKey+" is missing in its _meta", nil))
		return true
	}
	if r.modern = claims; claims && s.eras.claims(m.Meta.Of(line)) {
		s.handshake.rememberModern(line, m, r.id)
	}
	return false
}
