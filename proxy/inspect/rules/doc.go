// Package rules has the catalogue of what orders to an assistant look like, and finds its rules in text.
//
// A Rule is phrases with distances between them; a Set is rules compiled, those of the catalogue (Standard) or with those of a
// person's own file (Load). A Matcher finds all of them in one pass over folded text, with the places where secrets may be, and
// what begins in one text may go on in the next (Unfinished, Seam). Score is what matches weigh that are near each other. What is
// done about a score, and the words in which it is told, are package inspect's.
package rules
