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

// noteTrouble remembers that a wrapper can't read its server's listings, until it reports them, and that it can't reach its remote server, until it
// does again.
func (s *liveWrapper) noteTrouble(records []store.Record) {
	for _, r := range records {
		if why, ok := control.Unlisted(&r); ok {
			s.unlisted = cmp.Or(office.OneLine(cut.Bytes(why, maxWhy)), "no response arrived")
		}
		if why, ok := control.Unreached(&r); ok {
			s.away = office.OneLine(cut.Bytes(why, maxWhy))
		}
	}
}

const (
	// problemUnlisted is a server whose listings can't be read: all of it is blocked, and there is nothing to decide on.
	problemUnlisted = "SP-015"
	problemAway     = "SP-226" // a remote server can't be reached
)

// Problems are those of the live wrappers, one for each server.
func (w *Wrappers) Problems() []control.Problem {
	var problems []control.Problem
	var told []string
	for _, s := range w.ordered() {
		if s.unlisted == "" && s.away == "" || slices.Contains(told, s.Server) {
			continue
		}
		told = append(told, s.Server)
		if s.away != "" { // then its listings can't be read either
			problems = append(problems, control.Problem{
				Code: problemAway, What: fmt.Sprintf("the server %s can't be reached: %s", w.NameOf(&s.Wrapper), s.away),
				Next: "Check its address and the network. Nothing has to be restarted: Sallyport tries again with the next request.",
			})
			continue
		}
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
