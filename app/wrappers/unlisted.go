package wrappers

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"github.com/sallyport/sallyport/app/office"
	"github.com/sallyport/sallyport/app/review"
	"github.com/sallyport/sallyport/proxy/control"
	"github.com/sallyport/sallyport/proxy/cut"
	"github.com/sallyport/sallyport/store"
)

// maxWhy limits how much of the reason is shown.
const maxWhy = 300

// noteUnlisted remembers that a wrapper can't read its server's listings, until it reports them.
func (s *liveWrapper) noteUnlisted(records []store.Record) {
	for _, r := range records {
		if why, ok := control.Unlisted(&r); ok {
			s.unlisted = cmp.Or(office.OneLine(cut.Bytes(why, maxWhy)), "no response arrived")
		}
	}
}

// problemUnlisted is a server whose listings can't be read: all of it is blocked, and there is nothing to decide on.
const problemUnlisted = "SP-015"

// UnlistedProblems are those of the live wrappers, one for each server.
func (w *Wrappers) UnlistedProblems() []control.Problem {
	var problems []control.Problem
	var told []string
	for _, s := range w.ordered() {
		if s.unlisted == "" || slices.Contains(told, s.Server) {
			continue
		}
		told = append(told, s.Server)
		problems = append(problems, control.Problem{
			Code: problemUnlisted, What: fmt.Sprintf("Sallyport can't read what the server %s declares, so the server is blocked: %s", w.NameOf(&s.Wrapper), s.unlisted),
			Next: "Report this to the server's maker; `sallyport logs` may show the cause. Sallyport keeps trying.",
		})
	}
	return problems
}

// noteVersions stores starts without a common protocol version. The note stays, even across restarts of the hub, until a start succeeds: a
// refused client does not start a server again by itself. The caller holds the lock.
func noteVersions(o *office.Office, server string, records []store.Record, after time.Time) error {
	for _, r := range records {
		v, apart := control.NoCommonVersion(&r)
		_, unlisted := control.Unlisted(&r) // a listing comes after the versions were agreed
		if !apart && !unlisted || r.Time.Before(after) {
			continue
		}
		err := o.Update(func(tx *store.Tx) (bool, error) {
			known, err := tx.Server(server)
			if office.Absent(err) {
				return false, nil
			}
			if err != nil {
				return false, err
			}
			before := known.Versions
			known.Versions = nil
			if apart {
				known.Versions = &v
			}
			if before == nil && !apart || review.SameVersions(before, known.Versions) {
				return false, nil
			}
			return true, tx.PutServer(known)
		})
		if err != nil {
			return err
		}
	}
	return nil
}
