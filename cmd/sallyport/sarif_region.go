package main

import (
	"bytes"
	"sort"
	"unicode/utf8"

	"github.com/sallyport/sallyport/proxy/frame"
)

// sarifRegion is a part of a file. Lines and columns count from 1, columns in UTF-16 code units; the end is the place behind the last
// character.
type sarifRegion struct {
	StartLine   int `json:"startLine"`
	StartColumn int `json:"startColumn"`
	EndLine     int `json:"endLine"`
	EndColumn   int `json:"endColumn"`
	Offset      int `json:"byteOffset"`
	Length      int `json:"byteLength"`
}

// lineStarts is a file and where its lines begin. A line ends in LF or CRLF, as SARIF takes it.
type lineStarts struct {
	raw    []byte
	starts []int
}

func linesOf(raw []byte) lineStarts {
	l := lineStarts{raw: raw, starts: []int{0}}
	for at := 0; ; {
		end := bytes.IndexByte(raw[at:], '\n')
		if end < 0 {
			return l
		}
		at += end + 1
		l.starts = append(l.starts, at)
	}
}

// region is a span of the file by lines, columns and bytes. What has no length is the place of one character.
func (l lineStarts) region(span frame.Span) *sarifRegion {
	start := min(max(span.Start, 0), len(l.raw))
	end := min(max(span.End, start), len(l.raw))
	r := sarifRegion{Offset: start, Length: end - start}
	r.StartLine, r.StartColumn = l.place(start)
	r.EndLine, r.EndColumn = l.place(end)
	return &r
}

func (l lineStarts) place(offset int) (line, column int) {
	line = sort.SearchInts(l.starts, offset+1)
	column = 1
	for text := l.raw[l.starts[line-1]:offset]; len(text) > 0; {
		r, size := utf8.DecodeRune(text)
		column++
		if r > 0xFFFF {
			column++
		}
		text = text[size:]
	}
	return line, column
}
