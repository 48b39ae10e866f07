package frame

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"runtime"
	"strings"
	"testing"
	"testing/iotest"
)

// read returns everything a Reader returns until its source ends: copies of the lines, and the errors.
func read(t testing.TB, r *Reader) (lines []string, tooLong []*TooLong, last error) {
	t.Helper()
	for {
		line, err := r.Next()
		var long *TooLong
		switch {
		case errors.As(err, &long):
			tooLong = append(tooLong, long)
		case err != nil:
			return lines, tooLong, err
		default:
			lines = append(lines, string(line))
		}
	}
}

func TestLinesEndOnlyAtALineFeed(t *testing.T) {
	for _, tt := range []struct {
		name, in string
		want     []string
	}{
		{"nothing", "", nil},
		{"one line", "a\n", []string{"a\n"}},
		{"a last line without an end", "a\nb", []string{"a\n", "b\n"}},
		{"CRLF and a bare CR", "a\r\nb\rc\n", []string{"a\r\n", "b\rc\n"}},
		{"U+2028, U+2029 and U+0085", "a\u2028b\u2029c\u0085d\n", []string{"a\u2028b\u2029c\u0085d\n"}},
		{"NUL, form feed and vertical tab", "a\x00b\fc\vd\n", []string{"a\x00b\fc\vd\n"}},
		{"empty lines", "\n\na\n\n", []string{"\n", "\n", "a\n", "\n"}},
		{"a last CR", "a\r", []string{"a\r\n"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			for name, src := range map[string]io.Reader{
				"whole":        strings.NewReader(tt.in),
				"by the byte":  iotest.OneByteReader(strings.NewReader(tt.in)),
				"data and EOF": iotest.DataErrReader(strings.NewReader(tt.in)),
			} {
				lines, tooLong, err := read(t, NewReader(src, 100))
				if fmt.Sprintf("%q", lines) != fmt.Sprintf("%q", tt.want) || len(tooLong) > 0 || err != io.EOF {
					t.Errorf("%s: %q, %v, %v; want %q", name, lines, tooLong, err, tt.want)
				}
			}
		})
	}
}

// sized is a message of exactly size bytes with its id first or last.
func sized(t *testing.T, size int, idFirst bool, members string) string {
	t.Helper()
	before, after := `{"jsonrpc":"2.0",`+members+`"result":{"id":99,"text":"`, `"},"id":"last one"}`
	if idFirst {
		before, after = `{"id":"first one",`+members+`"result":{"id":99,"text":"`, `"},"jsonrpc":"2.0"}`
	}
	if size < len(before)+len(after) {
		t.Fatalf("%d bytes are too few", size)
	}
	return before + strings.Repeat("x", size-len(before)-len(after)) + after
}

func TestT07LinesOfEverySizeUpToTheCap(t *testing.T) {
	const limit = 20 << 20
	for _, size := range []int{100, firstBuffer - 2, firstBuffer - 1, firstBuffer, firstBuffer + 1, 65534, 65535, 65536, 65537, 1 << 20, limit - 1, limit} {
		for _, idFirst := range []bool{true, false} {
			line := sized(t, size, idFirst, "")
			const next = `{"jsonrpc":"2.0","id":2,"method":"ping"}`
			for _, end := range []string{"\n", ""} {
				lines, tooLong, err := read(t, NewReader(strings.NewReader(next+"\n"+line+"\n"+next+end), limit))
				if len(tooLong) != 0 || err != io.EOF || len(lines) != 3 || lines[0] != next+"\n" || lines[1] != line+"\n" || lines[2] != next+"\n" {
					t.Fatalf("%d bytes: %d lines, too long %v, %v", size, len(lines), tooLong, err)
				}
			}
		}
	}
}

