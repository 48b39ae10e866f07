package app

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"
	"time"

	"github.com/sallyport/sallyport/app/office"
	"github.com/sallyport/sallyport/app/review"
	"github.com/sallyport/sallyport/proxy/control"
	"github.com/sallyport/sallyport/proxy/cut"
	"github.com/sallyport/sallyport/proxy/inspect"
	"github.com/sallyport/sallyport/proxy/pin"
	"github.com/sallyport/sallyport/proxy/vocab"
	"github.com/sallyport/sallyport/store"
)

// lost is a store that cannot be used any more, as the one inbox item of a hub without a store. It lives in memory, because
// the inbox is in that store; its code and digest follow from what happened, so that another hub shows the same item.
type lost struct {
	problem string
	why     string
	kept    string
	at      time.Time
	code    string
	digest  string
}

// lose blocks everything and shows the item by which a person may begin again.
func (h *Hub) lose(problem, why, kept string, at time.Time) {
	l := &lost{problem: problem, why: office.OneLine(why), kept: kept, at: at}
	sum := sha256.Sum256([]byte(h.opts.Home.Store + "\x00" + l.why + "\x00" + kept + "\x00" + at.UTC().Format(time.RFC3339Nano)))
	l.digest = hex.EncodeToString(sum[:])
	l.code = store.CodeFrom(sum[:])
	if l.at.IsZero() {
		l.at = h.office.Now()
	}
	h.lost = l
	mend := "put a good copy in its place"
	if kept != "" {
		mend += " (the old one is kept at " + kept + ")"
	}
	if problem == office.ProblemStoreSeal {
		mend = "put back the store and the seal.key that belong together"
	}
	// The code comes first: a path may be long, and what stands behind it is read last.
	h.office.Problem(problem, l.why, fmt.Sprintf("everything is blocked until you start over with an empty store (inbox item %s), or %s and restart the hub", l.code, mend))
	// The store took its mark with it; the copy beside it holds as long as the key does.
	h.office.Marked(store.MarkKept(h.opts.Home.Dir, store.Options{}, office.MetaCLI))
}

// loseDamaged puts a damaged store aside and blocks everything.
func (h *Hub) loseDamaged(damage error) {
	kept, err := store.SetAside(h.opts.Home.Dir, store.Options{Damage: office.OneLine(damage.Error())})
	if err != nil {
		kept = ""
		damage = fmt.Errorf("%w (it could not be put aside: %v)", damage, err)
	}
	at := time.Time{}
	if note, err := store.Lost(h.opts.Home.Dir); err == nil && note != nil && kept != "" {
		at = note.At
		damage = errors.New(note.Why)
	}
	h.lose(office.ProblemStoreDamaged, damage.Error(), kept, at)
}

// loseMissing says whether the store was put aside by a hub before this one, or is just gone.
func (h *Hub) loseMissing(missing error) {
	note, err := store.Lost(h.opts.Home.Dir)
	if err != nil || note == nil {
		h.lose(office.ProblemStoreMissing, missing.Error(), "", time.Time{})
		return
	}
	h.lose(office.ProblemStoreDamaged, note.Why, note.Kept, note.At)
}

// lostCode is the code of that item, "" where the store is not lost.
func (h *Hub) lostCode() string {
	if h.lost == nil {
		return ""
	}
	return h.lost.code
}

func (l *lost) title() string {
	switch l.problem {
	case office.ProblemStoreMissing:
		return "The store is gone: everything is blocked until you start over or put it back"
	case office.ProblemStoreSeal:
		return "The store and its seal key don't belong together: everything is blocked until you start over or fix this"
	}
	return "The store is damaged and was set aside: everything is blocked until you start over or repair it"
}

func (l *lost) item() control.InboxItem {
	it := control.InboxItem{
		Code: l.code, Kind: vocab.ItemProblem, Severity: vocab.SeverityHigh, Title: l.title(), Digest: l.digest, Created: l.at.UTC(),
		Parts: []control.Part{{Item: control.PartStore, State: vocab.PartLost, Findings: []inspect.Finding{}}},
	}
	review.Fold(&it, nil)
	return it
}

