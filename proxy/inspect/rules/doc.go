// Package rules has the catalogue of what orders to an assistant look like, and finds its rules in text.
//
// A Rule is phrases with distances between them; a Set is compiled rules, the catalogue's (Standard) or those plus a person's own file
// (Load). A Matcher finds all of them in one pass over folded text, together with possible places of secrets; a match that begins in one
// text can continue in the next (Unfinished, Seam). Score weighs matches that are near each other. Package inspect decides what to do about
// a score, and words it.
package rules
