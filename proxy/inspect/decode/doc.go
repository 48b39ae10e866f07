// Package decode finds the ways in which a text can be read: as it is, and with each encoding undone that it may hold (entities,
// percent signs, escapes, base64, hex, hidden characters, look-alike letters…), one inside another up to a bound.
//
// A View is one such way; each of its bytes knows which bytes of the original it stands for. Views makes them all, Fold takes out
// of one what makes no difference to a reader, Content is what a file in base64 says. Makeup and Marks tell in one pass over a text
// what it could hold, so that nearly all text is read only once. The package judges nothing, and costs a fixed multiple of the text
// whatever the text is.
package decode
