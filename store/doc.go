// Package store is the memory of the hub: one bbolt file that holds the servers, what a person approved of them, what
// waits in the inbox, and the activity chain. It knows no socket, no window and none of our other packages; what it keeps
// are plain types.
//
// Open takes the data folder and the file lock: a store has one owner at a time (ErrLocked). Update and View run a
// transaction over servers, pins, seen definitions, history, inbox items and meta values; what Update wrote is on the disk
// when it returns. Append queues an activity record without ever waiting for a disk, AppendNow and Tx.Append are durable.
//
// Invariants:
//   - A store that cannot be read is never taken for an empty one: ErrCorrupt, ErrMissing, ErrSeal. SetAside keeps it under
//     another name, and the store that then takes its place carries a Loss until a person has seen it.
//   - Every record outside the timeline carries an HMAC-SHA256 over its place and its whole content, and one more seal covers
//     all servers and pins together: a pin that something else wrote, brought back or took away is found (Tampered) and is
//     never returned. What the seal is worth: the key lies in the same folder (or comes from the keychain, Options.Key). It
//     stops a program that writes the file, not one that reads the key first; and a copy of the whole file put back later
//     is a valid store of that day.
//   - Each activity record carries the hash of the one before; the head is sealed. Verify names the first record that is not
//     as it was written.
package store
