package store

import (
	"bytes"
	"errors"
	"fmt"
	"time"
)

// Task is a task that an approved call of a tool started.
type Task struct {
	ServerID string    `json:"server_id"`
	ID       string    `json:"id"`   // of the task, hashed under a key of this home: who has a task's own id may get its result
	Item     string    `json:"item"` // pin key of the tool
	Wish     string    `json:"wish,omitempty"`
	Made     time.Time `json:"made"`
	Until    time.Time `json:"until"`    // when it is forgotten
	Sequence uint64    `json:"sequence"` // its place among the server's tasks, by when they came
}

// Tasks gives one transaction access to the tasks of all servers.
type Tasks struct{ *sealed }

// Tasks are the tasks in this transaction's store.
func (tx *Tx) Tasks() Tasks { return Tasks{&tx.sealed} }

var errTask = errors.New("a task without a server or an id")

// ofServer is the beginning of the keys of a server's tasks.
func ofServer(server string) []byte { return append([]byte(server), 0) }

func taskKey(server, id string) []byte { return append(ofServer(server), id...) }

func (t Tasks) orderKey(task Task) []byte {
	return append(ofServer(task.ServerID), sequenceKey(task.Sequence)...)
}

// Put writes a task, unless the store has it as new or newer, and removes the oldest of its server while there are more than most.
func (t Tasks) Put(task Task, most int) (wrote bool, err error) {
	if task.ServerID == "" || task.ID == "" || len(task.ID) > 128 {
		return false, errTask
	}
	before, err := t.Get(task.ServerID, task.ID)
	switch {
	case err == nil && !task.Made.After(before.Made):
		return false, nil
	case err == nil:
		if err := t.delete(bucketTaskOrder, t.orderKey(before)); err != nil {
			return false, err
		}
	case !errors.Is(err, ErrNotFound) && !errors.Is(err, ErrSeal):
		return false, err
	}
	if task.Sequence, err = t.sequence(); err != nil {
		return false, err
	}
	if err := t.put(bucketTasks, taskKey(task.ServerID, task.ID), task); err != nil {
		return false, err
	}
	if err := t.line(task); err != nil {
		return false, err
	}
	return true, t.trim(task.ServerID, most)
}

// sequence is the next place.
func (t Tasks) sequence() (uint64, error) {
	defer marked()
	n, err := t.bucket(bucketTasks).NextSequence()
	if err != nil {
		return 0, fmt.Errorf("store %s: %w", bucketTasks, err)
	}
	return n, nil
}

// line puts a task behind all others.
func (t Tasks) line(task Task) error {
	defer marked()
	if err := t.bucket(bucketTaskOrder).Put(t.orderKey(task), []byte(task.ID)); err != nil {
		return fmt.Errorf("store %s: %w", bucketTaskOrder, err)
	}
	return nil
}

// trim removes the oldest tasks of a server beyond most.
func (t Tasks) trim(server string, most int) error {
	n := 0
	t.each(bucketTaskOrder, ofServer(server), func(_, _ []byte) { n++ })
	if n <= most {
		return nil
	}
	var order, oldest [][]byte
	t.each(bucketTaskOrder, ofServer(server), func(key, id []byte) {
		if len(order) < n-most {
			order, oldest = append(order, bytes.Clone(key)), append(oldest, taskKey(server, string(id)))
		}
	})
	for i := range order {
		if err := errors.Join(t.delete(bucketTaskOrder, order[i]), t.delete(bucketTasks, oldest[i])); err != nil {
			return err
		}
	}
	return nil
}

// Get is a task of a server; ErrNotFound, or ErrSeal if something else wrote it.
func (t Tasks) Get(server, id string) (Task, error) {
	var task Task
	err := t.get(bucketTasks, taskKey(server, id), &task)
	return task, err
}

// Count is how many tasks of a server are kept.
func (t Tasks) Count(server string) (n int) {
	t.each(bucketTasks, ofServer(server), func(_, _ []byte) { n++ })
	return n
}

// DeleteOver removes tasks whose time is over, at most some: more says whether to call it again.
func (t Tasks) DeleteOver(now time.Time) (n int, more bool, err error) {
	var over []Task
	for _, task := range list[Task](t.sealed, bucketTasks, nil) {
		if !now.Before(task.Until) && len(over) < pruneStep {
			over = append(over, task)
		}
	}
	for _, task := range over {
		if err := errors.Join(t.delete(bucketTaskOrder, t.orderKey(task)), t.delete(bucketTasks, taskKey(task.ServerID, task.ID))); err != nil {
			return n, false, err
		}
		n++
	}
	return n, n == pruneStep, nil
}
