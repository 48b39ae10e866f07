// Package app is the hub: it decides which parts of a server reach a client, based on what the store holds.
//
// Open returns a Hub, which answers the control protocol (it is a control.Handler) and is driven by nothing else; its owner serves its
// socket and waits for Done. It composes departments, each a package of its own over the store and the lock they share (package office),
// and embeds them, so that their calls are the hub's. What is left here is the hub's life: it opens the store or finds it lost (package
// lost), ends when no one needs it, and takes each decision to its department. Reading order: package review (pure: the state of each item
// of a server), approvals (what a person can do about it), quarantine (held responses), settings (what is in force), wrappers (who is
// connected, and what each is told), display (what people are shown), hub.go.
//
// Invariants: what is not approved is not in the State of a wrapper; an approval is bound to a digest that the hub computed itself from the
// bytes a server declared; an item is durable before the report that caused it is answered, a decision before it is acknowledged; an
// unreadable store approves nothing and is never treated as empty.
package app
