// Package declared compares what a server declares with what is approved, and says what may pass.
//
// A Checker takes snapshots of all listings, on a schedule and where a call or a change asks for one, reports what is not approved,
// and replaces the View: one consistent answer to "what may pass now", read without a lock. Responses that depend on a check that
// is still under way wait on its shelf, in the order they came. Shown notices a client that never lists again what changed.
//
// Invariants: nothing is served but by the digest of what is declared now; a check that does not come to an end blocks everything
// until one succeeds; while a newer check is due, nothing that may depend on it is delivered.
//
// It knows neither pipes nor pending requests: the connection is a Session, which package proxy implements.
package declared
