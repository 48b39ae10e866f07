package control

import (
	"context"
	"encoding/json"
	"errors"
	"sync"
	"time"

	"github.com/sallyport/sallyport/proxy/vocab"
)

// holding is the part of a Link that gets held answers to the hub, or to the disk while there is none.
type holding struct {
	mu    sync.Mutex
	spool heldSpool
	busy  bool // a goroutine delivers
}

// holdAgain is how soon what was written down is offered again to a hub that is there and said no.
const holdAgain = 2 * time.Second

// Hold has a held answer stored: by the hub, whose code for it is returned, or while the hub is away in the spool, and then
// there is no code yet. An error means that it is kept nowhere.
func (l *Link) Hold(ctx context.Context, h Held) (Kept, error) {
	c, err := l.hub()
	if err == nil {
		var kept Kept
		if kept, err = AskHold(ctx, c, h); err == nil {
			return kept, nil
		}
		var refusal *Error
		if errors.As(err, &refusal) && refusal.Code == CodeBadRequest {
			return Kept{}, err // it would be refused again
		}
	}
	l.log.Warn("hold", "error", err)
	l.holding.mu.Lock()
	defer l.holding.mu.Unlock()
	if err := l.holding.spool.add(h, l.state.Load().Spool); err != nil {
		return Kept{}, err
	}
	if !l.holding.busy {
		l.holding.busy = true
		go l.deliverHeld()
	}
	return Kept{}, nil
}

// deliverHeld brings what was written down to a hub, oldest first, for as long as there is anything and the link stands.
func (l *Link) deliverHeld() {
	for {
		select {
		case <-time.After(holdAgain):
		case <-l.over:
			return
		}
		if c, err := l.hub(); err == nil && l.deliverAll(c) {
			return
		}
	}
}

// deliverAll says whether nothing is left. No lock is held while the hub stores one: others are written down meanwhile.
func (l *Link) deliverAll(c *Client) bool {
	for {
		l.holding.mu.Lock()
		one := l.holding.spool.first()
		if one == nil {
			l.holding.busy = false
			l.holding.mu.Unlock()
			return true
		}
		var file heldFile
		err := readHeld(one.f, one.key.known, &file)
		id := one.id
		l.holding.mu.Unlock()
		if err == nil {
			ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
			_, err = AskHold(ctx, c, file.Held)
			cancel()
		}
		var refusal *Error
		if errors.As(err, &refusal) && refusal.Code == CodeBadRequest || err != nil && file.Spool == 0 {
			// It would be refused again, and stand in the way of all behind it.
			l.log.Error("a held response that no hub takes", "id", id, "error", err)
			l.Record(Record{Kind: vocab.RecordProblem, Status: vocab.StatusBlocked, Summary: "the hub does not accept a held response; it stays in the spool", Detail: json.RawMessage(`{"check":"quarantine"}`)})
			l.holding.mu.Lock()
			l.holding.spool.aside(id)
			l.holding.mu.Unlock()
			continue
		}
		if err != nil {
			l.log.Warn("deliver a held response", "error", err)
			return false
		}
		l.holding.mu.Lock()
		l.holding.spool.sent(id)
		l.holding.mu.Unlock()
	}
}

// Take asks for a held answer that was released. It fails at once while the hub is away.
func (l *Link) Take(ctx context.Context, t Take) (Taken, error) {
	return asked(ctx, l, AskTake, t)
}
