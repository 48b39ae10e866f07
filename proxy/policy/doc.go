// Package policy is the one table of settings: key, what it does, its values, its default, where it can be overridden, and which way is
// less safe. It is pure: it reads no file and asks no clock.
//
// All lists the table. ParseDocument reads a settings file; Document.Effective gives the values in force for a server, Diff what a changed
// file tightens and what it loosens, ForWrapper a wrapper's part as Go values.
//
// Invariant: doubt counts as loosening, and an unreadable value never replaces a readable one: the default does, and a default is never the
// less safe end of what a person may have chosen by leaving the key out.
package policy
