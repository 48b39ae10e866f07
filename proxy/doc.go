// Package proxy is one wrapped server: the session between an MCP client and the server it thinks it talks to.
//
// New and Session.Run are the whole interface. Two goroutines read lines (client.go, server.go); proxy/frame reads each line once, the
// table in gate.go judges it, and it is forwarded byte for byte or with single spans spliced. The exchange holds what both directions
// share. The rest builds on it, with dependencies in one direction only: answers (held by quarantine; interactions handles those that ask
// the user), listings, our own tools, the handshake, the entrance and the park. proxy/declared compares what the server declares with what
// is approved; checked.go is its view of the session. Approvals come from a Gatekeeper; session code never waits for it, except where a
// decision must be stored first.
//
// Invariants: nothing unapproved passes, every request gets one response, no lock is held across a write to a pipe that the other direction
// needs, nothing a server sends can make us speak in its words.
package proxy
