// Package store is the memory of the hub: one bbolt file that holds the servers, what a person approved of them, the inbox, and the
// activity chain. It knows no socket and no window; what it keeps are plain types.
//
// Open takes the data folder and the file lock: a store has one owner at a time (ErrLocked). Update and View run a transaction over
// servers, pins, seen definitions, history, inbox items, tasks and meta values; once Update returns, its changes are on disk. AppendNow adds
// activity records by themselves, Tx.Append together with a decision.
//
// Invariants:
//   - An unreadable store is never treated as an empty one: ErrCorrupt, ErrMissing, ErrSeal. SetAside keeps it under another name, and the
//     store that replaces it carries a Loss until a person has seen it.
//   - Every record outside the timeline carries an HMAC-SHA256 over its place and content, and the roll seals all servers and pins
//     together: a pin that something else wrote, restored or removed is detected (Tampered) and never returned. The seal has two limits.
//     The key is in the same folder (or comes from the keychain, Options.Key), so it stops a program that writes the file, but not one that
//     reads the key first. And an old copy of the whole file is a valid store of that day.
//   - Each activity record carries the hash of the one before; the head is sealed. Verify names the first record that was changed.
//   - Glances, which spare filters of the timeline most of the reading, can only make them faster: none decides what a record says.
package store
