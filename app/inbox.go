package app

import (
	"cmp"
	"errors"
	"slices"
	"time"

	"github.com/sallyport/sallyport/app/identity"
	"github.com/sallyport/sallyport/app/ledger"
	"github.com/sallyport/sallyport/app/review"
	"github.com/sallyport/sallyport/proxy/vocab"
	"github.com/sallyport/sallyport/store"
)

const (
	// floodCodes in floodWindow are what one server may have and be none that floods.
	floodCodes  = 10
	floodWindow = time.Minute
	// keptCodes is how many codes of a flood lead on to what waits now; the ones before them are forgotten.
	keptCodes = 20
)

const (
	// noisyTimes in noisyWindow is how often an item may come and go before it stays.
	noisyTimes  = 3
	noisyWindow = 24 * time.Hour
)

// settleServer brings the inbox in line with where a server stands: one item a kind, a new code for new content.
func (h *Hub) settleServer(tx *store.Tx, l *ledger.Ledger, before, after review.Standing, now time.Time) ([]review.Notice, error) {
	var notices []review.Notice
	for _, kind := range []string{vocab.ItemNewServer, vocab.ItemChanged, vocab.ItemLaunch} {
		want := review.ContentOf(l.Server, after, kind, l.LaunchDrift)
		if want == nil && kind == vocab.ItemChanged {
			stays, err := h.cameAndWent(tx, l, before, after, now)
			if err != nil {
				return nil, err
			}
			if stays {
				continue
			}
		}
		item, fresh, err := h.settle(tx, want, kind, l.Server.ID, now)
		if err != nil {
			return nil, err
		}
		if fresh {
			l.Wrote = true
			if item != nil {
				notice := review.NoticeOf(*item, l.Server.Name)
				notice.Blocked = kind == vocab.ItemLaunch && !h.runsOn(l)
				notices = append(notices, notice)
			}
		}
	}
	return notices, nil
}

// cameAndWent is asked when nothing of the kind changed waits any more: the third time in a day that content went back to
// what is approved, the server is noisy and the item stays, because somebody tries something or nobody reads any more.
func (h *Hub) cameAndWent(tx *store.Tx, l *ledger.Ledger, before, after review.Standing, now time.Time) (stays bool, err error) {
	have, err := tx.WaitingFor(l.Server.ID, vocab.ItemChanged)
	if errors.Is(err, store.ErrNotFound) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	waited := map[string]bool{}
	for _, p := range have.Parts {
		waited[p.Item] = p.State == vocab.PartChanged || p.State == vocab.PartNew || p.State == vocab.PartApproved
	}
	same := !slices.ContainsFunc(have.Parts, func(p store.Part) bool { return p.State != vocab.PartApproved && p.State != vocab.PartRemoved })
	if same {
		return true, nil // it stays already, until a person has seen it
	}
	var back []review.Judged
	for _, j := range after.Items {
		if j.State == vocab.PartApproved && waited[j.Key] {
			back = append(back, j)
		}
	}
	if len(back) == 0 {
		return false, nil // decided, or what was new is gone: not a return
	}
	recent := slices.DeleteFunc(slices.Clone(l.Server.Noisy), func(t time.Time) bool { return now.Sub(t) > noisyWindow })
	l.Server.Noisy = append(recent, now)
	if n := len(l.Server.Noisy); n > noisyTimes {
		l.Server.Noisy = l.Server.Noisy[n-noisyTimes:]
	}
	if err := l.PutServer(tx); err != nil {
		return false, err
	}
	if len(l.Server.Noisy) < noisyTimes {
		return false, nil
	}
	c := review.ContentWith(l.Server, vocab.ItemChanged, back)
	c.Title = review.TitleOf(identity.ShortName(l.Server), vocab.ItemChanged, back, false)
	_, _, err = h.settle(tx, c, vocab.ItemChanged, l.Server.ID, now)
	if err != nil {
		return false, err
	}
	return true, h.mark(tx, l.Server.ID)
}

// mark marks the item that waits as noisy.
func (h *Hub) mark(tx *store.Tx, serverID string) error {
	it, err := tx.WaitingFor(serverID, vocab.ItemChanged)
	if err != nil || it.Noisy {
		return err
	}
	it.Noisy = true
	return tx.PutItem(it)
}

