package store

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/sallyport/sallyport/proxy/vocab"
)

// TestADamagedFileNeverPanicsAndNeverApproves writes garbage over parts of a store, again and again. Every use then ends in an error or
// reads what was written, and a pin is returned as it was or not at all.
func TestADamagedFileNeverPanicsAndNeverApproves(t *testing.T) {
	source := home(t)
	s := mustOpen(t, source, Options{})
	update(t, s, func(tx *Tx) error {
		for i := range 200 {
			err := errors.Join(
				tx.PutServer(Server{ID: fmt.Sprintf("s%d", i%10), Name: "n"}),
				tx.PutPin(Pin{ServerID: fmt.Sprintf("s%d", i%10), Item: fmt.Sprintf("tool:%d", i), Digest: "approved digest", State: vocab.PartRejected, Raw: bytes.Repeat([]byte("x"), 400)}),
				tx.PutItem(Item{Code: fmt.Sprintf("C%d", i)}),
			)
			if err != nil {
				return err
			}
		}
		return nil
	})
	records := make([]Record, 500)
	for i := range records {
		records[i] = Record{ID: fmt.Sprint(i), Kind: vocab.RecordCall, Summary: "a summary of some length, as records have"}
	}
	if _, err := s.AppendNow(records...); err != nil {
		t.Fatal(err)
	}
	mustClose(t, s)
	whole, err := os.ReadFile(filepath.Join(source, File))
	if err != nil {
		t.Fatal(err)
	}
	key, err := os.ReadFile(filepath.Join(source, keyFile))
	if err != nil {
		t.Fatal(err)
	}

	rounds := 60
	if testing.Short() {
		rounds = 20
	}
	random := rand.New(rand.NewPCG(9, 9))
	refused := 0
	for round := range rounds {
		spoiled := bytes.Clone(whole)
		switch round % 4 {
		case 0: // a page of garbage
			page := random.IntN(len(spoiled)/4096) * 4096
			for i := page; i < page+4096; i++ {
				spoiled[i] = byte(random.Uint32())
			}
		case 1: // one byte
			spoiled[random.IntN(len(spoiled))] ^= 1 << random.IntN(8)
		case 2: // a page's header, where bbolt looks first
			page := random.IntN(len(spoiled)/4096) * 4096
			for i := page; i < page+16; i++ {
				spoiled[i] = byte(random.Uint32())
			}
		case 3: // cut off
			spoiled = spoiled[:random.IntN(len(spoiled))]
		}
		dir := home(t)
		write(t, filepath.Join(dir, File), spoiled)
		write(t, filepath.Join(dir, keyFile), key)
		if !survives(t, round, dir) {
			refused++
		}
	}
	if refused == 0 || refused == rounds {
		t.Errorf("%d of %d damaged stores were refused at open: the rounds tell nothing", refused, rounds)
	}
}

// survives uses a store in every way and reports whether it could be opened.
func survives(t *testing.T, round int, dir string) bool {
	t.Helper()
	s, err := Open(dir, Options{})
	if err != nil {
		if !errors.Is(err, ErrCorrupt) && !errors.Is(err, ErrSeal) && !errors.Is(err, ErrMissing) {
			t.Errorf("round %d: open: %v", round, err)
		}
		return false
	}
	defer s.Close()
	_, _ = s.Tampered()
	_ = s.View(func(tx *Tx) error {
		for i := range 10 {
			pins, _, err := tx.Pins(fmt.Sprintf("s%d", i))
			for _, p := range pins {
				if p.State != vocab.PartRejected || p.Digest != "approved digest" {
					t.Errorf("round %d: a damaged pin was returned: %+v", round, p)
				}
			}
			if err != nil {
				return err
			}
		}
		tx.Waiting()
		return nil
	})
	_, _ = s.Records(Query{})
	_, _ = s.Verify(nil)
	_ = s.Update(func(tx *Tx) error {
		return tx.PutPin(Pin{ServerID: "s1", Item: "tool:new", State: vocab.PartRejected, Digest: "approved digest"})
	})
	_, _ = s.AppendNow(Record{Kind: vocab.RecordCall})
	_, _ = s.Prune(s.now(), 0, 1000)
	_, _ = s.Verify(nil)
	return true
}

