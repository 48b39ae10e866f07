package quarantine

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/sallyport/sallyport/proxy/vocab"
	"github.com/sallyport/sallyport/store"
)

func TestWhichResponsesMakeRoom(t *testing.T) {
	most := Cap{Responses: 10, Bytes: 1000, One: 400}
	for _, c := range []struct {
		name    string
		held    int             // number of responses
		tools   int             // the responses' tools, in turn; tool 0 belongs to one server, the others to another
		kept    int64           // bytes of each response
		state   vocab.HeldState // of every response
		size    int64
		evicted string
		fits    bool
	}{
		{"there is room", 3, 1, 250, vocab.HeldWaiting, 250, "", true},
		{"the oldest goes", 4, 1, 250, vocab.HeldWaiting, 250, "C000", true},
		{"as many as are needed go", 9, 1, 110, vocab.HeldExpired, 221, "C000 C001", true},
		{"one goes for the number", 10, 1, 10, vocab.HeldWaiting, 10, "C000", true},
		{"what a person released stays", 4, 1, 250, vocab.HeldReleased, 250, "", false},
		{"and what is being handed over", 4, 1, 250, vocab.HeldTaken, 250, "", false},
		{"one that is larger than one may be", 0, 1, 0, vocab.HeldWaiting, 401, "", false},
		{"one that is larger waits too, and counts", 10, 1, 10, vocab.HeldWaiting, 401, "C000", false},
		{"one for which there are no bytes counts, and takes none", 12, 1, 250, vocab.HeldReleased, 250, "", false},
		{"the largest item gives", 9, 2, 110, vocab.HeldWaiting, 110, "C000", true},
		{"of the server with the most, the largest item", 9, 3, 110, vocab.HeldWaiting, 110, "C002", true},
		{"its next largest after that", 9, 3, 110, vocab.HeldWaiting, 221, "C002 C001", true},
		{"not the largest item of a server with less", 7, 3, 140, vocab.HeldWaiting, 140, "C002", true},
		{"first for the bytes, and others for the number", 12, 1, 80, vocab.HeldWaiting, 80, "C000 C001 C002", true},
	} {
		t.Run(c.name, func(t *testing.T) {
			x := newHeldIndex()
			at := time.Now()
			for i := range c.held {
				tool := i % c.tools
				x.put(store.Held{
					Code: fmt.Sprintf("C%03d", i), ID: fmt.Sprint(i), ServerID: fmt.Sprint("s", min(tool, 1)), Item: fmt.Sprint("tool:", tool), State: c.state, Text: "t", Kept: c.kept,
					Stored: at.Add(time.Duration(i) * time.Second),
				})
			}
			evicted, fits := x.makeRoom(most, c.size)
			var codes []string
			for _, one := range evicted {
				codes = append(codes, one.Code)
			}
			if got := strings.Join(codes, " "); got != c.evicted || fits != c.fits {
				t.Errorf("%v, %q goes", fits, got)
			}
		})
	}
}