func TestT07ALineOverTheCapIsNamedAndTheNextOneIsRead(t *testing.T) {
	const next = `{"jsonrpc":"2.0","id":2,"method":"ping"}` + "\n"
	for _, limit := range []int{200, 65535, 65536, 1 << 20, 20 << 20} {
		for _, size := range []int{limit + 1, limit + 2, limit + firstBuffer, 3*limit + 1} {
			for _, idFirst := range []bool{true, false} {
				line := sized(t, size, idFirst, "")
				lines, tooLong, err := read(t, NewReader(strings.NewReader(next+line+"\n"+next+line+"\n"+next+line), limit))
				if len(lines) != 3 || len(tooLong) != 3 || err != io.EOF {
					t.Fatalf("limit %d, %d bytes: %d lines, %d too long, %v", limit, size, len(lines), len(tooLong), err)
				}
				want := `"last one"`
				if idFirst {
					want = `"first one"`
				}
				for i := range lines {
					if lines[i] != next {
						t.Errorf("limit %d, %d bytes: line %d is %.80q", limit, size, i, lines[i])
					}
					if e := tooLong[i]; string(e.ID) != want || e.Bytes != int64(size) || e.HasMethod {
						t.Errorf("limit %d, %d bytes: %d, id %s, method %v", limit, size, e.Bytes, e.ID, e.HasMethod)
					}
				}
			}
		}
	}
}

func TestT07WhatATooLongLineSaysOfItself(t *testing.T) {
	fill := strings.Repeat(`\"id\":5,`, 100)
	for _, tt := range []struct{ name, line, id, method string }{
		{"a request", `{"params":{"t":"` + fill + `","method":"x"},"method":"tools\/call","id":1}`, `1`, "tools/call"},
		{"a notification", `{"method":"notifications/message","params":"` + fill + `"}`, ``, "notifications/message"},
		{"an answer", `{"result":"` + fill + `","id":0}`, `0`, ""},
		{"no message", strings.Repeat("x", 900), ``, ""},
		{"a batch", `[{"id":1,"result":"` + fill + `"}]`, ``, ""},
		{"an escaped key", `{"result":"` + fill + `","i\u0064":3}`, `3`, ""},
		{"backslashes before the quote", `{"result":"` + fill + `\\","id":4}`, `4`, ""},
		{"a string that never ends", `{"id":6,"result":"` + fill, `6`, ""},
		{"an id that is no JSON", `{"result":"` + fill + `","id":0x1}`, ``, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			for _, limit := range []int{10, 64, 300} {
				for _, src := range []io.Reader{strings.NewReader(tt.line + "\n"), iotest.OneByteReader(strings.NewReader(tt.line)), iotest.HalfReader(strings.NewReader(tt.line + "\n"))} {
					_, tooLong, err := read(t, NewReader(src, limit))
					if len(tooLong) != 1 || err != io.EOF {
						t.Fatalf("limit %d: %v, %v", limit, tooLong, err)
					}
					if e := tooLong[0]; string(e.ID) != tt.id || e.HasMethod != (tt.method != "") || e.Bytes != int64(len(tt.line)) {
						t.Errorf("limit %d: %+v", limit, *e)
					}
				}
			}
		})
	}
}

func TestTheLimitCountsFromTheNextLineWhenItChanges(t *testing.T) {
	r := NewReader(strings.NewReader("aaaa\nbbbb\ncccc\n"), 4)
	if line, err := r.Next(); string(line) != "aaaa\n" || err != nil {
		t.Fatal(string(line), err)
	}
	r.SetMax(3)
	var long *TooLong
	if _, err := r.Next(); !errors.As(err, &long) || long.Bytes != 4 {
		t.Fatal(err)
	}
	r.SetMax(0)
	if line, err := r.Next(); string(line) != "cccc\n" || err != nil {
		t.Fatal(string(line), err)
	}
}

