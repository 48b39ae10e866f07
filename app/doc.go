// Package app is the hub: it decides what of a server reaches a client, over what store keeps.
//
// Open gives a Hub, which answers the control protocol (it is a control.Handler) and is driven by nothing else; the one
// who opens it serves its socket and waits for Done. It composes departments, each a room of its own over the store and the one lock
// that they share (package office), and embeds them, so that their calls are the hub's. Reading order: package review (pure: the state
// of each item of a server), approvals (what a person can do about it), quarantine (what
// becomes of a held response), settings (what is in force), wrappers (who is there, and what each is told), hub.go.
//
// Invariants: what is not approved is not in the State of a wrapper; an approval binds to a digest that the hub computed
// itself from the bytes a server declared; an item is durable before the report that caused it is answered, a decision
// before it is acknowledged; a store that cannot be read approves nothing and is never taken for an empty one.
package app