// settle makes what waits of one kind for one server exactly want. item is what waits afterwards, nil if nothing; fresh
// says that something was written.
func (h *Hub) settle(tx *store.Tx, want *review.Content, kind, serverID string, now time.Time) (item *store.Item, fresh bool, err error) {
	have, err := tx.WaitingFor(serverID, kind)
	exists := err == nil
	if err != nil && !errors.Is(err, store.ErrNotFound) {
		return nil, false, err
	}
	if want == nil {
		if !exists {
			return nil, false, nil
		}
		h.withdrawn[serverID+kind] = have.Code
		have.Decided, have.DecidedAt = vocab.DecidedWithdrawn, now
		return nil, true, tx.PutItem(have)
	}
	digest := want.Digest()
	if exists && have.Digest == digest {
		return &have, false, nil
	}
	flooded := h.flooded(serverID, now)
	if flooded && !exists {
		// What comes and goes all the time comes back under the code it had, if it is the same.
		if last, err := tx.Item(h.withdrawn[serverID+kind]); err == nil && last.Decided == vocab.DecidedWithdrawn && last.Digest == digest {
			last.Decided, last.DecidedAt, last.Updated, last.Noisy = "", time.Time{}, now, true
			return &last, true, tx.PutItem(last)
		}
	}
	code, err := tx.NewCode()
	if err != nil {
		return nil, false, err
	}
	h.minted[serverID] = append(h.minted[serverID], now)
	next := store.Item{
		Code: code, Kind: kind, ServerID: serverID, Severity: want.Severity, Title: want.Title, Digest: digest, Era: want.Era, Noisy: flooded,
		Created: now, Updated: now, Parts: want.Parts, Findings: want.Findings, Clients: want.Clients, Detail: want.Detail,
	}
	if exists {
		next.Asked, next.AskedAt, next.Noisy = have.Asked, have.AskedAt, have.Noisy || flooded
		have.Decided, have.DecidedAt, have.Next = vocab.DecidedSuperseded, now, code
		if err := tx.PutItem(have); err != nil {
			return nil, false, err
		}
	}
	if flooded {
		if err := h.forgetCodes(tx, serverID+kind, code); err != nil {
			return nil, false, err
		}
	}
	return &next, true, tx.PutItem(next)
}

// forgetCodes takes note of a code of a flood and forgets the oldest but some: a server that changes all day would use up the codes, and
// the disk. Each content has a code of its own, and a person cannot have read more of them than are kept.
func (h *Hub) forgetCodes(tx *store.Tx, of, code string) error {
	codes := append(h.flood[of], code)
	if extra := len(codes) - keptCodes; extra > 0 {
		for _, old := range codes[:extra] {
			if err := tx.ForgetDecided(old); err != nil {
				return err
			}
		}
		codes = slices.Clone(codes[extra:])
	}
	h.flood[of] = codes
	return nil
}

// flooded says that a server had its share of new codes for this minute.
func (h *Hub) flooded(serverID string, now time.Time) bool {
	recent := slices.DeleteFunc(h.minted[serverID], func(t time.Time) bool { return now.Sub(t) >= floodWindow })
	h.minted[serverID] = recent
	return len(recent) >= floodCodes
}

// settleAll brings the inbox in line for every server; it is for the start, after seals did not hold.
func (h *Hub) settleAll() error {
	return h.update(func(tx *store.Tx) (bool, error) {
		servers, err := tx.Servers()
		if err != nil {
			return false, err
		}
		wrote := false
		for _, server := range servers {
			l, err := ledger.Read(tx, server.ID)
			if err != nil {
				return false, err
			}
			r := review.Of(l.Facts())
			if _, err := h.settleServer(tx, l, r, r, h.opts.Now()); err != nil {
				return false, err
			}
			wrote = wrote || l.Wrote
		}
		return wrote, nil
	})
}

// newest follows the codes that took the place of one another, so that an old code leads to what waits now, past those that a flood had
// forgotten.
func newest(tx *store.Tx, it store.Item) (store.Item, error) {
	for range 10_000 {
		if it.Next == "" {
			return it, nil
		}
		next, err := tx.Item(it.Next)
		if absent(err) {
			next, err = tx.WaitingFor(it.ServerID, it.Kind)
		}
		if absent(err) {
			return it, nil
		}
		if err != nil {
			return it, err
		}
		it = next
	}
	return it, nil
}

func (h *Hub) notify(n review.Notice) {
	if h.opts.Notifier != nil {
		if n.Shown = n.Server; !review.FileItem(n.Kind) {
			n.Shown = cmp.Or(h.shownNow(n.ServerID), n.Server)
		}
		h.opts.Notifier.Notify(n)
	}
}
