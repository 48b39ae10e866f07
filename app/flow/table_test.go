package flow

import (
	"fmt"
	"runtime"
	"testing"
	"time"

	"github.com/sallyport/sallyport/proxy/control"
	values "github.com/sallyport/sallyport/proxy/flow"
)

// full is a department that knows keys, and its clock.
func full() (*Flow, *time.Time) {
	now := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	f := New(func() time.Time { return now }, func() {})
	f.derive = func(purpose, of string) []byte { return []byte(purpose + of) }
	f.fresh()
	return f, &now
}

// hear has a server say n values, from first on, all of one kind.
func hear(f *Flow, server string, first, n int, kind values.Kind) {
	for n > 0 {
		some := min(n, values.MaxValues)
		came := make([]byte, 0, some*values.HashedSize)
		for i := range some {
			came = values.Hashed{Hash: mixed(uint64(first + i)), Kind: kind, Prose: true}.Append(came)
		}
		f.mu.Lock()
		f.take(f.client("c"), server, control.Values{At: f.now(), Came: came, Item: "tool:t"}, f.now())
		f.mu.Unlock()
		first, n = first+some, n-some
	}
}

// mixed spreads numbers as hashes are spread.
func mixed(n uint64) uint64 { return (n ^ n>>31) * 0x9e3779b97f4a7c15 }

func (f *Flow) knows(server string, n int) bool {
	h := f.clients["c"].servers[server]
	_, ok := h.values[mixed(uint64(n))]
	return ok
}

// A million values of one server push out its own alone, and while a destination is missing, the server is known to have said more.
func TestAServersValuesPushOutOnlyItsOwn(t *testing.T) {
	f, now := full()
	hear(f, "quiet", 0, 100, values.Mail)
	hear(f, "loud", 1000, 1_000_000, values.Mail)
	for n := range 100 {
		if !f.knows("quiet", n) {
			t.Fatalf("value %d of the other server is gone", n)
		}
	}
	loud := f.clients["c"].servers["loud"]
	if len(loud.values) != control.MaxServerValues || f.knows("loud", 1000) || !f.knows("loud", 1_000_999) {
		t.Errorf("of the server %d values are kept", len(loud.values))
	}
	if !loud.over.After(*now) || f.clients["c"].servers["quiet"].over.After(*now) {
		t.Error("it is not known which server said more than is kept")
	}
	*now = now.Add(control.ValuesFor + time.Minute)
	f.TendFlow()
	if f.entries != 0 || len(f.clients) != 0 {
		t.Errorf("after four hours %d values of %d clients are kept", f.entries, len(f.clients))
	}
}

// Names that were pushed out are not missed.
func TestAServerThatOnlySaidManyNamesIsNotOverflowed(t *testing.T) {
	f, now := full()
	hear(f, "loud", 0, 200_000, values.Name)
	if f.clients["c"].servers["loud"].over.After(*now) {
		t.Error("it counts as overflowed")
	}
}

func TestTheTableStaysWithinItsBound(t *testing.T) {
	f, _ := full()
	heap := func() uint64 {
		runtime.GC()
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		return m.HeapAlloc
	}
	before := heap()
	for n := range 30 {
		hear(f, fmt.Sprint("server ", n), n*1_000_000, 100_000, values.Mail)
	}
	grown := int64(heap()) - int64(before)
	if f.entries > maxEntries || grown > 64<<20 {
		t.Errorf("%d values take %d MiB, %d bytes each", f.entries, grown>>20, grown/int64(f.entries))
	}
	if f.entries < maxEntries/2 {
		t.Errorf("only %d values are kept", f.entries)
	}
	runtime.KeepAlive(f)
}

// A value that comes again lasts from then on, and what is known of it only grows.
func TestAValueThatComesAgainLastsLonger(t *testing.T) {
	f, now := full()
	hear(f, "s", 7, 1, values.Mail)
	*now = now.Add(3 * time.Hour)
	hear(f, "s", 7, 1, values.Mail)
	*now = now.Add(3 * time.Hour)
	f.TendFlow()
	if !f.knows("s", 7) || !f.clients["c"].came(mixed(7), *now) {
		t.Error("it is gone")
	}
	*now = now.Add(2 * time.Hour)
	if f.clients["c"].came(mixed(7), *now) {
		t.Error("it counts for more than four hours")
	}
}

// What was used longest ago is dropped first, and what is kept is read back.
func TestWhatWasUsedLongestAgoIsDropped(t *testing.T) {
	k := known{of: map[string]*used{}}
	at := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	for n := range maxKnown + 1 {
		k.use("c", uint64(n), at.Add(time.Duration(n)*time.Minute))
	}
	if k.has("c", 0) || !k.has("c", maxKnown) || !k.has("c", maxKnown/2) {
		t.Error("the wrong values were dropped")
	}
	k.use("c", maxKnown, at.Add(100*24*time.Hour))
	back := readUsed(k.of["c"].append(nil))
	if len(back.values) != len(k.of["c"].values) || back.values[maxKnown] != k.of["c"].values[maxKnown] {
		t.Errorf("%d of %d values were read back: %v and %v", len(back.values), len(k.of["c"].values), back.values[maxKnown], k.of["c"].values[maxKnown])
	}
}
