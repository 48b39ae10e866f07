package launch

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io"
	"os"
	"strconv"
	"time"
	"unicode/utf8"

	"github.com/sallyport/sallyport/proxy/pin"
)

// settled is how long a file must have been unchanged for its stamp to identify its content: a second write within one tick of the file
// system's clock would leave no trace in the times.
const settled = 2 * time.Second

var (
	errNoFile = errors.New("not a regular file")
	errMoving = errors.New("it changed while it was read")
)

// maxHashed is the largest file that is hashed: larger than the largest interpreters, smaller than what would delay a start by minutes.
const maxHashed = 2 << 30

// read hashes a file that may change meanwhile: the stamp only counts if the file was the same before and after. It is opened through a
// path that may differ from its name: /proc/PID/exe.
func read(through, path string) (pin.FileStamp, error) {
	for range 3 {
		before, err := stat(through)
		if err != nil {
			return pin.FileStamp{}, err
		}
		f, err := openFile(through)
		if err != nil {
			return pin.FileStamp{}, err
		}
		h := sha256.New()
		_, err = io.Copy(h, io.LimitReader(f, maxHashed))
		f.Close()
		if err != nil {
			return pin.FileStamp{}, err
		}
		after, err := stat(through)
		if err != nil {
			return pin.FileStamp{}, err
		}
		after.SHA256 = hex.EncodeToString(h.Sum(nil))
		before.SHA256 = after.SHA256
		if before == after {
			after.Path = path
			if time.Since(time.Unix(0, after.CTime)) < settled {
				after.CTime = 0
			}
			return after, nil
		}
	}
	return pin.FileStamp{}, errMoving
}

func file(path string) *pin.LaunchFile { return &pin.LaunchFile{Path: plain(path)} }

// plain makes a system name text: invalid UTF-8 is spelled out, so that two names never become one.
func plain(s string) string {
	if utf8.ValidString(s) {
		return s
	}
	return strconv.Quote(s)
}

func regular(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.Mode().IsRegular()
}