func (l *lost) detail() control.ItemDetail {
	change := pin.Change{Path: control.PartStore, Op: "removed", Words: l.why}
	if l.kept != "" {
		change.Words += "; it is kept at " + l.kept
	}
	out := control.ItemDetail{
		InboxItem: l.item(), Findings: []inspect.Finding{},
		Details: []control.PartDetail{{Item: control.PartStore, State: vocab.PartLost, Digest: pin.Digest(l.digest), Findings: []inspect.Finding{}, Changes: []pin.Change{change}}},
	}
	review.FoldDetail(&out)
	return out
}

// named says that a code is the one of this item.
func (l *lost) named(code string) error {
	if !strings.EqualFold(code, l.code) {
		return office.Answer(control.CodeUnavailable, "the store can't be read, so everything is blocked; item %s is the only one now", l.code)
	}
	return nil
}

// beginAgain is a person's decision over a lost store: an empty one takes its place. It is on the disk before the answer;
// then this hub ends and another one takes its place in the same process, so that every wrapper tells all again.
func (h *Hub) beginAgain(d control.Decide) (out control.Decided, err error) {
	if err := h.lost.named(d.Code); err != nil {
		return out, err
	}
	switch {
	case d.Digest == "":
		return out, office.Answer(control.CodeBadRequest, "a decision needs the digest you were shown: run `sallyport show %s`", h.lost.code)
	case d.Digest != h.lost.digest:
		return out, &control.Error{Code: control.CodeStale, Message: fmt.Sprintf("%s changed since it was shown: review it again", h.lost.code), See: h.lost.code}
	case d.Reject:
		return out, office.Answer(control.CodeBadRequest, "%s can't be rejected: everything stays blocked until you start over or put a good store in its place", h.lost.code)
	}
	if err := h.emptyStore(); err != nil {
		return out, h.office.Failed(err)
	}
	h.office.Leave(true)
	return control.Decided{Code: h.lost.code, Approved: []string{control.PartStore}, Rejected: []string{}, Left: []string{}}, nil
}

// emptyStore keeps what is left of the old store aside and makes the new one. Told twice, after a kill in between, it goes on
// where it was.
func (h *Hub) emptyStore() error {
	dir := h.opts.Home.Dir
	marked := store.MarkKept(dir, store.Options{}, office.MetaCLI)
	if _, err := os.Lstat(h.opts.Home.Store); !errors.Is(err, fs.ErrNotExist) && h.lost.kept == "" && h.lost.problem != office.ProblemStoreLost && h.lost.problem != office.ProblemStoreMissing {
		if _, err := store.SetAside(dir, store.Options{Damage: h.lost.why}); err != nil {
			return err
		}
	}
	s, err := store.Open(dir, store.Options{AfterLoss: true})
	if err != nil {
		return err
	}
	if loss, err := s.Loss(); err != nil || loss == nil {
		return errors.Join(err, s.Close(), office.Answer(control.CodeStale, "the store is back: restart the hub to use it"))
	}
	err = s.Update(func(tx *store.Tx) error {
		if marked {
			if err := tx.SetMeta(office.MetaCLI, []byte("1")); err != nil {
				return err
			}
		}
		if err := tx.ClearLoss(); err != nil {
			return err
		}
		_, err := tx.Append(
			h.office.Record(vocab.RecordProblem, vocab.StatusBlocked, store.Record{
				Code: h.lost.code, Summary: "the store was lost: " + cut.Bytes(h.lost.why, 1000), Detail: office.Detail(map[string]any{"check": "store", "kept": h.lost.kept}),
			}),
			h.office.Record(vocab.RecordApproval, vocab.StatusOK, store.Record{
				Code: h.lost.code, Summary: "started over with an empty store by a person", Detail: office.Detail(map[string]any{"check": "store", "digest": h.lost.digest}),
			}))
		return err
	})
	return errors.Join(err, s.Close())
}

// BeginsAgain says, once Done is closed, that another hub should be opened at once in this one's place.
func (h *Hub) BeginsAgain() bool {
	h.office.Lock()
	defer h.office.Unlock()
	return h.office.Again()
}
