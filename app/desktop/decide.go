package desktop

import (
	"slices"
	"time"

	"github.com/sallyport/sallyport/app"
	"github.com/sallyport/sallyport/proxy/control"
	"github.com/sallyport/sallyport/proxy/vocab"
)

// overFile reports whether an item is about a client's file. For those, allowing restores the guard, and rejecting accepts the file as it
// is: that is what loosens.
func overFile(kind vocab.ItemKind) bool {
	return kind == vocab.ItemConfigChanged || kind == vocab.ItemUnguarded
}

// undecidable reports whether nothing is left to decide: the item was decided, or its content is pending under another code. A rejected
// item can still be allowed by its code while its content stays the same.
func undecidable(it control.ItemDetail) bool {
	elsewhere := it.Next != "" && it.Next != it.Code
	if it.Decided == vocab.DecidedRejected && !overFile(it.Kind) && it.Kind != vocab.ItemSettingsChanged {
		return elsewhere
	}
	return it.Decided != "" || elsewhere
}

// Inbox is what is pending: what a model asked for first, then Critical items, then the newest.
func (p *Page) Inbox() ([]Item, error) {
	return toldEach(p.hubLink, (*app.Hub).Inbox, item)
}

// DecidedItems is what was decided, or came and went, today.
func (p *Page) DecidedItems() ([]Item, error) {
	h, err := p.engine()
	if err != nil {
		return nil, err
	}
	now := time.Now()
	year, month, day := now.Date()
	decided, err := h.DecidedSince(time.Date(year, month, day, 0, 0, 0, 0, now.Location()))
	out := []Item{}
	for _, d := range decided {
		it := item(d.InboxItem)
		it.Decided, it.DecidedAt = d.Decided, stamp(d.DecidedAt)
		out = append(out, it)
	}
	return out, err
}

// Review is one whole item, with a nonce for the decision.
func (p *Page) Review(code string) (Review, error) {
	h, err := p.engine()
	if err != nil {
		return Review{}, err
	}
	it, err := h.Item(code)
	if err != nil {
		return Review{}, err
	}
	out := reviewOf(it)
	if out.SignIn != nil {
		p.signIns.tell(out.SignIn, it.Code)
	}
	over := undecidable(it)
	if it.Held != nil {
		over = undecidableHeld(it)
	}
	if over {
		out.Stale = true
		return out, nil
	}
	if it.Severity == vocab.SeverityCritical {
		out.TypedWord = wordFor(it.Server)
	}
	out.ArmAfterMs = armAfterMs
	out.Nonce = p.nonces.mint(itemSubject(it.Code), it.Digest, out.TypedWord)
	if out.Held != nil {
		out.Held.All = p.heldAll(it)
	}
	return out, nil
}

// Allow allows what was shown; for a client's file it restores the guard.
func (p *Page) Allow(d Decision) (control.Decided, error) { return p.decide(d, false) }

// Keep keeps what was shown blocked; for a client's file it accepts the file as it is.
func (p *Page) Keep(d Decision) (control.Decided, error) { return p.decide(d, true) }

func (p *Page) decide(d Decision, reject bool) (control.Decided, error) {
	h, err := p.engine()
	if err != nil {
		return control.Decided{}, err
	}
	it, err := h.Item(d.Code)
	if err != nil {
		return control.Decided{}, err // names the item that replaced it
	}
	if it.Held != nil {
		return control.Decided{}, &control.Error{Code: control.CodeBadRequest, Message: "release or discard a held response instead"}
	}
	if it.Digest != d.Digest || undecidable(it) {
		where := it.Code
		if it.Next != "" {
			where = it.Next
		}
		return control.Decided{}, &control.Error{Code: control.CodeStale, Message: "it changed since it was shown: review it again", See: where}
	}
	loosens := !reject
	if overFile(it.Kind) {
		loosens = reject
	}
	if err := p.nonces.spend(d.Nonce, itemSubject(it.Code), d.Digest, d.Typed, loosens); err != nil {
		return control.Decided{}, err
	}
	d.Reject = reject
	done, err := h.Decide(here, d.Decide)
	done.Approved, done.Rejected, done.Left = some(done.Approved), some(done.Rejected), some(done.Left)
	return done, err
}

// Block takes approvals back; without items, those of the whole server. It only tightens, so it needs no nonce.
func (p *Page) Block(identity string, items []string) (control.Blocked, error) {
	return told(p.hubLink, func(h *app.Hub) (control.Blocked, error) {
		return h.Block(control.Peer{}, control.Block{Server: identity, Items: items})
	}, blocked)
}

// Undo makes an allowed new server pending again, as the same item. It only tightens, so it needs no nonce.
func (p *Page) Undo(code string) (control.Blocked, error) {
	return told(p.hubLink, func(h *app.Hub) (control.Blocked, error) { return h.Undo(code) }, blocked)
}

func blocked(done control.Blocked) control.Blocked {
	done.Items = some(done.Items)
	return done
}

// some returns a copy of a list that is never null.
func some[T any](list []T) []T {
	if list == nil {
		return []T{}
	}
	return slices.Clone(list)
}
