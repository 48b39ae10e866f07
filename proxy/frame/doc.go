// Package frame handles newline-delimited JSON-RPC on raw bytes: it reads lines, classifies them, and cuts and adds spans. It is the hot
// path of a wrapped server and decides nothing.
//
// Start with Reader (lines of bounded size), Scan (one pass that refuses whatever two JSON parsers could read differently, and fills a
// Message with spans), then the walkers over scanned bytes (Members, Elements, Find, String) and the edits (EditObject, EditArray, Splice).
// AppendCanonical and AppendIDKey give forms in which equal values are equal bytes. FindID is for lines that Scan refused.
//
// Invariants: nothing is decoded and encoded again (what no edit touches stays byte for byte); no float64 ever holds a number; no input
// costs more than linear time, nor memory out of proportion to its size; nothing panics.
//
// Spans, Message.Method and the keys given to a Members callback point into the line, which is valid until the next Reader.Next: copy what
// must live longer. The walkers trust Scan for the grammar: on other bytes they stay in range and end early, and their results mean
// nothing.
package frame
