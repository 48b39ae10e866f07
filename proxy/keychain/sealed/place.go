package sealed

import (
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"os"

	"github.com/sallyport/sallyport/proxy/disk"
)

// load reads a file of the home, which must be this user's alone and no link. It reads one byte more than most, so that a longer one shows.
func (f File) load(name string, most int64) ([]byte, error) {
	if err := f.noLink(name); err != nil {
		return nil, err
	}
	raw, err := disk.Read(f.path(name), most+1)
	if err == nil && int64(len(raw)) > most {
		return nil, f.broken("%s is too long", name)
	}
	return raw, err
}

// noLink refuses a link: whoever made it chooses what is read. disk.Open refuses it as well, but doesn't say what to do.
func (f File) noLink(name string) error {
	info, err := os.Lstat(f.path(name))
	if err == nil && info.Mode()&fs.ModeSymlink != 0 {
		return fmt.Errorf("%s is a symbolic link: put the file that it leads to in its place", f.path(name))
	}
	return nil
}

// key is the home's key, made if there is none. It is on the disk before anything is sealed with it.
func (f File) key() ([]byte, error) {
	key, err := f.load(keyName, keySize)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		key = make([]byte, keySize)
		rand.Read(key) // never fails: see its documentation
		return key, disk.WriteNew(f.path(keyName), key)
	case err != nil:
		return nil, err
	case len(key) != keySize: // without a sealed file, or open would have said so
		return nil, fmt.Errorf("%s is damaged: delete it, nothing is sealed with it", f.path(keyName))
	}
	return key, nil
}
