package sealed

import (
	"bytes"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"runtime"
	"strings"
	"sync"
	"testing"
)

var (
	openai = Key{"secret", "openai"}
	login  = Key{"token", "https://mcp.example.com"}
)

func inTest(t *testing.T) File {
	t.Helper()
	return In(filepath.Join(t.TempDir(), "home"), "0011223344556677")
}

func (f File) put(t *testing.T, key Key, value string) {
	t.Helper()
	if err := f.Change(t.Context(), func(d *Draft) error { return d.Put(key, Entry{Value: value}) }); err != nil {
		t.Fatal(err)
	}
}

func (f File) drop(t *testing.T, key Key) {
	t.Helper()
	if err := f.Change(t.Context(), func(d *Draft) error { return d.Drop(key) }); err != nil {
		t.Fatal(err)
	}
}

func names(t *testing.T, dir string) (names []string) {
	t.Helper()
	all, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, entry := range all {
		names = append(names, entry.Name())
	}
	return names
}

func TestAFileHoldsWhatWasPutAndIsGoneWithItsKeyAfterTheLastEntry(t *testing.T) {
	f := inTest(t)
	if got, err := f.Read(t.Context()); err != nil || len(got) != 0 {
		t.Fatalf("before anything was put: %v, %v", got, err)
	}
	if _, err := os.Lstat(f.dir); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("looking into a home that doesn't exist made it: %v", err)
	}
	f.put(t, openai, "sk-1")
	f.put(t, login, strings.Repeat("t", 64<<10))
	f.put(t, openai, "sk-2 \" ü")
	if err := f.Change(t.Context(), func(d *Draft) error { return d.Put(Key{"secret", "old"}, Entry{Gone: true}) }); err != nil {
		t.Fatal(err)
	}
	want := map[Key]Entry{openai: {Value: "sk-2 \" ü"}, login: {Value: strings.Repeat("t", 64<<10)}, {"secret", "old"}: {Gone: true}}
	if got, err := f.Read(t.Context()); err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("got %d entries, %v", len(got), err)
	}
	for _, name := range []string{Name, keyName, lockName} {
		if info, err := os.Lstat(f.path(name)); err != nil || runtime.GOOS != "windows" && info.Mode() != 0o600 {
			t.Errorf("%s: %v, %v", name, info.Mode(), err)
		}
	}
	for _, draft := range []string{Name + ".new", keyName + ".new"} { // of a process that was killed
		if err := os.WriteFile(f.path(draft), []byte("half"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for key := range want {
		f.drop(t, key)
	}
	if got, err := f.Read(t.Context()); err != nil || len(got) != 0 {
		t.Errorf("after everything was dropped: %v, %v", got, err)
	}
	if left := names(t, f.dir); !reflect.DeepEqual(left, []string{lockName}) {
		t.Errorf("what is left is %q", left)
	}
}

func TestTheSameEntriesAreNeverSealedToTheSameBytes(t *testing.T) {
	f := inTest(t)
	seen := map[string]bool{}
	for i := range 20 {
		f.put(t, openai, "sk-1")
		f.put(t, login, fmt.Sprint(i))
		f.drop(t, login)
		raw, err := os.ReadFile(f.Path())
		if err != nil {
			t.Fatal(err)
		}
		if nonce := string(raw[1:25]); seen[nonce] {
			t.Error("a nonce was used twice")
		} else {
			seen[nonce] = true
		}
	}
}

func TestNothingInTheFileCanBeRead(t *testing.T) {
	f := inTest(t)
	f.put(t, openai, "sk-secret-value")
	f.put(t, login, "token-secret-value")
	for _, name := range names(t, f.dir) {
		raw, err := os.ReadFile(f.path(name))
		if err != nil {
			t.Fatal(err)
		}
		for _, text := range []string{"openai", "secret", "value", "example", "token", "{", "0011223344556677"} {
			for as, form := range map[string]string{"plain": text, "hex": hex.EncodeToString([]byte(text)), "base64": base64.RawStdEncoding.EncodeToString([]byte(text))} {
				if len(form) > 3 && bytes.Contains(raw, []byte(form)) {
					t.Errorf("%s has %q in it (%s)", name, text, as)
				}
			}
		}
	}
}

// What is not as we left it is refused by every call, with what to do in the error, and stays as it is.
func TestAFileThatIsNotAsWeLeftItIsRefusedAndNotWrittenOver(t *testing.T) {
	write := func(name string, change func([]byte) []byte) func(*testing.T, File) {
		return func(t *testing.T, f File) {
			raw, err := os.ReadFile(f.path(name))
			if err == nil {
				err = os.WriteFile(f.path(name), change(raw), 0o600)
			}
			if err != nil {
				t.Fatal(err)
			}
		}
	}
	flip := func(at int) func([]byte) []byte {
		return func(raw []byte) []byte { raw[(at+len(raw))%len(raw)] ^= 0x40; return raw }
	}
	for _, c := range []struct {
		name string
		do   func(*testing.T, File)
		says []string
	}{
		{"a bit of the nonce is flipped", write(Name, flip(1)), []string{"damaged", "from one backup"}},
		{"a bit in the middle is flipped", write(Name, flip(60)), []string{"damaged", "from one backup"}},
		{"the last bit is flipped", write(Name, flip(-1)), []string{"damaged", "from one backup"}},
		{"the file is cut", write(Name, func(raw []byte) []byte { return raw[:len(raw)-1] }), []string{"damaged", "from one backup"}},
		{"the file is cut within the nonce", write(Name, func(raw []byte) []byte { return raw[:9] }), []string{"damaged", "from one backup"}},
		{"the file is empty", write(Name, func([]byte) []byte { return nil }), []string{"damaged", "from one backup"}},
		{"the file is longer", write(Name, func(raw []byte) []byte { return append(raw, 0) }), []string{"damaged", "from one backup"}},
		{"the file has no end", write(Name, func([]byte) []byte { return make([]byte, maxFile+1) }), []string{"too long", "from one backup"}},
		{"the version is 0", write(Name, func(raw []byte) []byte { raw[0] = 0; return raw }), []string{"damaged", "from one backup"}},
		{"the version is newer", write(Name, func(raw []byte) []byte { raw[0] = version + 1; return raw }), []string{"a newer Sallyport", "update"}},
		{"a bit of the key is flipped", write(keyName, flip(5)), []string{"damaged", "from one backup"}},
		{"the key is cut", write(keyName, func(raw []byte) []byte { return raw[:31] }), []string{keyName + " is damaged", "from one backup"}},
		{"the key is longer", write(keyName, func(raw []byte) []byte { return append(raw, 0) }), []string{keyName, "from one backup"}},
		{"the key is missing", func(_ *testing.T, f File) { os.Remove(f.path(keyName)) }, []string{keyName + " is missing", "from one backup"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			f := inTest(t)
			f.put(t, openai, "sk-secret-value")
			c.do(t, f)
			f.refuses(t, c.says...)
		})
	}
	t.Run("the file is another home's", func(t *testing.T) {
		f := inTest(t)
		f.put(t, openai, "sk-secret-value")
		In(f.dir, "7766554433221100").refuses(t, "in another folder", "from one backup")
	})
}

// refuses checks that every call fails with these words, and that no file has changed.
func (f File) refuses(t *testing.T, says ...string) {
	t.Helper()
	content := func() string {
		var all strings.Builder
		for _, name := range names(t, f.dir) {
			raw, err := os.ReadFile(f.path(name))
			fmt.Fprintf(&all, "%s %x %v\n", name, raw, err)
		}
		return all.String()
	}
	before := content()
	for call, err := range map[string]error{
		"Read":      func() error { _, err := f.Read(t.Context()); return err }(),
		"Change":    f.Change(t.Context(), func(d *Draft) error { return d.Put(login, Entry{Value: "other"}) }),
		"TryChange": func() error { _, err := f.TryChange(func(d *Draft) error { return d.Drop(openai) }); return err }(),
	} {
		if err == nil {
			t.Errorf("%s: no error", call)
			continue
		}
		for _, word := range append(says, f.dir) {
			if !strings.Contains(err.Error(), word) {
				t.Errorf("%s: %v, without %q", call, err, word)
			}
		}
		if strings.Contains(err.Error(), "\n") || strings.Contains(err.Error(), "openai") || strings.Contains(err.Error(), "sk-secret") {
			t.Errorf("%s: %v", call, err)
		}
	}
	if after := content(); after != before {
		t.Errorf("the files changed:\n%s\n%s", before, after)
	}
}

func TestADamagedKeyWithoutAFileIsRefused(t *testing.T) {
	f := inTest(t)
	f.put(t, openai, "x")
	f.drop(t, openai)
	if err := os.WriteFile(f.path(keyName), []byte("short"), 0o600); err != nil {
		t.Fatal(err)
	}
	err := f.Change(t.Context(), func(d *Draft) error { return d.Put(openai, Entry{Value: "x"}) })
	if err == nil || !strings.HasSuffix(err.Error(), "secrets.key is damaged: delete it, nothing is sealed with it") {
		t.Error(err)
	}
}

func TestAFileThatIsTooLargeIsNotWritten(t *testing.T) {
	f := inTest(t)
	f.put(t, openai, "x")
	err := f.Change(t.Context(), func(d *Draft) error { return d.Put(login, Entry{Value: strings.Repeat("x", maxFile)}) })
	if err == nil || !strings.Contains(err.Error(), "more than 8 MiB: delete") {
		t.Error(err)
	}
	if got, err := f.Read(t.Context()); err != nil || len(got) != 1 {
		t.Errorf("afterwards: %d entries, %v", len(got), err)
	}
}

// A reader waits for nobody, and yet never meets the key of one file with another, or a file whose key was just deleted.
func TestAReaderNeverSeesHalfOfAWrite(t *testing.T) {
	f := inTest(t)
	f.put(t, openai, "x")
	f.drop(t, openai)
	over := make(chan struct{})
	var readers sync.WaitGroup
	for range 3 {
		readers.Go(func() {
			for {
				select {
				case <-over:
					return
				default:
				}
				got, err := f.Read(t.Context())
				if err != nil {
					t.Error(err)
					return
				}
				if entry, there := got[openai]; there && entry.Value != "x" {
					t.Errorf("got %q", entry.Value)
					return
				}
			}
		})
	}
	for range 60 {
		f.put(t, openai, "x")
		f.drop(t, openai)
	}
	close(over)
	readers.Wait()
}

func TestAWriterWaitsForTheOneBeforeItAndTryDoesNot(t *testing.T) {
	f := inTest(t)
	inside, leave := make(chan struct{}), make(chan struct{})
	ended := make(chan error, 2)
	go func() {
		ended <- f.Change(t.Context(), func(d *Draft) error {
			close(inside)
			<-leave
			return d.Put(openai, Entry{Value: "first"})
		})
	}()
	<-inside
	if tried, err := f.TryChange(func(*Draft) error { return nil }); tried || err != nil {
		t.Errorf("a try while another has the lock: %v, %v", tried, err)
	}
	go func() {
		ended <- f.Change(t.Context(), func(d *Draft) error {
			if entry, _ := d.Get(openai); entry.Value != "first" {
				return fmt.Errorf("the second writer sees %q", entry.Value)
			}
			return d.Put(openai, Entry{Value: "second"})
		})
	}()
	close(leave)
	for range 2 {
		if err := <-ended; err != nil {
			t.Error(err)
		}
	}
	if got, err := f.Read(t.Context()); err != nil || got[openai].Value != "second" {
		t.Errorf("%v, %v", got, err)
	}
}
