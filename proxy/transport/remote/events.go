package remote

import (
	"bytes"
	"errors"
	"io"
	"strconv"
	"time"
)

// errTooLong is a message over the limit.
var errTooLong = errors.New("longer than the limit")

// event is one event of a stream (HTML, "Server-sent events").
type event struct {
	name  string // "" for a message
	data  []byte // valid until the next event
	id    string // the last id of the stream so far
	retry time.Duration
}

// isMessage reports whether an event carries a message of MCP.
func (e event) isMessage() bool { return len(e.data) > 0 && (e.name == "" || e.name == "message") }

// line is the message, as oneLine has it, in memory of its own with room for a line break.
func (e event) line() (line []byte, ok bool) {
	return oneLine(append(make([]byte, 0, len(e.data)+1), e.data...))
}

// maxField is how much of a line of a stream is read besides its data: names, ids and comments are short.
const maxField = 4 << 10

// readEvents calls f with each event of a stream that has data, or an id alone, until f returns false. An event with more than most bytes of
// data is errTooLong; the regular end is io.EOF.
func readEvents(r io.Reader, most func() int, f func(e event) bool) error {
	in := fields{r: r}
	var e event
	some, first := false, true
	for {
		line, err := in.next(most() + maxField)
		if err != nil {
			return err // an event without a blank line behind it is not whole
		}
		if first {
			line, first = bytes.TrimPrefix(line, []byte("\xef\xbb\xbf")), false
		}
		if len(line) == 0 {
			if some && !f(e) {
				return nil
			}
			e, some = event{id: e.id, data: e.data[:0]}, false
			continue
		}
		name, value, _ := bytes.Cut(line, []byte(":"))
		value = bytes.TrimPrefix(value, []byte(" "))
		switch string(name) {
		case "data":
			if len(e.data)+len(value) > most() {
				return errTooLong
			}
			if len(e.data) > 0 {
				e.data = append(e.data, '\n')
			}
			e.data, some = append(e.data, value...), true
		case "event":
			e.name = string(value)
		case "id":
			if bytes.IndexByte(value, 0) < 0 && len(value) <= maxField {
				e.id, some = string(value), true
			}
		case "retry":
			if n, err := strconv.ParseUint(string(value), 10, 31); err == nil {
				e.retry, some = time.Duration(n)*time.Millisecond, true
			}
		}
	}
}

// fields reads lines that end in LF, CR or both, as streams of events may.
type fields struct {
	r          io.Reader
	buf        []byte
	start, end int
	cr         bool // the last line ended in CR: an LF right behind it belongs to it
	err        error
}

// next is the next line, valid until the one after.
func (f *fields) next(most int) ([]byte, error) {
	for looked := 0; ; {
		if f.cr && f.start < f.end {
			if f.cr = false; f.buf[f.start] == '\n' {
				f.start++
			}
		}
		fresh := f.buf[f.start:f.end]
		at := bytes.IndexByte(fresh[min(looked, len(fresh)):], '\n')
		if at >= 0 {
			at += looked
		}
		until := at
		if at < 0 {
			until = len(fresh)
		}
		if cr := bytes.IndexByte(fresh[min(looked, until):until], '\r'); cr >= 0 {
			at = looked + cr
		}
		if at >= 0 {
			f.cr = fresh[at] == '\r'
			f.start += at + 1
			return fresh[:at], nil
		}
		if len(fresh) > most {
			return nil, errTooLong
		}
		if f.err != nil {
			return nil, f.err
		}
		looked = len(fresh)
		if f.start > 0 {
			f.end = copy(f.buf, fresh)
			f.start = 0
		}
		if f.end == len(f.buf) {
			more := max(len(f.buf), 32<<10)
			if len(f.buf) >= 1<<20 { // twice the limit, beside what is copied from, is more than a hostile server should get
				more = len(f.buf) / 4
			}
			f.buf = append(f.buf, make([]byte, more)...)
		}
		var n int
		n, f.err = f.r.Read(f.buf[f.end:])
		f.end += n
	}
}
