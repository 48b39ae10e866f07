// Package decode finds the ways in which a text can be read: as it is, and with each encoding undone that it may hold (entities, percent
// signs, escapes, base64, hex, hidden characters, look-alike letters…), nested up to a limit.
//
// A View is one such way; each of its bytes knows which bytes of the original it comes from. Views makes them all, Fold normalises one for
// matching, Content reads a file in base64. Makeup and Marks tell in one pass what a text could hold, so that nearly all text is read only
// once. The package judges nothing, and costs a fixed multiple of the text's length.
package decode