func TestAfterDamageNothingMoreIsDone(t *testing.T) {
	s, err := Open(home(t), Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	err = s.View(func(tx *Tx) error { tx.bucket([]byte("a bucket that is gone")); return nil })
	if !errors.Is(err, ErrCorrupt) {
		t.Fatalf("error %v", err)
	}
	if err := s.Update(func(*Tx) error { t.Error("it ran"); return nil }); !errors.Is(err, ErrCorrupt) {
		t.Errorf("update: %v", err)
	}
	if _, err := s.AppendNow(Record{}); !errors.Is(err, ErrCorrupt) {
		t.Errorf("append: %v", err)
	}
}

// TestDamageMetInUseHoldsNobody damages the file under an open store. Whether a reader or a writer meets the damage first, every call
// returns, later ones too, so does Close, and the same process can set the file aside.
func TestDamageMetInUseHoldsNobody(t *testing.T) {
	noise := func(t *testing.T, path string, from int64) {
		info, err := os.Stat(path)
		if err != nil {
			t.Fatal(err)
		}
		f, err := os.OpenFile(path, os.O_WRONLY, 0)
		if err != nil {
			t.Fatal(err)
		}
		_, err = f.WriteAt(bytes.Repeat([]byte("noise"), int(info.Size()-from)/5), from)
		if err := errors.Join(err, f.Close()); err != nil {
			t.Fatal(err)
		}
	}
	for damage, do := range map[string]func(t *testing.T, path string){
		"all but the meta pages is noise": func(t *testing.T, path string) { noise(t, path, 2*4096) },
		"all is noise":                    func(t *testing.T, path string) { noise(t, path, 0) },
		"cut to its meta pages":           func(t *testing.T, path string) { cut(t, path, 2*4096) },
		"cut to nothing":                  func(t *testing.T, path string) { cut(t, path, 0) },
	} {
		for first, use := range map[string]func(s *Store) error{
			"a writer": func(s *Store) error { return s.Update(func(tx *Tx) error { return tx.PutServer(Server{ID: "s2"}) }) },
			"a reader": func(s *Store) error { return s.View(func(tx *Tx) error { tx.Servers(); return nil }) },
			"a record": func(s *Store) error { _, err := s.AppendNow(Record{Kind: vocab.RecordCall}); return err },
		} {
			t.Run(damage+", met by "+first, func(t *testing.T) {
				t.Parallel()
				dir := home(t)
				s := mustOpen(t, dir, Options{})
				update(t, s, func(tx *Tx) error { return tx.PutServer(Server{ID: "s1", Name: strings.Repeat("n", 20_000)}) })
				reading, goOn := make(chan struct{}), make(chan struct{})
				ended := make(chan error, 1)
				go func() { // a reader in progress
					ended <- s.View(func(*Tx) error { close(reading); <-goOn; return nil })
				}()
				<-reading
				do(t, filepath.Join(dir, File))
				within(t, "the first use", func() {
					if err := use(s); !errors.Is(err, ErrCorrupt) {
						t.Errorf("%s: %v", first, err)
					}
				})
				within(t, "the next uses", func() {
					if err := s.Update(func(*Tx) error { return nil }); !errors.Is(err, ErrCorrupt) {
						t.Errorf("another writer: %v", err)
					}
					if _, err := s.AppendNow(Record{Kind: vocab.RecordCall}); !errors.Is(err, ErrCorrupt) {
						t.Errorf("a record: %v", err)
					}
				})
				close(goOn)
				within(t, "the end of the one that was under way", func() { <-ended })
				within(t, "close", func() { _ = s.Close() })
				if kept, err := SetAside(dir, Options{Damage: "as met"}); err != nil || kept == "" {
					t.Errorf("put aside: %q, %v", kept, err)
				}
			})
		}
	}
}

// A transaction's start checks the meta pages before bbolt does so with its locks held. If they are damaged in between, these locks are
// never released, and a commit in progress waits for them.
func TestDamageMetBesideACommitHoldsNobody(t *testing.T) {
	for name, size := range map[string]int{"a commit": 10, "a commit that outgrows the memory map": 1 << 20} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := home(t)
			s := mustOpen(t, dir, Options{})
			update(t, s, func(tx *Tx) error { return tx.PutServer(Server{ID: "s1", Name: "n"}) })
			file, err := os.OpenFile(filepath.Join(dir, File), os.O_RDWR, 0)
			if err != nil {
				t.Fatal(err)
			}
			defer file.Close()
			metas := make([]byte, 2*s.page)
			if _, err := file.ReadAt(metas, 0); err != nil {
				t.Fatal(err)
			}
			writing, goOn := make(chan struct{}), make(chan struct{})
			ended := make(chan error, 1)
			go func() {
				ended <- s.Update(func(tx *Tx) error {
					close(writing)
					<-goOn
					return tx.PutServer(Server{ID: "s2", Name: strings.Repeat("n", size)})
				})
			}()
			<-writing
			if _, err := file.WriteAt(bytes.Repeat([]byte("noise"), len(metas)/5), 0); err != nil {
				t.Fatal(err)
			}
			// A reader that has made that check.
			met := s.note(guard(func() error { _, err := s.db.Begin(false); return err }))
			if !errors.Is(met, ErrCorrupt) {
				t.Fatalf("met %v", met)
			}
			if _, err := file.WriteAt(metas, 0); err != nil { // so that the commit meets no damage of its own
				t.Fatal(err)
			}
			close(goOn)
			within(t, "the commit", func() {
				if err := <-ended; !errors.Is(err, ErrCorrupt) {
					t.Errorf("it says %v", err)
				}
			})
			within(t, "the next uses", func() {
				if err := s.Update(func(*Tx) error { return nil }); !errors.Is(err, ErrCorrupt) {
					t.Errorf("another writer: %v", err)
				}
				if _, err := s.AppendNow(Record{Kind: vocab.RecordCall}); !errors.Is(err, ErrCorrupt) {
					t.Errorf("a record: %v", err)
				}
			})
			within(t, "close", func() { _ = s.Close() })
			if kept, err := SetAside(dir, Options{Damage: "as met"}); err != nil || kept == "" {
				t.Errorf("put aside: %q, %v", kept, err)
			}
		})
	}
}

