// Package legible makes text of strangers fit for a person's eyes, and knows what each character does to a reader: which are
// drawn as nothing, which turn the direction of a line, which are drawn like others, what a terminal would obey.
//
// Escape and EscapeJSON spell out what cannot be seen. Name, PersonName and ToldName are the only ways for a name that somebody
// else chose to get into a sentence of ours. All are pure, and clean text comes back as it is. The package judges nothing: what a
// character is worth as a sign of an attack is package inspect's.
package legible
