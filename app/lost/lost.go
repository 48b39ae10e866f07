// Package lost is a store that can't be used any more: everything is blocked, one item is all there is in the inbox, and a person may
// start over with an empty store by deciding it. It puts a damaged store aside and makes the new one; nothing of the old one is deleted.
//
// It needs the office's lock held by whoever calls it. It knows no hub: where a decision is taken, another hub is to take this one's place
// (office.Leave).
package lost

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

// Store is a store that is lost, if it is, as the one inbox item of a hub without a store. It lives in memory, because the inbox is in that
// store; its code and digest follow from what happened, so that another hub shows the same item.
type Store struct {
	office *office.Office
	home   control.Home

	problem string // "" while nothing is lost, or where starting over would mend nothing
	why     string
	kept    string
	at      time.Time
	code    string
	digest  string
}

// New is the store of a home, which is not lost yet.
func New(o *office.Office, home control.Home) *Store { return &Store{office: o, home: home} }

// Is says that the store is lost, and that a person may start over.
func (l *Store) Is() bool { return l.problem != "" }

// Waits says that it is, and that the hub still takes the decision.
func (l *Store) Waits() bool { return l.Is() && !l.office.Leaving() }

// Code is the code of the item, "" where the store is not lost.
func (l *Store) Code() string { return l.code }

// errBegunAgain: an empty store was begun after a loss, and a kill came before the decision was written into it.
var errBegunAgain = errors.New("an earlier store was lost, and starting over was interrupted")

// Interrupted says that a store was begun after a loss and its decision never written.
func Interrupted(s *store.Store) error {
	loss, err := s.Loss()
	if err != nil || loss == nil {
		return err
	}
	return fmt.Errorf("%w: %s", errBegunAgain, loss.Why)
}

// Refused takes the error with which a store did not open, or was not believed: everything is blocked, and where starting over mends
// it, a person may.
func (l *Store) Refused(err error) {
	switch {
	case errors.Is(err, store.ErrCorrupt):
		l.Damaged(err)
	case errors.Is(err, store.ErrMissing):
		l.missing(err)
	case errors.Is(err, errBegunAgain):
		l.lose(office.ProblemStoreLost, err.Error(), "", time.Time{})
	case errors.Is(err, store.ErrSeal):
		l.lose(office.ProblemStoreSeal, err.Error(), "", time.Time{})
	case errors.Is(err, store.ErrNewer):
		l.office.Problem(office.ProblemStoreNewer, err.Error(), "install the newer version of Sallyport; until then everything is blocked")
	default:
		l.office.Problem(office.ProblemStoreUnreadable, err.Error(), "check that the disk isn't full and that you can read and write the data folder, then restart the hub; until then everything is blocked")
	}
}

// lose blocks everything and shows the item by which a person may begin again.
func (l *Store) lose(problem, why, kept string, at time.Time) {
	l.problem, l.why, l.kept, l.at = problem, office.OneLine(why), kept, at
	sum := sha256.Sum256([]byte(l.home.Store + "\x00" + l.why + "\x00" + kept + "\x00" + at.UTC().Format(time.RFC3339Nano)))
	l.digest = hex.EncodeToString(sum[:])
	l.code = store.CodeFrom(sum[:])
	if l.at.IsZero() {
		l.at = l.office.Now()
	}
	mend := "put a good copy in its place"
	if kept != "" {
		mend += " (the old one is kept at " + kept + ")"
	}
	if problem == office.ProblemStoreSeal {
		mend = "put back the store and the seal.key that belong together"
	}
	// The code comes first: a path may be long, and what stands behind it is read last.
	l.office.Problem(problem, l.why, fmt.Sprintf("everything is blocked until you start over with an empty store (inbox item %s), or %s and restart the hub", l.code, mend))
	// The store took its mark with it; the copy beside it holds as long as the key does.
	l.office.Marked(store.MarkKept(l.home.Dir, store.Options{}, office.MetaCLI))
}

// Damaged puts a damaged store aside and blocks everything.
func (l *Store) Damaged(damage error) {
	kept, err := store.SetAside(l.home.Dir, store.Options{Damage: office.OneLine(damage.Error())})
	if err != nil {
		kept = ""
		damage = fmt.Errorf("%w (it could not be put aside: %v)", damage, err)
	}
	at := time.Time{}
	if note, err := store.Lost(l.home.Dir); err == nil && note != nil && kept != "" {
		at = note.At
		damage = errors.New(note.Why)
	}
	l.lose(office.ProblemStoreDamaged, damage.Error(), kept, at)
}