// A file ends with space to which no page was written yet. Losing only that is not damage: no call waits, and nothing is lost.
func TestACutThatTakesOnlyUnusedRoomLosesNothing(t *testing.T) {
	dir := home(t)
	s := mustOpen(t, dir, Options{})
	var used, room int64
	for n := 0; room <= used; n++ {
		if n == 10_000 {
			t.Fatal("the file never has room to spare")
		}
		update(t, s, func(tx *Tx) error {
			return tx.PutServer(Server{ID: fmt.Sprintf("s%d", n), Name: strings.Repeat("n", 2000)})
		})
		if err := s.View(func(tx *Tx) error { used = tx.tx.Size(); return nil }); err != nil {
			t.Fatal(err)
		}
		info, err := os.Stat(filepath.Join(dir, File))
		if err != nil {
			t.Fatal(err)
		}
		room = info.Size()
	}
	var before []Server
	if err := s.View(func(tx *Tx) error { before = tx.Servers(); return nil }); err != nil {
		t.Fatal(err)
	}
	cut(t, filepath.Join(dir, File), used)
	for n := range 50 {
		update(t, s, func(tx *Tx) error {
			return tx.PutServer(Server{ID: fmt.Sprintf("t%d", n), Name: strings.Repeat("n", 2000)})
		})
		if _, err := s.AppendNow(Record{Kind: vocab.RecordCall}); err != nil {
			t.Fatal(err)
		}
	}
	mustClose(t, s)
	s = mustOpen(t, dir, Options{})
	defer mustClose(t, s)
	if _, err := s.Verify(nil); err != nil {
		t.Error(err)
	}
	var after []Server
	if err := s.View(func(tx *Tx) error { after = tx.Servers(); return nil }); err != nil {
		t.Fatal(err)
	}
	if len(after) != len(before)+50 {
		t.Errorf("%d servers were there, 50 came, and there are %d", len(before), len(after))
	}
}

func cut(t *testing.T, path string, size int64) {
	t.Helper()
	if err := os.Truncate(path, size); err != nil {
		t.Fatal(err)
	}
}

// within fails if f does not return.
func within(t *testing.T, what string, f func()) {
	t.Helper()
	ended := make(chan struct{})
	go func() { defer close(ended); f() }()
	select {
	case <-ended:
	case <-time.After(30 * time.Second):
		t.Fatalf("%s came to no end", what)
	}
}

