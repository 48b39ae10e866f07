// Package proxy is one wrapped server: the session between an MCP client and the server it thinks it talks to.
//
// New and Session.Run are the whole surface. Two goroutines read lines (client, server); each line is read once by
// proxy/frame, judged (judge, judgeAnswer), and goes on byte for byte or with single spans spliced. The
// checker keeps what the server declares compared with what is approved. What is approved comes from a
// Gatekeeper; session code never waits for it except where the hub must have stored something first.
//
// Invariants kept here: nothing unapproved passes, every request gets one answer, no lock is held across a write to a pipe
// that the other direction needs, nothing a server sends can make us speak in its words.
package proxy
