package clientconfig

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
)

// Read gives a client's file whole. Its error wraps fs.ErrNotExist or fs.ErrPermission where it is that.
func Read(path string) ([]byte, error) {
	raw, _, err := read(path)
	return raw, err
}

func read(path string) ([]byte, fs.FileInfo, error) {
	info, err := os.Stat(path) // before it is opened: opening a pipe would wait for its writer
	if err != nil {
		if _, link := os.Lstat(path); link == nil && errors.Is(err, fs.ErrNotExist) {
			return nil, nil, fmt.Errorf("%s is a link to a file that doesn't exist", path)
		}
		return nil, nil, reading(path, err)
	}
	if !info.Mode().IsRegular() {
		return nil, nil, fmt.Errorf("%s is not a file", path)
	}
	file, err := os.Open(path)
	if err != nil {
		return nil, nil, reading(path, err)
	}
	defer file.Close()
	if info, err = file.Stat(); err != nil {
		return nil, nil, reading(path, err)
	}
	raw, err := io.ReadAll(io.LimitReader(file, maxFile+1))
	if err != nil {
		return nil, nil, reading(path, err)
	}
	if len(raw) > maxFile {
		return nil, nil, fmt.Errorf("%s has more than %d MiB", path, maxFile>>20)
	}
	return raw, info, nil
}

func reading(path string, err error) error {
	if errors.Is(err, fs.ErrPermission) {
		return fmt.Errorf("no permission to read %s (%w); allow Sallyport to read it", path, fs.ErrPermission)
	}
	var where *fs.PathError
	if errors.As(err, &where) {
		err = where.Err
	}
	return fmt.Errorf("read %s: %w", path, err)
}