func TestErrorsOfTheSourceComeAfterTheLinesBeforeThem(t *testing.T) {
	broken := errors.New("broken pipe")
	for name, src := range map[string]io.Reader{
		"behind the data":   io.MultiReader(strings.NewReader("a\nb"), iotest.ErrReader(broken)),
		"together with it":  &stubborn{data: "a\nb", err: broken},
		"in the same bytes": iotest.OneByteReader(io.MultiReader(strings.NewReader("a\nb"), iotest.ErrReader(broken))),
	} {
		r := NewReader(src, 10)
		lines, _, err := read(t, r)
		// Half a line counts for nothing: its meaning is unknown.
		if len(lines) != 1 || lines[0] != "a\n" || err != broken {
			t.Errorf("%s: %q, %v", name, lines, err)
		}
		if _, err := r.Next(); err != broken {
			t.Errorf("%s: then %v", name, err)
		}
	}
	if _, _, err := read(t, NewReader(&stubborn{}, 10)); err != io.ErrNoProgress {
		t.Errorf("a source that returns nothing: %v", err)
	}
	r := NewReader(&stubborn{data: strings.Repeat("x", 100), err: broken}, 10)
	if _, tooLong, err := read(t, r); len(tooLong) != 1 || err != broken {
		t.Errorf("too long, then broken: %v, %v", tooLong, err)
	}
}

// stubborn returns its data together with its error, and from then on nothing and its error.
type stubborn struct {
	data string
	err  error
}

func (s *stubborn) Read(p []byte) (int, error) {
	n := copy(p, s.data)
	s.data = s.data[n:]
	if s.data != "" {
		return n, nil
	}
	return n, s.err
}

func TestALineStaysAsItIsUntilTheNextCall(t *testing.T) {
	r := NewReader(strings.NewReader("one\ntwo\n"), 10)
	line, _ := r.Next()
	_ = append(line, "XXXX"...) // must not reach what follows in the buffer
	if next, _ := r.Next(); string(next) != "two\n" {
		t.Errorf("got %q", next)
	}
}

func TestAHugeLineLeavesASmallReader(t *testing.T) {
	const huge = 20 << 20
	pr, pw := io.Pipe()
	go func() {
		line := bytes.Repeat([]byte("x"), huge)
		_, _ = pw.Write(append(line, '\n'))
		_, _ = pw.Write([]byte("small\n"))
		_, _ = pw.Write(line)
		_, _ = pw.Write(append(line, '\n'))
		_, _ = pw.Write([]byte("small\n"))
		_ = pw.Close()
	}()
	r := NewReader(pr, 30<<20)
	if line, err := r.Next(); len(line) != huge+1 || err != nil {
		t.Fatal(len(line), err)
	}
	for step, want := range []string{"small\n", "", "small\n"} {
		line, err := r.Next()
		if string(line) != want || (want == "") != (err != nil) {
			t.Fatalf("step %d: %.20q, %v", step, line, err)
		}
		if cap(r.buf) > keptBuffer {
			t.Errorf("step %d: a buffer of %d bytes stays", step, cap(r.buf))
		}
	}
}

func TestAFreshReaderIsSmall(t *testing.T) {
	if got := len(NewReader(strings.NewReader(""), 0).buf); got != 0 {
		t.Errorf("%d bytes before the first read", got)
	}
	r := NewReader(strings.NewReader("x\n"), 0)
	_, _ = r.Next()
	if cap(r.buf) > 64<<10 {
		t.Errorf("%d bytes for a short line", cap(r.buf))
	}
	var before, after runtime.MemStats
	src := strings.NewReader(strings.Repeat("a line of ordinary length\n", 10_000))
	r = NewReader(src, 0)
	runtime.ReadMemStats(&before)
	if lines, _, _ := read(t, NewReader(strings.NewReader("warm\n"), 0)); len(lines) != 1 {
		t.Fatal("no line")
	}
	for {
		if _, err := r.Next(); err != nil {
			break
		}
	}
	runtime.ReadMemStats(&after)
	if grown := after.TotalAlloc - before.TotalAlloc; grown > 512<<10 {
		t.Errorf("%d bytes allocated for 10,000 short lines", grown)
	}
}
