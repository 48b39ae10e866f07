package logs

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/sallyport/sallyport/proxy/control"
)

// shelf is a book over a folder of its own, with the server "s".
type shelf struct {
	*Book
	t   *testing.T
	dir string
}

func open(t *testing.T, dir string) *shelf {
	t.Helper()
	b := New(dir)
	t.Cleanup(b.Close)
	return &shelf{b, t, dir}
}

func (b *shelf) write(session string, chunks ...string) {
	b.t.Helper()
	for _, chunk := range chunks {
		if err := b.Write("s", session, []string{"swordfish"}, []byte(chunk)); err != nil {
			b.t.Fatal(err)
		}
	}
}

func (b *shelf) read(q control.LogQuery) (string, int64) {
	b.t.Helper()
	text, next, err := b.Read("s", q)
	if err != nil {
		b.t.Fatal(err)
	}
	return text, next
}

func (b *shelf) wants(want string) (next int64) {
	b.t.Helper()
	text, next := b.read(control.LogQuery{})
	if text != want {
		b.t.Errorf("it reads %q, and not %q", text, want)
	}
	return next
}

// disk is all that the folder holds.
func (b *shelf) disk() string {
	b.t.Helper()
	var all []byte
	for _, path := range []string{"s.log.1", "s.log"} {
		raw, err := os.ReadFile(filepath.Join(b.dir, path))
		if err != nil && !os.IsNotExist(err) {
			b.t.Fatal(err)
		}
		all = append(all, raw...)
	}
	return string(all)
}

func TestASecretIsMaskedWhereverItsLineIsCut(t *testing.T) {
	const line = "the key is swordfish, and password=hunter2\n"
	for at := range len(line) {
		b := open(t, t.TempDir())
		b.write("one", line[:at], line[at:])
		b.wants("the key is ***, and password=***\n")
		if disk := b.disk(); strings.Contains(disk, "swordfish") || strings.Contains(disk, "hunter2") {
			t.Fatalf("cut at %d the disk has %q", at, disk)
		}
	}
}

func TestLinesOfTwoSessionsStayWhole(t *testing.T) {
	b := open(t, t.TempDir())
	b.write("one", "from ")
	b.write("two", "of the ")
	b.write("one", "the first\n")
	b.write("two", "second\n")
	b.wants("from the first\nof the second\n")
}

func TestAnUnfinishedLineIsWrittenWhenItsSessionEndsOrTheBookDoes(t *testing.T) {
	dir := t.TempDir()
	b := open(t, dir)
	b.write("one", "swordfish of one")
	b.write("two", "swordfish of two")
	b.wants("")
	b.Flush("s", "one")
	b.wants("*** of one\n")
	b.Flush("s", "one")
	b.Close()
	open(t, dir).wants("*** of one\n*** of two\n")
}

func TestWhatATerminalWouldObeyIsReadAsLetters(t *testing.T) {
	b := open(t, t.TempDir())
	b.write("one", "red \x1b[31mtext\n")
	b.wants("red \\x1b[31mtext\n")
}

func TestOffsetsMeanTheSameAfterTurnsAndInAnotherBook(t *testing.T) {
	dir := t.TempDir()
	b := open(t, dir)
	b.write("one", "first\n")
	first := b.wants("first\n")
	line := strings.Repeat("x", 1023) + "\n"
	for range 3 << 10 {
		b.write("one", line)
	}
	b.write("one", "the end\n")
	if size := len(b.disk()); size > 2*(logHalf+headerLength) || size < logHalf {
		t.Errorf("%d bytes are kept", size)
	}
	last, next := b.read(control.LogQuery{Lines: 1})
	if last != "the end\n" || next != first+3<<20+8 {
		t.Errorf("the last line is %q, up to %d", last, next)
	}
	b.Close()
	b = open(t, dir)
	if text, again := b.read(control.LogQuery{Follow: true, Offset: next - 8}); text != "the end\n" || again != next {
		t.Errorf("followed from before it: %q, up to %d", text, again)
	}
	if text, again := b.read(control.LogQuery{Follow: true, Offset: next + 99}); text != "" || again != next {
		t.Errorf("followed from past the end: %q, up to %d", text, again)
	}
	// Old text is gone; the rest comes in pieces that join.
	var all []byte
	from := int64(0)
	for from != next {
		text, again := b.read(control.LogQuery{Follow: true, Offset: from})
		if len(text) == 0 || len(text) > maxLogAnswer || again < from {
			t.Fatalf("%d bytes at %d, up to %d", len(text), from, again)
		}
		all, from = append(all, text...), again
	}
	if !bytes.HasSuffix(all, []byte(line+"the end\n")) || len(all) < logHalf {
		t.Errorf("%d bytes in all", len(all))
	}
}

func TestALineWithoutAnEndIsCut(t *testing.T) {
	b := open(t, t.TempDir())
	b.write("one", strings.Repeat("x", maxLogLine+1), "\n")
	if text, _ := b.read(control.LogQuery{Lines: 1}); len(text) < maxLogLine {
		t.Errorf("%d bytes of a line of %d", len(text), maxLogLine+1)
	}
	b.write("one", strings.Repeat("y", 2*maxLogLine))
	if text, _ := b.read(control.LogQuery{}); !strings.HasSuffix(text, "y") {
		t.Error("a line that never ends is kept in memory")
	}
}

func TestWhatIsNoLogOfOursIsPutAside(t *testing.T) {
	dir := t.TempDir()
	b := open(t, dir)
	b.write("one", "ours\n")
	b.Close()
	const foreign = "something else, and long enough for a header\n"
	if err := os.WriteFile(filepath.Join(dir, "s.log"), []byte(foreign), 0o600); err != nil {
		t.Fatal(err)
	}
	b = open(t, dir)
	b.wants("")
	b.write("one", "ours again\n")
	b.wants("ours again\n")
	if raw, err := os.ReadFile(filepath.Join(dir, "s.log.unreadable")); err != nil || string(raw) != foreign {
		t.Errorf("what stood there is %q, %v", raw, err)
	}
}
