// Package declared compares what a server declares with what is approved, and says what may pass.
//
// A Checker takes snapshots of all listings, on a schedule and when a call or a change asks for one. It reports what is not approved and
// replaces the View: one consistent answer to "what may pass now", read without a lock. Responses that depend on a running check wait on
// its shelf, in order. Shown notices a client that never lists again after a change.
//
// Invariants: nothing is served except by the digest of what is declared now; a failed check blocks everything until one succeeds; while a
// newer check is due, nothing that may depend on it is delivered.
//
// It knows neither pipes nor pending requests: package proxy implements the Connection.
package declared
