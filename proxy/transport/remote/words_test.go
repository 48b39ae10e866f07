package remote

import (
	"bytes"
	"io"
	"strings"
	"testing"
	"testing/iotest"
)

// However a stream is cut into reads, its events are the same.
func FuzzEvents(f *testing.F) {
	f.Add("event: message\nid: 1\ndata: {}\n\ndata: a\r\ndata: b\r\n\r\n", 3)
	f.Add("data\rdata: x\r\r\n:c\n\n\xef\xbb\xbfdata: y\n\nretry: 5\n\n", 1)
	f.Add("id: a\x00b\nid: c\n\n\n\n", 2)
	f.Fuzz(func(t *testing.T, stream string, most int) {
		limit := func() int { return max(1, most&0xffff) }
		read := func(r io.Reader) (all []string, err error) {
			err = readEvents(r, limit, func(e event) bool {
				all = append(all, e.name+"\x00"+e.id+"\x00"+e.retry.String()+"\x00"+string(e.data))
				return true
			})
			return all, err
		}
		whole, err := read(strings.NewReader(stream))
		for _, cut := range []io.Reader{iotest.OneByteReader(strings.NewReader(stream)), iotest.HalfReader(strings.NewReader(stream)), iotest.DataErrReader(strings.NewReader(stream))} {
			again, errAgain := read(cut)
			if strings.Join(whole, "|") != strings.Join(again, "|") || err != errAgain {
				t.Fatalf("%q: %q %v, cut %q %v", stream, whole, err, again, errAgain)
			}
		}
		for _, e := range whole {
			if len(e) > limit()+4*maxField {
				t.Fatalf("an event of %d bytes", len(e))
			}
		}
	})
}

// A message keeps its tokens, and is one line.
func FuzzOneLine(f *testing.F) {
	f.Add([]byte("{\n\"a\":\r\n\"b\\\"\\\\\"}\n"))
	f.Fuzz(func(t *testing.T, body []byte) {
		before := bytes.Clone(bytes.Trim(body, " \t\r\n"))
		line, ok := oneLine(bytes.Clone(body))
		if !ok {
			return
		}
		if len(line) != len(before) || bytes.ContainsAny(line, "\r\n") {
			t.Fatalf("%q: %q", body, line)
		}
		for i := range line {
			if line[i] != before[i] && !(line[i] == ' ' && (before[i] == '\n' || before[i] == '\r')) {
				t.Fatalf("%q: %q", body, line)
			}
		}
	})
}
