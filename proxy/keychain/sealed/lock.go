package sealed

import (
	"context"
	"fmt"
	"os"
	"time"

	"github.com/sallyport/sallyport/proxy/disk"
)

const (
	// waitForOthers is for all writers before this one. Each holds the lock for a few milliseconds, or for the four seconds of a keychain that
	// does not respond.
	waitForOthers = 10 * time.Second
	lookAgain     = 2 * time.Millisecond
)

// lock waits until no other process changes the file, and returns what lets the next one in.
func (f File) lock(ctx context.Context) (unlock func(), err error) {
	ctx, cancel := context.WithTimeoutCause(ctx, waitForOthers, fmt.Errorf("another Sallyport process has held %s for %s: try again when it is done", f.path(lockName), waitForOthers))
	defer cancel()
	for {
		if unlock, err = f.tryLock(); unlock != nil || err != nil {
			return unlock, err
		}
		select {
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		case <-time.After(lookAgain):
		}
	}
}

// tryLock returns no unlock if somebody else has the lock. The lock ends with the process, however it ends. Its file stays: if it were
// deleted, two processes could each have a lock on a file of that name.
func (f File) tryLock() (unlock func(), err error) {
	if err := disk.OwnFolder(f.dir); err != nil {
		return nil, err
	}
	if err := f.noLink(lockName); err != nil {
		return nil, err
	}
	file, err := disk.Open(f.path(lockName), os.O_RDWR|os.O_CREATE)
	if err != nil {
		return nil, err
	}
	if locked, err := hold(file); err != nil || !locked {
		file.Close()
		return nil, err
	}
	return func() { file.Close() }, nil
}
