// Package policy is the one table of settings: key, what it does, what it may be, its default, where it may be overridden,
// and which way is less safe. It is pure: it reads no file and asks no clock.
//
// All lists the table. ParseDocument reads a settings file; Document.Effective says what holds for a server, Diff what a
// changed file tightens and what it loosens, ForWrapper gives a wrapper its part as Go values.
//
// Invariant: doubt counts as loosening, and a value that cannot be read never takes the place of one that can: what stands
// in its place is the default, and a default is never the less safe end of what a person may have chosen by leaving it out.
package policy
