package app

import (
	"errors"
	"maps"
	"time"

	"github.com/sallyport/sallyport/app/office"
	"github.com/sallyport/sallyport/proxy/policy"
	"github.com/sallyport/sallyport/store"
)

// pruneEvery is how often the timeline is cut to its limits.
const pruneEvery = time.Hour

// keepFor is how long decided items can be looked up.
const keepFor = 90 * 24 * time.Hour

// startCredit is how far the time used for retention may advance when a hub starts. Otherwise a clock set years forward, for a minute,
// would delete every call of the timeline.
const startCredit = 24 * time.Hour

// metaTime is the store's key for the time last used for retention.
const metaTime = "retention-time"

// retentionTime is now, but at most credit after the time used before. A home that was unused for long keeps its records longer.
func (h *Hub) retentionTime(now time.Time, credit time.Duration) (at time.Time, err error) {
	at = now
	err = h.office.Commit(func(tx *store.Tx) (bool, error) {
		raw, err := tx.Meta(metaTime)
		if err != nil && !office.Absent(err) {
			return false, err
		}
		if last, bad := time.Parse(time.RFC3339, string(raw)); err == nil && bad == nil {
			if limit := last.Add(credit); at.After(limit) {
				at = limit
			}
			if at.Sub(last).Abs() < pruneEvery/2 {
				return false, nil
			}
		}
		return true, tx.SetMeta(metaTime, []byte(at.UTC().Format(time.RFC3339)))
	})
	return at, err
}

// forgetDecided deletes items decided before t, with their held responses, and exceptions that ended before it.
func (h *Hub) forgetDecided(t time.Time) error {
	forgot := false
	err := h.office.Commit(func(tx *store.Tx) (bool, error) {
		n, err := tx.DeleteDecidedBefore(t)
		if err != nil {
			return false, err
		}
		held, err := h.ForgetHeldBefore(tx, t)
		if err != nil {
			return false, err
		}
		forgot = n+held > 0
		return forgot, nil
	})
	if err != nil || !forgot {
		return err
	}
	h.office.Lock()
	defer h.office.Unlock()
	return h.ReadHeld()
}

// prune cuts the timeline to its settings, and deletes old decided items and tasks.
func (h *Hub) prune(credit time.Duration) {
	h.office.Lock()
	if h.office.Store == nil || h.office.Leaving() {
		h.office.Unlock()
		return
	}
	limits := policy.ForHub(maps.Clone(h.Global()))
	now := h.office.Now()
	h.office.Unlock()
	now, err := h.retentionTime(now, credit)
	if err == nil {
		_, err = h.office.Store.Prune(now, limits.ActivityKeep, limits.ActivitySize)
	}
	if err == nil {
		err = h.forgetDecided(now.Add(-keepFor))
	}
	if err == nil {
		err = h.ForgetOver(now)
	}
	if err != nil && !errors.Is(err, store.ErrClosed) {
		h.office.FailedReading(err)
	}
}

// catchUp makes what filters of the timeline need, in a store of an earlier version, a few records at a time. Until then they are slower.
func (h *Hub) catchUp() {
	for next := uint64(1); next != 0; {
		h.office.Lock()
		s := h.office.Store
		if h.office.Leaving() {
			s = nil
		}
		h.office.Unlock()
		if s == nil {
			return
		}
		var err error
		if next, err = s.CatchUp(next); err != nil {
			if !errors.Is(err, store.ErrClosed) {
				h.office.FailedReading(err)
			}
			return
		}
		select {
		case <-h.closing:
			return
		default:
		}
	}
}

// keepPruning prunes until the hub ends.
func (h *Hub) keepPruning() {
	h.catchUp()
	ticker := time.NewTicker(pruneEvery)
	defer ticker.Stop()
	for credit := startCredit; ; credit = 2 * pruneEvery {
		h.prune(credit)
		select {
		case <-h.closing:
			return
		case <-ticker.C:
		}
	}
}
