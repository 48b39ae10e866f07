//go:build amd64 || arm64

package transport

import (
	"bytes"
	"errors"
	"io"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"
)

// bothEnds are the two ends of a pipe or of a socket.
func bothEnds(t *testing.T, kind string) (reads, writes *os.File) {
	t.Helper()
	if kind == "pipe" {
		r, w, err := os.Pipe()
		if err != nil {
			t.Fatal(err)
		}
		reads, writes = r, w
	} else {
		pair, err := syscall.Socketpair(syscall.AF_UNIX, syscall.SOCK_STREAM|syscall.SOCK_NONBLOCK|syscall.SOCK_CLOEXEC, 0)
		if err != nil {
			t.Fatal(err)
		}
		reads, writes = os.NewFile(uintptr(pair[0]), "a"), os.NewFile(uintptr(pair[1]), "b")
	}
	t.Cleanup(func() { reads.Close(); writes.Close() })
	return reads, writes
}

func TestWhatGoesThroughAStreamArrivesByteForByteAndEnds(t *testing.T) {
	for _, kind := range []string{"pipe", "socket"} {
		t.Run(kind, func(t *testing.T) {
			reads, writes := bothEnds(t, kind)
			in, out := NewStream(reads, true), NewStream(writes, true)
			if in.quiet == nil || out.quiet == nil {
				t.Fatal("nothing of it is quiet")
			}
			seed := rand.New(rand.NewPCG(1, 2))
			var sent []byte
			for range 400 { // from less than a line to more than a pipe holds
				piece := make([]byte, 1+seed.IntN(1<<seed.IntN(18)))
				for i := range piece {
					piece[i] = byte(seed.Uint32())
				}
				sent = append(sent, piece...)
			}
			go func() {
				for rest := sent; len(rest) > 0; {
					n, err := out.Write(rest[:min(len(rest), 1+seed.IntN(150<<10))])
					if err != nil {
						t.Error(err)
						break
					}
					rest = rest[n:]
				}
				out.Close()
			}()
			var got []byte
			for b := make([]byte, 96<<10); ; {
				n, err := in.Read(b[:1+len(got)%len(b)])
				got = append(got, b[:n]...)
				if err == io.EOF {
					break
				}
				if err != nil || n == 0 {
					t.Fatal(n, err)
				}
			}
			if !bytes.Equal(got, sent) {
				t.Errorf("%d of %d bytes", len(got), len(sent))
			}
		})
	}
}

func TestAStreamSaysWhyItEnded(t *testing.T) {
	for _, kind := range []string{"pipe", "socket"} {
		t.Run(kind, func(t *testing.T) {
			reads, writes := bothEnds(t, kind)
			in, out := NewStream(reads, true), NewStream(writes, true)
			in.SetReadDeadline(time.Now().Add(10 * time.Millisecond))
			if n, err := in.Read(make([]byte, 10)); n != 0 || !errors.Is(err, os.ErrDeadlineExceeded) {
				t.Errorf("past the deadline: %d, %v", n, err)
			}
			in.SetReadDeadline(time.Time{})
			closed := make(chan error)
			go func() {
				time.Sleep(10 * time.Millisecond)
				closed <- in.Close()
			}()
			if n, err := in.Read(make([]byte, 10)); n != 0 || err == nil || err == io.EOF {
				t.Errorf("closed under it: %d, %v", n, err)
			}
			<-closed
			if n, err := out.Write([]byte("to nobody")); n != 0 || !errors.Is(err, syscall.EPIPE) {
				t.Errorf("to nobody: %d, %v", n, err)
			}
		})
	}
}

// A goroutine that reads for long must be visible to the monitor that preempts it.
func TestLongLinesAndARowOfReadsAreAnnounced(t *testing.T) {
	reads, writes := bothEnds(t, "pipe")
	s := NewStream(reads, true)
	quiet := func(size int) bool {
		t.Helper()
		b := make([]byte, size)
		n, done, err := s.quiet.read(b)
		if !done {
			n, err = s.Read(b)
		}
		if err != nil || n != size {
			t.Fatal(n, err)
		}
		return done
	}
	fill := func(text string) {
		t.Helper()
		if _, err := io.WriteString(writes, text); err != nil {
			t.Fatal(err)
		}
	}
	fill(strings.Repeat("\n", 2*quietRow+2))
	var row []bool
	for range 2*quietRow + 2 {
		row = append(row, quiet(1))
	}
	want := append(slices.Repeat([]bool{true}, quietRow), false)
	if !slices.Equal(row, append(want, want...)) {
		t.Errorf("a row of reads: %v", row)
	}
	fill(strings.Repeat("\n", quietRead+3))
	if !quiet(quietRead+1) || quiet(1) || !quiet(1) {
		t.Error("the read after a long one is not announced, or more than that one")
	}
	fill("a line in four\n")
	if !quiet(4) || quiet(5) || quiet(5) || quiet(1) {
		t.Error("the rest of a line is not announced")
	}
	fill("\n")
	if !quiet(1) {
		t.Error("nor is the next line quiet")
	}
}

func TestAPipeThatOthersShareIsNeverQuiet(t *testing.T) {
	reads, _ := bothEnds(t, "pipe")
	if NewStream(reads, false).quiet != nil {
		t.Error("who shares it can make it blocking")
	}
	file, err := os.Create(t.TempDir() + "/file")
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	if NewStream(file, true).quiet != nil {
		t.Error("a file may wait for its disk")
	}
}
