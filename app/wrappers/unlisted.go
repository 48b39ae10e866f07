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

// maxWhy is how much of the reason is shown.
const maxWhy = 300

// noteUnlisted keeps what a wrapper says of listings that it cannot read, until it reports what they hold.
func (s *liveWrapper) noteUnlisted(records []store.Record) {
	for _, r := range records {
		if why, ok := control.Unlisted(&r); ok {
			s.unlisted = cmp.Or(office.OneLine(cut.Bytes(why, maxWhy)), "no response arrived")
		}
	}
}

// problemUnlisted is a server whose listings cannot be read: nothing of it passes, and nothing waits that a person could decide on.
const problemUnlisted = "SP-015"

// UnlistedProblems are those of the wrappers that live, one for each server.
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

// noteVersions keeps what wrappers say of starts at which there was no common version. It stays, over restarts of the hub, until a start
// agrees: a client that was refused starts no server again by itself. The caller holds the lock.
func noteVersions(o *office.Office, server string, records []store.Record, after time.Time) error {
	for _, r := range records {
		v, apart := control.NoCommonVersion(&r)
		_, unlisted := control.Unlisted(&r) // it was listed after both had agreed
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
