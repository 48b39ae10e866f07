package control

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/sallyport/sallyport/proxy/disk"
)

// ReadSpool delivers what dead wrappers left in dir. take gets the records of one wrapper in batches, with that wrapper's Register, and
// must return nil only when they are durable; a file is removed once all of it was taken. Files of living wrappers are locked and left
// alone. A file is only as trustworthy as any program of this user, so take must refuse kinds that a wrapper can't cause, as it does
// for records from the socket. The hub may get a record that it already has, which it can tell by the ID. keys decrypts what a wrapper
// sealed; if that fails, Register has a ServerID instead of the server's command.
//
// A hub calls it at its start and when a wrapper has gone. A file that can't be read stays, and the error names it; the others are
// delivered.
func ReadSpool(dir string, keys Keys, take func(from Register, records []Record) error) error {
	// Remove unfinished copies; the originals are still there.
	return eachOrphan(dir, ".ndjson", func(path string) error { return readOrphan(path, keys, take) })
}

// eachOrphan calls read for the files of dir with the suffix and removes unfinished ones. A file that can't be read doesn't stop the
// others.
func eachOrphan(dir, suffix string, read func(path string) error) error {
	entries, err := os.ReadDir(dir)
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("read the spool: %w", err)
	}
	var faults []error
	for _, entry := range entries {
		path := filepath.Join(dir, entry.Name())
		var err error
		switch {
		case strings.HasSuffix(entry.Name(), suffix):
			err = read(path)
		case strings.HasSuffix(entry.Name(), suffix+".new"):
			err = removeOrphan(path)
		}
		if err != nil {
			faults = append(faults, fmt.Errorf("spool %s: %w", entry.Name(), err))
		}
	}
	return errors.Join(faults...)
}

// openOrphan returns nil, nil if the wrapper is alive.
func openOrphan(path string) (*os.File, error) {
	f, err := disk.Open(path, os.O_RDWR)
	if errors.Is(err, os.ErrNotExist) {
		return nil, nil // its wrapper has just removed it
	}
	if err != nil {
		return nil, err
	}
	held, err := disk.Lock(f)
	if err != nil || !held {
		f.Close()
		return nil, err
	}
	// A wrapper may have replaced the file between open and lock.
	locked, err := f.Stat()
	if err == nil {
		var named os.FileInfo
		if named, err = os.Lstat(path); err == nil && os.SameFile(locked, named) {
			return f, nil
		}
	}
	f.Close()
	if errors.Is(err, os.ErrNotExist) {
		err = nil
	}
	return nil, err
}

func removeOrphan(path string) error {
	f, err := openOrphan(path)
	if f == nil {
		return err
	}
	defer f.Close()
	return os.Remove(path)
}

func readOrphan(path string, keys Keys, take func(Register, []Record) error) error {
	f, err := openOrphan(path)
	if f == nil {
		return err
	}
	defer f.Close()
	in := bufio.NewReaderSize(f, 64<<10)
	from, server, key, err := readHeader(in, keys, "not a spool")
	if err == io.EOF {
		return os.Remove(path) // its wrapper died before writing anything
	}
	if err != nil {
		return err
	}
	err = inBatches(in, maxBatchRecords, func(raw []byte) (r Record, ok bool) {
		if json.Unmarshal(raw, &r) != nil || r.ID == "" {
			return r, false // cut off when the wrapper died
		}
		unsealNamed(&r, key, server)
		return r, true
	}, func(records []Record) error { return take(from, records) })
	if err != nil {
		return err
	}
	return os.Remove(path)
}

// readHeader reads the first line of a file: whose it is, with the command if keys has the key of its server. An empty file is io.EOF; of any
// other that is none of ours, the error says what it is not.
func readHeader(in *bufio.Reader, keys Keys, not string) (from Register, server string, key []byte, err error) {
	var header spoolHeader
	first, err := readSpoolLine(in)
	if err == io.EOF {
		return from, "", nil, err
	}
	if err != nil || json.Unmarshal(first, &header) != nil || header.Spool != 1 {
		return from, "", nil, errors.Join(err, errors.New(not+": move it away"))
	}
	from = header.Register
	if server = from.ServerID; server != "" && keys != nil {
		key = keys(server)
	}
	unseal(header.Sealed, keys, &from, nil)
	return from, server, key, nil
}

// inBatches delivers what read makes of the lines that are left, at most most at once and about maxBatchBytes. A line that read takes for
// none is left out.
func inBatches[T any](in *bufio.Reader, most int, read func(raw []byte) (T, bool), take func([]T) error) error {
	var (
		batch []T
		size  int
	)
	for {
		raw, err := readSpoolLine(in)
		if err != nil && err != io.EOF {
			return err
		}
		over := err == io.EOF
		if !over {
			if one, ok := read(raw); ok {
				batch, size = append(batch, one), size+len(raw)
			}
		}
		if len(batch) > 0 && (over || len(batch) >= most || size >= maxBatchBytes) {
			if err := take(batch); err != nil {
				return err
			}
			batch, size = nil, 0
		}
		if over {
			return nil
		}
	}
}

// readSpoolLine returns the next whole line. One that is too long is cut, and is then no record; a last line without its end
// returns io.EOF.
func readSpoolLine(in *bufio.Reader) ([]byte, error) {
	var whole []byte
	for {
		piece, err := in.ReadSlice('\n')
		if len(whole)+len(piece) <= maxRecord+1 {
			whole = append(whole, piece...)
		} else {
			whole = append(whole[:0], "cut"...)
		}
		if !errors.Is(err, bufio.ErrBufferFull) {
			return whole, err
		}
	}
}