// If the meta page of the last commit is damaged, bbolt silently uses the state before it. In that commit a person may have taken an
// approval back.
func TestADamagedMetaPageIsNoWayBack(t *testing.T) {
	state := func(s *Store) (name string, err error) {
		err = s.View(func(tx *Tx) error {
			server, err := tx.Server("s1")
			name = server.Name
			return err
		})
		return name, err
	}
	for page := range int64(2) {
		for _, when := range []string{"between two runs", "in use"} {
			t.Run(fmt.Sprintf("page %d, %s", page, when), func(t *testing.T) {
				for _, last := range []string{"second", "third"} { // their commits are in different meta pages
					dir := home(t)
					s := mustOpen(t, dir, Options{})
					for _, name := range []string{"first", "second", "third"} {
						update(t, s, func(tx *Tx) error { return tx.PutServer(Server{ID: "s1", Name: name}) })
						if name == last {
							break
						}
					}
					size := int64(s.page)
					if when == "between two runs" {
						mustClose(t, s)
					}
					f, err := os.OpenFile(filepath.Join(dir, File), os.O_WRONLY, 0)
					if err != nil {
						t.Fatal(err)
					}
					_, err = f.WriteAt(make([]byte, size), page*size)
					if err := errors.Join(err, f.Close()); err != nil {
						t.Fatal(err)
					}
					if when == "between two runs" {
						if _, err := Open(dir, Options{}); !errors.Is(err, ErrCorrupt) {
							t.Fatalf("opened: %v, want %v", err, ErrCorrupt)
						}
						continue
					}
					if name, err := state(s); err == nil && name != last || err != nil && !errors.Is(err, ErrCorrupt) {
						t.Fatalf("it went back to %q: %v", name, err)
					}
					_ = s.Close()
				}
			})
		}
	}
}

// bbolt trusts what it finds in place of the list of free pages: noise there would take memory without limit.
func TestANoisyListOfFreePagesIsNotBelieved(t *testing.T) {
	dir := home(t)
	s := mustOpen(t, dir, Options{})
	update(t, s, func(tx *Tx) error { return tx.PutServer(Server{ID: "s1"}) })
	m, err := s.readMeta()
	if err != nil || m.freelist == noFreelist {
		t.Fatalf("meta %+v, %v", m, err)
	}
	f, err := os.OpenFile(filepath.Join(dir, File), os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	_, err = f.WriteAt(bytes.Repeat([]byte("noise"), 800), int64(m.freelist)*int64(s.page))
	if err := errors.Join(err, f.Close()); err != nil {
		t.Fatal(err)
	}
	within(t, "a commit", func() {
		if err := s.Update(func(tx *Tx) error { return tx.PutServer(Server{ID: "s2"}) }); !errors.Is(err, ErrCorrupt) {
			t.Errorf("it says %v", err)
		}
	})
	within(t, "close", func() { _ = s.Close() })
}

// The check that reads the whole file meets a key outside of it. It must return an error and not end the program.
func TestAKeyThatPointsOutsideTheFileIsDamageAndNoEnd(t *testing.T) {
	page := func(raw []byte, at int) (flags, count uint16) {
		return binary.LittleEndian.Uint16(raw[at+8:]), binary.LittleEndian.Uint16(raw[at+10:])
	}
	size, found := os.Getpagesize(), 0
	source := lived(t)
	s := mustOpen(t, source, Options{})
	update(t, s, func(tx *Tx) (err error) {
		for n := range 40 {
			err = errors.Join(err, tx.PutServer(Server{ID: fmt.Sprint("server", n), Name: "weather"}))
		}
		return err
	})
	mustClose(t, s)
	whole, err := os.ReadFile(filepath.Join(source, File))
	if err != nil {
		t.Fatal(err)
	}
	for at := 2 * size; at+size <= len(whole); at += size {
		flags, count := page(whole, at)
		if flags != 1 && flags != 2 || count == 0 { // neither a branch nor a leaf
			continue
		}
		dir := home(t)
		copyFile(t, filepath.Join(source, keyFile), filepath.Join(dir, keyFile))
		raw := bytes.Clone(whole)
		element := at + 16 + 16*int(count-1)
		if flags == 2 {
			element += 4 // a leaf's begins with its own flags
		}
		binary.LittleEndian.PutUint32(raw[element:], 0x7fff0000)
		write(t, filepath.Join(dir, File), raw)
		why, err := whyUnusable(dir, Options{})
		if err != nil && !strings.Contains(err.Error(), "is in order") { // the page may be free
			t.Errorf("page %d: %v", at/size, err)
		}
		if why != "" {
			found++
		}
	}
	if found == 0 {
		t.Error("no damage was found in any page")
	}
}
