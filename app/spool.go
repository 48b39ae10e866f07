package app

import (
	"errors"
	"fmt"
	"os"
	"time"

	"github.com/sallyport/sallyport/proxy/control"
	"github.com/sallyport/sallyport/proxy/inspect"
	"github.com/sallyport/sallyport/store"
)

// collectSpool takes what wrappers that died had written down, when the hub starts and whenever a wrapper has gone. What
// such a file says is worth no more than what its wrapper would have sent: the same kinds, under that wrapper's server.
func (h *Hub) collectSpool() {
	defer h.work.Done()
	for {
		if h.store != nil {
			err := control.ReadSpool(h.opts.Home.Spool, h.takeOrphans)
			h.mu.Lock()
			if errors.Is(err, store.ErrCorrupt) {
				h.damaged(err)
			}
			if err != nil {
				h.problem(problemSpool, oneLine(err.Error()), "see that the disk is not full; the records stay where they are until they can be taken")
			} else {
				h.solved(problemSpool)
			}
			h.mu.Unlock()
		}
		var again <-chan time.Time
		if left, _ := os.ReadDir(h.opts.Home.Spool); len(left) > 0 {
			again = time.After(spoolAgain)
		}
		select {
		case <-h.closing:
			return
		case <-h.orphans:
		case <-again:
		}
	}
}

// spoolAgain is how soon a spool that was left is looked at again: its wrapper hangs up before it ends, and until then the spool
// is still its own.
const spoolAgain = 2 * time.Second

// wrapperGone has the spool looked at. It never waits.
func (h *Hub) wrapperGone() {
	select {
	case h.orphans <- struct{}{}:
	default:
	}
}

// takeOrphans stores one batch of a dead wrapper, durably; records the store has already are stored once.
func (h *Hub) takeOrphans(from control.Register, sent []control.Record) error {
	id, err := identify(from.Server)
	if err != nil {
		return err
	}
	s := &session{server: id.ID, id: clip(from.Session, maxName), secrets: id.Secrets}
	name := inspect.CleanName(from.Server.Name, "a server")
	err = h.store.View(func(tx *store.Tx) error {
		server, err := tx.Server(id.ID)
		if err == nil {
			name = server.Name
		} else if !absent(err) {
			return err
		}
		return nil
	})
	if err != nil {
		return err
	}
	records, refused := s.caused(name, sent)
	if refused > 0 {
		records = append(records, h.record("guard_problem", "warned", store.Record{
			Server: name, Session: s.id, Summary: fmt.Sprintf("%s of a wrapper that ended could not be its own; they were left out", count(refused, "record")),
			Detail: detail(map[string]any{"check": "records", "count": refused}),
		}))
	}
	if len(records) == 0 {
		return nil
	}
	_, err = h.store.AppendNow(records...)
	h.changed()
	return err
}
