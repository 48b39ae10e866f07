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

// holding is the part of a Link that gets held responses to the hub, or to the disk while there is no hub.
type holding struct {
	mu    sync.Mutex
	spool heldSpool
	busy  bool // a goroutine is delivering
}

// holdAgain is the pause before offering a spooled response to a hub again.
const holdAgain = 2 * time.Second

// Hold stores a held response: with the hub, and returns its code, or in the spool while the hub is away, without a code yet. An
// error means that it is stored nowhere.
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

// deliverHeld delivers spooled responses to a hub, oldest first, until none is left or the link ends.
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

// deliverAll reports whether nothing is left. It holds no lock while the hub stores a response, so others can be spooled.
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
			// It would be refused again and block all behind it.
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

// Take asks for a released response. It fails at once while the hub is away.
func (l *Link) Take(ctx context.Context, t Take) (Taken, error) {
	return asked(ctx, l, AskTake, t)
}

// Keyed is the digest of a request under a hub's key (State.SameKey), as in Released. Without a key, a guess at the request could be
// confirmed by its digest.
func Keyed(key []byte, same pin.Digest) pin.Digest {
	mac := hmac.New(sha256.New, key)
	mac.Write([]byte(same))
	return pin.Digest(hex.EncodeToString(mac.Sum(nil)))
}

// PartInteraction is the prefix of the parts of an `interaction` item; a vocab.Ask follows.
const PartInteraction = "interaction:"

// MaxInteraction is the largest size of a request's parameters, in bytes, that can be put before a person. A larger request is refused,
// and the timeline says so.
const MaxInteraction = 1 << 20

// Interaction is a server's request to its client that was refused. If a person can still decide on it, the hub stores the inbox item
// before the server hears of the refusal.
type Interaction struct {
	Method   string            `json:"method"`
	Params   []byte            `json:"params,omitempty"`
	Client   string            `json:"client,omitempty"`
	Findings []inspect.Finding `json:"findings,omitempty"` // those only the wrapper can know; the hub adds its own
}

// Allowed are the requests of one kind that a person has allowed a server.
type Allowed struct {
	Kind     vocab.Ask    `json:"kind"`
	All      bool         `json:"all,omitempty"`      // the whole kind was approved (interaction.policy = ask)
	Requests []pin.Digest `json:"requests,omitempty"` // these, word for word (pin.RequestDigest)
}

// Interaction stores a refused request of the server for a person's decision. It fails at once while the hub is away; the request is
// refused either way, and a record says so.
func (l *Link) Interaction(ctx context.Context, i Interaction) (Kept, error) {
	return asked(ctx, l, askInteraction, i)
}
