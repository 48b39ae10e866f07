// Package guardrail asks other programs whether a text is an attack: a program on this computer (NewCommand), a service (NewHTTP), or
// LlamaFirewall (NewLlamaFirewall). Each is a Provider, which answers one request at a time or says in one line of our own words why it
// could not (Failure).
//
// Wrap each in a Breaker, which stops asking one that keeps failing. Take a text apart with Pieces and pass the pieces to Judge, with a
// context that ends when the answer must be there.
//
// A provider is foreign code: what it writes is read in one way or not at all, every reader has a limit, and its process has the guard of a
// wrapped server (package transport). So neither it nor anything it starts can decide or outlive us. Its reason is foreign text, and who
// shows it escapes it. A provider that did not answer well has said nothing: what that means is up to the caller (guardrail.on_error).
//
// The package knows no hub, no settings and no server. It keeps nothing of a text and writes no log.
package guardrail
