// Package proxy is one wrapped server: the session between an MCP client and the server it thinks it talks to.
//
// New and Session.Run are the whole surface. Two goroutines read lines (client.go, server.go); each line is read once by proxy/frame,
// judged by the table in gate.go, and goes on byte for byte or with single spans spliced. What both directions share is the exchange;
// on it stand, with arrows in one direction only: answers (held by quarantine, or by interactions what asks the user), listings, our own
// tools, the handshake, the entrance and the park. proxy/declared keeps what the server declares compared with what is approved; checked.go is what it needs of the session. What is
// approved comes from a Gatekeeper; session code never waits for it except where a decision must be stored first.
//
// Invariants kept here: nothing unapproved passes, every request gets one answer, no lock is held across a write to a pipe
// that the other direction needs, nothing a server sends can make us speak in its words.
package proxy
