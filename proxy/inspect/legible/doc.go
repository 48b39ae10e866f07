// Package legible makes strangers' text safe for a person to read. It knows what each character does to a reader: which are invisible,
// which turn the direction of a line, which look like others, what a terminal would obey.
//
// Escape and EscapeJSON spell out what cannot be seen. Name, PersonName and ToldName are the only ways for a name that somebody else chose
// to get into a sentence of ours. All are pure, and clean text comes back as it is. The package judges nothing: package inspect decides
// what a character means as a sign of an attack.
package legible
