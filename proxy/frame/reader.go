package frame

import (
	"bytes"
	"fmt"
	"io"
)

const (
	// firstBuffer is the cost of a Reader while lines are short: a session has two.
	firstBuffer = 32 << 10
	// keptBuffer is the largest buffer that outlives the line it was needed for.
	keptBuffer = 1 << 20
	// DefaultMax is the default of the setting limits.message.
	DefaultMax = 64 << 20
)

// TooLong is the error for a line over the limit. The line has been read to its end and discarded; the Reader is at the next one.
type TooLong struct {
	Bytes     int64  // its length without the newline
	ID        []byte // its first top-level "id", raw and valid JSON; nil if none was seen
	HasMethod bool   // it had a top-level "method", so it is a request or notification, not a response
	Batch     []Found
}

func (e *TooLong) Error() string { return fmt.Sprintf("a line of %d bytes is over the limit", e.Bytes) }

// Reader reads lines. Only 0x0A ends one: a carriage return, U+2028 and U+0085 are part of the line.
type Reader struct {
	src io.Reader
	max int
	buf []byte
	// buf[start:end] is read and not yet returned; there is no newline in buf[start:searched].
	start, searched, end int
	large                int // recent buffer size, decaying; it avoids growing step by step again
	err                  error
}

// NewReader reads lines of at most maxBytes bytes, not counting the newline. 0 is DefaultMax.
func NewReader(src io.Reader, maxBytes int) *Reader {
	r := &Reader{src: src}
	r.SetMax(maxBytes)
	return r
}

// SetMax changes the limit from the next line on. 0 is DefaultMax. It belongs to the goroutine that calls Next.
func (r *Reader) SetMax(maxBytes int) {
	if maxBytes <= 0 {
		maxBytes = DefaultMax
	}
	r.max = maxBytes
}

// Next returns the next line with its newline (added if the last line has none). It is valid until the next call. The error is io.EOF at
// the end, *TooLong for a line over the limit (the next call continues after it), or the source's own.
func (r *Reader) Next() ([]byte, error) {
	r.shrink()
	for {
		if n := bytes.IndexByte(r.buf[r.searched:r.end], '\n'); n >= 0 {
			line := r.buf[r.start : r.searched+n+1]
			r.start += len(line)
			r.searched = r.start
			if len(line)-1 > r.max {
				return nil, Oversize(line[:len(line)-1])
			}
			return line[:len(line):len(line)], nil
		}
		r.searched = r.end
		if r.end-r.start > r.max {
			return nil, r.discard()
		}
		if r.err != nil {
			return r.last()
		}
		r.fill()
	}
}

// last returns what follows the last newline, then the error that ended the source.
func (r *Reader) last() ([]byte, error) {
	if r.err != io.EOF || r.start == r.end {
		r.start, r.searched, r.end = 0, 0, 0
		return nil, r.err
	}
	line := append(r.buf[r.start:r.end:r.end], '\n')
	r.start, r.searched, r.end = 0, 0, 0
	return line, nil
}

// More reports whether another whole line is in memory, so that Next will not block. The caller can then gather output into one write, as a
// relay that only copies does naturally.
func (r *Reader) More() bool {
	if n := bytes.IndexByte(r.buf[r.searched:r.end], '\n'); n < 0 {
		r.searched = r.end
		return false
	}
	return true
}

// fill reads once, after making room.
func (r *Reader) fill() {
	if r.start == r.end {
		r.start, r.searched, r.end = 0, 0, 0
	}
	if r.end == len(r.buf) {
		r.room()
	}
	r.end += r.read(r.buf[r.end:])
}

// read reads at least one byte or sets err. A source that keeps returning nothing is an error, not a busy loop.
func (r *Reader) read(into []byte) int {
	for range 100 {
		n, err := r.src.Read(into)
		if n < 0 || n > len(into) {
			n, err = 0, io.ErrNoProgress
		}
		r.err = err
		if n > 0 || err != nil {
			return n
		}
	}
	r.err = io.ErrNoProgress
	return 0
}

// room moves the start of a line to the front, or to a buffer four times as large if it fills half of this one.
func (r *Reader) room() {
	begun := r.end - r.start
	into := r.buf
	if begun >= len(r.buf)/2 {
		size := max(firstBuffer, 4*len(r.buf))
		if size > keptBuffer {
			size = max(size, r.large)
		}
		// One byte over the limit is enough to see that a line is too long.
		size = max(min(size, r.max+1), begun+firstBuffer)
		into = make([]byte, size)
	}
	copy(into, r.buf[r.start:r.end])
	r.buf = into
	r.start, r.searched, r.end = 0, begun, begun
}

// shrink frees a large buffer together with its line: the next read may block for long, and an idle wrapper should be small.
func (r *Reader) shrink() {
	if len(r.buf) <= keptBuffer || r.end-r.start > firstBuffer/2 {
		return
	}
	r.large = max(r.start+firstBuffer, r.large/2)
	small := make([]byte, firstBuffer)
	r.end = copy(small, r.buf[r.start:r.end])
	r.buf, r.start, r.searched = small, 0, 0
}

// discard reads the rest of a line over the limit.
func (r *Reader) discard() error {
	var f finder
	f.write(r.buf[r.start:r.end])
	total := int64(r.end - r.start)
	r.start, r.searched, r.end = 0, 0, 0
	if len(r.buf) > keptBuffer {
		r.buf = make([]byte, 2*firstBuffer)
	}
	for r.err == nil {
		n := r.read(r.buf)
		at := bytes.IndexByte(r.buf[:n], '\n')
		if at >= 0 {
			r.start, r.searched, r.end = at+1, at+1, n
			n = at
		}
		f.write(r.buf[:n])
		total += int64(n)
		if at >= 0 {
			break
		}
	}
	f.finish()
	return f.tooLong(total)
}
