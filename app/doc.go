// Package app is the hub: it decides which parts of a server reach a client, based on what the store holds.
//
// Open returns a Hub, which answers the control protocol (it is a control.Handler); its owner serves its socket and waits for Done. The hub
// embeds departments, packages of their own that share the store and one lock (package office). What remains here is the hub's life: it
// opens the store or finds it lost (package lost), passes each decision to its department, and ends when no one needs it. Reading order:
// review (pure: the state of each item of a server), approvals (what a person can do about it), quarantine (held responses), settings,
// wrappers (who is connected), display (what people see), hub.go.
//
// Invariants: what is not approved is not in the State of a wrapper; an approval is bound to a digest that the hub computed itself from the
// bytes a server declared; an item is durable before the report that caused it is answered, a decision before it is acknowledged; an
// unreadable store approves nothing and is never treated as empty.
package app
