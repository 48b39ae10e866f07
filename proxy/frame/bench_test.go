package frame

import (
	"bytes"
	"fmt"
	"io"
	"strings"
	"testing"
)

// answer is a result of about size bytes: half prose with escapes, half structured rows.
func answer(size int) []byte {
	var text, rows strings.Builder
	for i := 0; text.Len() < size/2; i++ {
		fmt.Fprintf(&text, `Line %d of a file that somebody asked for, with \"quotes\" and a path C:\\dir.\n`, i)
	}
	for i := 0; rows.Len() < size/2; i++ {
		if i > 0 {
			rows.WriteByte(',')
		}
		fmt.Fprintf(&rows, `{"id":%d,"name":"row %d","score":%d.25,"tags":["a","b"],"active":true,"note":null}`, i, i, i)
	}
	return fmt.Appendf(nil, `{"jsonrpc":"2.0","id":7,"result":{"content":[{"type":"text","text":"%s"}],"structuredContent":{"rows":[%s]}}}`+"\n", text.String(), rows.String())
}

// prose is a result that is one long text.
func prose(size int) []byte {
	text := strings.Repeat("An ordinary sentence of an ordinary file, as a server returns it. ", size/66+1)
	return fmt.Appendf(nil, `{"jsonrpc":"2.0","id":7,"result":{"content":[{"type":"text","text":"%s"}]}}`+"\n", text)
}

func inParams(value string) []byte {
	return []byte(`{"jsonrpc":"2.0","method":"m","params":{"v":` + value + "}}\n")
}

func manyKeys(n int) string {
	var b strings.Builder
	b.WriteByte('{')
	for i := range n {
		if i > 0 {
			b.WriteByte(',')
		}
		fmt.Fprintf(&b, `"k%d":1`, i)
	}
	return b.String() + "}"
}

func BenchmarkScan(b *testing.B) {
	const megabyte = 1 << 20
	for _, bm := range []struct {
		name string
		line []byte
	}{
		{"request 200 B", []byte(`{"jsonrpc":"2.0","id":42,"method":"tools/call","params":{"name":"get_forecast","arguments":{"city":"Reykjavik","days":3,"units":"metric"},"_meta":{"progressToken":42}}}` + "\n")},
		{"answer 200 B", []byte(`{"jsonrpc":"2.0","id":42,"result":{"content":[{"type":"text","text":"Light rain in the morning, clearing up by noon; wind from the south-west at 20 km/h, 11 degrees."}],"isError":false}}` + "\n")},
		{"mixed 10 KB", answer(10 << 10)},
		{"mixed 1 MB", answer(megabyte)},
		{"mixed 20 MB", answer(20 * megabyte)},
		{"prose 10 KB", prose(10 << 10)},
		{"prose 1 MB", prose(megabyte)},
		{"prose 20 MB", prose(20 * megabyte)},
		{"cyrillic 1 MB", inParams(`"` + strings.Repeat("погода ", megabyte/13) + `"`)},
		{"newline escapes 20 MB", inParams(`"` + strings.Repeat(`\n`, 10*megabyte) + `"`)},
		{"quote escapes 20 MB", inParams(`"` + strings.Repeat(`\"`, 10*megabyte) + `"`)},
		{"brackets 20 MB", inParams(strings.Repeat("[", 20*megabyte))},
		{"empty arrays 20 MB", inParams("[" + strings.Repeat("[],", 20*megabyte/3) + "[]]")},
		{"objects 20 MB", inParams(strings.Repeat(`{"a":`, 4*megabyte))},
		{"digits 20 MB", inParams(strings.Repeat("7", 20*megabyte))},
		{"million keys", inParams(manyKeys(1_000_000))},
		{"objects of 30 keys 1 MB", inParams("[" + strings.Repeat(manyKeys(30)+",", megabyte/240) + "1]")},
	} {
		b.Run(bm.name, func(b *testing.B) {
			var m Message
			b.SetBytes(int64(len(bm.line)))
			b.ReportAllocs()
			for b.Loop() {
				_ = Scan(bm.line, FromServer, &m)
			}
		})
	}
}

// endless repeats one line forever, in pieces as large as a pipe.
type endless struct {
	line []byte
	at   int
}

func (e *endless) Read(p []byte) (int, error) {
	n := copy(p[:min(len(p), 64<<10)], e.line[e.at:])
	e.at = (e.at + n) % len(e.line)
	return n, nil
}

func BenchmarkReader(b *testing.B) {
	for _, size := range []int{200, 10 << 10, 1 << 20, 20 << 20} {
		b.Run(fmt.Sprintf("%d B", size), func(b *testing.B) {
			line := append(bytes.Repeat([]byte("x"), size-1), '\n')
			r := NewReader(&endless{line: line}, 0)
			b.SetBytes(int64(size))
			b.ReportAllocs()
			for b.Loop() {
				if _, err := r.Next(); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
	b.Run("discard 80 MB", func(b *testing.B) {
		line := answer(80 << 20)
		b.SetBytes(int64(len(line)))
		for b.Loop() {
			r := NewReader(bytes.NewReader(line), 64<<20)
			if _, err := r.Next(); err == nil || err == io.EOF {
				b.Fatal(err)
			}
		}
	})
}

func BenchmarkFindID(b *testing.B) {
	line := answer(1 << 20)
	line[len(line)-2] = ';'
	line = bytes.Replace(line, []byte(`"id":7,`), nil, 1)
	b.SetBytes(int64(len(line)))
	for b.Loop() {
		FindID(line)
	}
}

func BenchmarkAppendCanonical(b *testing.B) {
	line := answer(16 << 10)
	var dst []byte
	b.SetBytes(int64(len(line)))
	b.ReportAllocs()
	for b.Loop() {
		dst, _ = AppendCanonical(dst[:0], line, Root(line))
	}
}

func BenchmarkAppendIDKey(b *testing.B) {
	var dst []byte
	b.ReportAllocs()
	for b.Loop() {
		dst = AppendIDKey(dst[:0], []byte("12345"))
	}
}