// missing says whether the store was put aside by a hub before this one, or is just gone.
func (l *Store) missing(what error) {
	note, err := store.Lost(l.home.Dir)
	if err != nil || note == nil {
		l.lose(office.ProblemStoreMissing, what.Error(), "", time.Time{})
		return
	}
	l.lose(office.ProblemStoreDamaged, note.Why, note.Kept, note.At)
}

func (l *Store) title() string {
	switch l.problem {
	case office.ProblemStoreMissing:
		return "The store is gone: everything is blocked until you start over or put it back"
	case office.ProblemStoreSeal:
		return "The store and its seal key don't belong together: everything is blocked until you start over or fix this"
	}
	return "The store is damaged and was set aside: everything is blocked until you start over or repair it"
}

// Item is the item.
func (l *Store) Item() control.InboxItem {
	it := control.InboxItem{
		Code: l.code, Kind: vocab.ItemProblem, Severity: vocab.SeverityHigh, Title: l.title(), Digest: l.digest, Created: l.at.UTC(),
		Parts: []control.Part{{Item: control.PartStore, State: vocab.PartLost, Findings: []inspect.Finding{}}},
	}
	review.Fold(&it, nil)
	return it
}

// Detail is the item whole, under its code.
func (l *Store) Detail(code string) (control.ItemDetail, error) {
	if err := l.Named(code); err != nil {
		return control.ItemDetail{}, err
	}
	change := pin.Change{Path: control.PartStore, Op: pin.Removed, Words: l.why}
	if l.kept != "" {
		change.Words += "; it is kept at " + l.kept
	}
	out := control.ItemDetail{
		InboxItem: l.Item(), Findings: []inspect.Finding{},
		Details: []control.PartDetail{{Item: control.PartStore, State: vocab.PartLost, Digest: pin.Digest(l.digest), Findings: []inspect.Finding{}, Changes: []pin.Change{change}}},
	}
	review.FoldDetail(&out)
	return out, nil
}

// Named says that a code is the one of this item.
func (l *Store) Named(code string) error {
	if !strings.EqualFold(code, l.code) {
		return office.Answer(control.CodeUnavailable, "the store can't be read, so everything is blocked; item %s is the only one now", l.code)
	}
	return nil
}

// Decide is a person's decision over a lost store: an empty one takes its place. It is on the disk before the answer;
// then this hub ends and another one takes its place in the same process, so that every wrapper tells all again.
func (l *Store) Decide(d control.Decide) (out control.Decided, err error) {
	if err := l.Named(d.Code); err != nil {
		return out, err
	}
	if err := office.AsShown(store.Item{Code: l.code, Digest: l.digest}, d.Digest); err != nil {
		return out, err
	}
	if d.Reject {
		return out, office.Answer(control.CodeBadRequest, "%s can't be rejected: everything stays blocked until you start over or put a good store in its place", l.code)
	}
	if err := l.emptyStore(); err != nil {
		return out, l.office.Failed(err)
	}
	l.office.Leave(true)
	return control.Decided{Code: l.code, Approved: []string{control.PartStore}, Rejected: []string{}, Left: []string{}}, nil
}

// emptyStore keeps what is left of the old store aside and makes the new one. Told twice, after a kill in between, it goes on
// where it was.
func (l *Store) emptyStore() error {
	dir := l.home.Dir
	marked := store.MarkKept(dir, store.Options{}, office.MetaCLI)
	if _, err := os.Lstat(l.home.Store); !errors.Is(err, fs.ErrNotExist) && l.kept == "" && l.problem != office.ProblemStoreLost && l.problem != office.ProblemStoreMissing {
		if _, err := store.SetAside(dir, store.Options{Damage: l.why}); err != nil {
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
			l.office.Record(vocab.RecordProblem, vocab.StatusBlocked, store.Record{
				Code: l.code, Summary: "the store was lost: " + cut.Bytes(l.why, 1000), Detail: office.Detail(map[string]any{"check": "store", "kept": l.kept}),
			}),
			l.office.Record(vocab.RecordApproval, vocab.StatusOK, store.Record{
				Code: l.code, Summary: "started over with an empty store by a person", Detail: office.Detail(map[string]any{"check": "store", "digest": l.digest}),
			}))
		return err
	})
	return errors.Join(err, s.Close())
}
