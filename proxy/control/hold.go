package control

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"sync"
	"time"

	"github.com/sallyport/sallyport/proxy/inspect"
	"github.com/sallyport/sallyport/proxy/pin"
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

// Keyed is the digest of a request under a hub's key (State.SameKey), as Released names it. The digest alone would tell what was
// asked to whoever can guess it.
func Keyed(key []byte, same pin.Digest) pin.Digest {
	mac := hmac.New(sha256.New, key)
	mac.Write([]byte(same))
	return pin.Digest(hex.EncodeToString(mac.Sum(nil)))
}

// PartInteraction is what the parts of an `interaction` item begin with; what follows is a vocab.Ask.
const PartInteraction = "interaction:"

// MaxInteraction is how large the parameters of a request may be that a person is asked about. A larger one is refused, and the
// timeline says so.
const MaxInteraction = 1 << 20

// Interaction is a request of a server to its client that was not let through. The hub has stored the inbox item, if a person
// may still decide on it, before the server hears that it was refused.
type Interaction struct {
	Method   string            `json:"method"`
	Params   []byte            `json:"params,omitempty"`
	Client   string            `json:"client,omitempty"`
	Findings []inspect.Finding `json:"findings,omitempty"` // what only the wrapper can know; the hub looks for itself
}

// Allowed is what a person has allowed a server to ask of one kind.
type Allowed struct {
	Kind     vocab.Ask    `json:"kind"`
	All      bool         `json:"all,omitempty"`      // its first use was approved (interaction.policy = ask)
	Requests []pin.Digest `json:"requests,omitempty"` // these, word for word (pin.RequestDigest)
}

// Interaction has a refused request of the server stored for a person's decision. It fails at once while the hub is away: the
// request is refused all the same, and a record says so.
func (l *Link) Interaction(ctx context.Context, i Interaction) (Kept, error) {
	return asked(ctx, l, askInteraction, i)
}
