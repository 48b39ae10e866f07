package control

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/sallyport/sallyport/proxy/disk"
)

const (
	// taskSuffix is the suffix of the file of tasks that no hub has acknowledged. A task is in it before the client hears of it.
	taskSuffix = ".tasks"
	// maxSpooledTasks limits one wrapper's file.
	maxSpooledTasks = 10_000
)

// spooledTask is one line of such a file. The first line is a spoolHeader.
type spooledTask struct {
	Sealed []byte `json:"sealed"` // a Task
}

// taskSpool is one wrapper's file of tasks that no hub has. It is locked while its wrapper lives, and gone when the hub has all of them. Its
// only caller is Link, which holds a lock.
type taskSpool struct {
	dir      string
	register Register

	f    *os.File // nil if there is no file
	path string
	key  *SpoolKey
	size int64
	left []Task // in the file
}

// add spools one durably. Without a key nothing was ever approved, so no call can have started it.
func (s *taskSpool) add(t Task, key *SpoolKey) (err error) {
	if key == nil || key.Server == "" {
		return errors.New("keep a task: no hub was ever met")
	}
	if len(s.left) >= maxSpooledTasks {
		return fmt.Errorf("keep a task: %d wait for the hub already", len(s.left))
	}
	if s.f == nil {
		if err := s.open(key); err != nil {
			return fmt.Errorf("keep a task: %w", err)
		}
	}
	line, err := sealTask(t, s.key)
	if err != nil {
		return err
	}
	if _, err = s.f.WriteAt(line, s.size); err == nil {
		err = s.f.Sync()
	}
	if err != nil {
		_ = s.f.Truncate(s.size) // the disk is full: leave no half line in the middle
		return fmt.Errorf("keep a task: %w", err)
	}
	s.size += int64(len(line))
	s.left = append(s.left, t)
	return nil
}

func sealTask(t Task, key *SpoolKey) ([]byte, error) {
	text, err := json.Marshal(t)
	if err != nil {
		return nil, err
	}
	sealed, err := sealWith(key, text)
	if err != nil {
		return nil, err
	}
	return encode(spooledTask{sealed})
}

// open creates the file.
func (s *taskSpool) open(key *SpoolKey) error {
	path, header, err := newSpoolFile(s.dir, taskSuffix, s.register, key)
	if err != nil {
		return err
	}
	f, err := placeLocked(path, header)
	if err != nil {
		return err
	}
	s.f, s.path, s.key, s.size = f, path, key, int64(len(header))
	return nil
}

// sent forgets the first n, which a hub has, and removes the file with the last one.
func (s *taskSpool) sent(n int) {
	s.left = s.left[min(n, len(s.left)):] // none are left once it is closed
	if len(s.left) == 0 && s.f != nil {
		_ = os.Remove(s.path)
		s.close()
	}
}

// close releases the lock, so that a hub finds what is left.
func (s *taskSpool) close() {
	if s.f != nil {
		s.f.Close()
	}
	s.f, s.left = nil, nil
}

// ReadTasks delivers the tasks that wrappers left in dir. take gets those of one server, at most MaxTasks at once, and must return nil only
// when they are durable. The file of a dead wrapper is then removed. That of a living one stays, since the wrapper delivers it itself: its
// tasks are read because another wrapper may be asked for them first. A line that is not sealed with the server's key is left out: anybody
// can write a file.
func ReadTasks(dir string, keys Keys, take func(from Register, tasks []Task) error) error {
	return eachOrphan(dir, taskSuffix, func(path string) error { return takeTasks(path, keys, take) })
}

func takeTasks(path string, keys Keys, take func(Register, []Task) error) error {
	f, err := openOrphan(path)
	lives := f == nil && err == nil
	if lives {
		if f, err = disk.Open(path, os.O_RDONLY); errors.Is(err, os.ErrNotExist) {
			return nil // the hub has them by now
		}
	}
	if err != nil {
		return err
	}
	defer f.Close()
	remove := func() error {
		if lives {
			return nil
		}
		return os.Remove(path)
	}
	in := bufio.NewReaderSize(f, 64<<10)
	from, server, key, err := readHeader(in, keys, "no tasks")
	if err == io.EOF {
		return remove()
	}
	if err != nil {
		return err
	}
	err = inBatches(in, MaxTasks, func(raw []byte) (Task, bool) { return unsealTask(raw, key, server) },
		func(tasks []Task) error { return take(from, tasks) })
	if err != nil {
		return err
	}
	return remove()
}

func unsealTask(raw, key []byte, server string) (t Task, ok bool) {
	var line spooledTask
	if json.Unmarshal(raw, &line) != nil {
		return t, false // cut off when the wrapper died
	}
	text, err := openWith(line.Sealed, key, server)
	return t, err == nil && json.Unmarshal(text, &t) == nil
}
