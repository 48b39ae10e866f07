// Package lost handles a store that can't be used any more: everything is blocked, the inbox has a single item, and allowing it starts over
// with an empty store. A damaged store is put aside, never deleted.
//
// Callers must hold the office's lock. The package knows no hub: a decision ends this hub so that another replaces it (office.Leave).
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

// Store is the inbox item about a lost store, if it is lost. It is in memory, because the inbox is in that store; its code and digest are
// computed from what happened, so that the next hub shows the same item.
type Store struct {
	office *office.Office
	home   control.Home

	problem string // "" while nothing is lost, or if starting over would not help
	why     string
	kept    string
	at      time.Time
	code    string
	digest  string
}

// New is for the store of a home, which is not lost yet.
func New(o *office.Office, home control.Home) *Store { return &Store{office: o, home: home} }

// Is reports whether the store is lost and a person can start over.
func (l *Store) Is() bool { return l.problem != "" }

// Waits is Is for a hub that still takes the decision.
func (l *Store) Waits() bool { return l.Is() && !l.office.Leaving() }

// Code is the code of the item, "" if the store is not lost.
func (l *Store) Code() string { return l.code }

// errBegunAgain: the hub was killed after it made an empty store and before it wrote the decision into it.
var errBegunAgain = errors.New("an earlier store was lost, and starting over was interrupted")

// Interrupted is an error if starting over was interrupted.
func Interrupted(s *store.Store) error {
	loss, err := s.Loss()
	if err != nil || loss == nil {
		return err
	}
	return fmt.Errorf("%w: %s", errBegunAgain, loss.Why)
}

// Refused blocks everything because of the error with which a store did not open or was not trusted. If starting over helps, it shows the
// item.
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

// lose blocks everything and shows the item that lets a person start over.
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
	// The code comes first, because the path may be long.
	l.office.Problem(problem, l.why, fmt.Sprintf("everything is blocked until you start over with an empty store (inbox item %s), or %s and restart the hub", l.code, mend))
	// The mark was in the store; the copy next to it is valid as long as the key is there.
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

// missing tells a store that an earlier hub put aside from one that is just gone.
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

func (l *Store) Item() control.InboxItem {
	it := control.InboxItem{
		Code: l.code, Kind: vocab.ItemProblem, Severity: vocab.SeverityHigh, Title: l.title(), Digest: l.digest, Created: l.at.UTC(),
		Parts: []control.Part{{Item: control.PartStore, State: vocab.PartLost, Findings: []inspect.Finding{}}},
	}
	review.Fold(&it, nil)
	return it
}

// Detail is the whole item with this code.
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

// Named refuses any code but that of the item.
func (l *Store) Named(code string) error {
	if !strings.EqualFold(code, l.code) {
		return office.Answer(control.CodeUnavailable, "the store can't be read, so everything is blocked; item %s is the only one now", l.code)
	}
	return nil
}

// Decide replaces the lost store with an empty one, durably. Then this hub ends and another one replaces it in the same process, so that
// every wrapper reports again.
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

// emptyStore puts aside what is left of the old store and makes the new one. Safe to repeat: after a kill it resumes where it stopped.
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
