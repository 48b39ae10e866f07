//go:build unix

package clientconfig

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"golang.org/x/sys/unix"
)

// writable checks the mode first: because the file is replaced rather than written, a read-only file would look writable to root or to the
// folder's owner.
func writable(target string, info fs.FileInfo) error {
	if info.Mode().Perm()&0o222 == 0 {
		return ErrReadOnly
	}
	for _, path := range []string{target, filepath.Dir(target)} {
		if err := unix.Access(path, unix.W_OK); errors.Is(err, unix.EACCES) || errors.Is(err, unix.EROFS) || errors.Is(err, unix.EPERM) {
			return ErrReadOnly
		}
	}
	return nil
}

func full(err error) bool {
	return errors.Is(err, unix.ENOSPC) || errors.Is(err, unix.EDQUOT) || errors.Is(err, unix.EFBIG)
}

// lockWait is how long a writer waits for another one of ours, which takes milliseconds unless it was stopped.
const lockWait = 10 * time.Second

// lock serialises our own writers, also those in other processes; it ends with its process.
func (b *Backups) lock() (unlock func(), err error) {
	file, err := os.OpenFile(filepath.Join(b.Dir, ".lock"), os.O_RDWR|os.O_CREATE|unix.O_NOFOLLOW, 0o600)
	if err != nil {
		return nil, err
	}
	for end := time.Now().Add(lockWait); ; time.Sleep(5 * time.Millisecond) {
		err = unix.Flock(int(file.Fd()), unix.LOCK_EX|unix.LOCK_NB)
		switch {
		case err == nil:
			return func() { file.Close() }, nil
		case !errors.Is(err, unix.EWOULDBLOCK) && !errors.Is(err, unix.EINTR):
			file.Close()
			return nil, err
		case time.Now().After(end):
			file.Close()
			return nil, errors.New("another Sallyport is still writing a client's file")
		}
	}
}
