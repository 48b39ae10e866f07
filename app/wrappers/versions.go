package wrappers

import (
	"time"

	"github.com/sallyport/sallyport/app/office"
	"github.com/sallyport/sallyport/app/review"
	"github.com/sallyport/sallyport/proxy/control"
	"github.com/sallyport/sallyport/store"
)

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
