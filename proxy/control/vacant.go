package control

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/sallyport/sallyport/proxy/disk"
	"github.com/sallyport/sallyport/proxy/peer"
	"github.com/sallyport/sallyport/proxy/vocab"
)

// vacant says whether a home has no hub, by what came of dialing it. What sits on the socket and is no hub keeps none from starting, unless
// something owns the home: then it is a hub of another version, most likely, or nobody can start one.
func (h Home) vacant(err error) bool {
	return errors.Is(err, ErrNoHub) || errors.Is(err, peer.ErrForeign) && !h.owned()
}

// owned says whether some process holds what a hub holds as long as it lives. It is asked in doubt only: the lock is taken for a moment, and
// a hub that starts then begins again.
func (h Home) owned() bool {
	f, err := disk.Open(filepath.Join(h.Dir, "hub.lock"), os.O_RDWR)
	if errors.Is(err, os.ErrNotExist) {
		return false
	}
	if err != nil {
		return true
	}
	defer f.Close()
	free, err := disk.Lock(f)
	return err != nil || !free
}

// ownedInterval is how long an end that was proved may say nothing until it is asked whether it owns the home.
const ownedInterval = 300 * time.Millisecond

// suspect calls f once what listens at socket is known to be no hub though it says nothing: nobody owns the home, or the one that does
// listens at another socket of that name by now. What it returns ends the looking, and is the reason.
func (h Home) suspect(ctx context.Context, socket string, f func()) (why func() error) {
	var (
		mu     sync.Mutex
		reason error
	)
	dialed, _ := os.Lstat(socket)
	ctx, stop := context.WithCancel(ctx)
	go func() {
		for after(ctx, ownedInterval) {
			var found error
			if now, err := os.Lstat(socket); dialed == nil || err != nil || !os.SameFile(dialed, now) {
				found = fmt.Errorf("%w: its socket was replaced", ErrNoHub)
			} else if !h.owned() {
				found = fmt.Errorf("%w: it does not respond, and no hub runs there", peer.ErrForeign)
			} else {
				continue
			}
			mu.Lock()
			defer mu.Unlock()
			if ctx.Err() == nil {
				reason = found
				f()
			}
			return
		}
	}()
	return func() error {
		mu.Lock()
		defer mu.Unlock()
		stop()
		return reason
	}
}

// foreign records that something spoke in the place of the hub, at most once a minute.
func (l *Link) foreign(err error) {
	if !errors.Is(err, peer.ErrForeignMessage) {
		return
	}
	if count := l.strange.met(time.Now()); count > 0 {
		l.Record(ForeignRecord(Foreign{Why: err.Error(), Count: count}))
	}
}

// ForeignRecord is what stands in the timeline of foreign messages, whichever end met them.
func ForeignRecord(f Foreign) Record {
	detail, _ := json.Marshal(map[string]any{"check": "sender", "count": f.Count, "why": f.Why}) // a map of plain values
	return Record{Kind: vocab.RecordProblem, Status: vocab.StatusBlocked, Summary: "another program spoke on a connection between Sallyport's programs; nothing it said counted", Detail: detail}
}
