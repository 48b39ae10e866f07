// Package tasks knows which tasks approved calls of which tools started, for every wrapper of a server and longer than any session. A client
// asks for a task by its id alone, and only what stands here says whose response it will get: a wrapper that doesn't know an id asks KnownTasks.
//
// A task is kept under a hash of its id with a key of this home and this server, since a server may give its result to whoever has the id.
// KeepTasks answers once a task is durable. Whether its tool is still allowed is not decided here: the wrapper asks that at every request.
//
// Nothing here waits for the office's lock while it writes.
package tasks

import (
	"errors"
	"math"
	"strings"
	"time"

	"github.com/sallyport/sallyport/app/office"
	"github.com/sallyport/sallyport/proxy/control"
	"github.com/sallyport/sallyport/proxy/pin"
	"github.com/sallyport/sallyport/store"
)

const (
	// mostOfServer limits the tasks kept for one server; the oldest go, and are refused then.
	mostOfServer = 10_000
	// maxItem is the longest pin key of a tool.
	maxItem = 16 << 10
)

// Hub is what tasks need from the hub.
type Hub struct {
	// Wrapper is called with the office's lock held.
	Wrapper func(conn control.Wrapper, call string) (*office.Wrapper, error)
	// Collect takes in what wrappers left on the disk while there was no hub.
	Collect func() error
}

// Tasks is the department.
type Tasks struct {
	office *office.Office
	hub    Hub
}

func New(o *office.Office, hub Hub) *Tasks { return &Tasks{office: o, hub: hub} }

// KeepTasks stores tasks of a wrapper's server, and returns once they are on disk.
func (t *Tasks) KeepTasks(conn control.Wrapper, in control.Tasks) (control.Acked, error) {
	server, err := t.serverOf(conn, "keep_tasks")
	if err != nil {
		return control.Acked{}, err
	}
	t.office.CrashPoint("task")
	if err := t.Keep(server, in.Tasks); err != nil {
		return control.Acked{}, t.office.FailedReading(err)
	}
	t.office.CrashPoint("tasked")
	return control.Acked{Stored: len(in.Tasks)}, nil
}

// Keep stores tasks of a server. What no wrapper sends is left out: one that is refused would hold up all that come after it.
func (t *Tasks) Keep(server string, all []control.Task) error {
	db, err := t.office.Reading()
	if err != nil {
		return err
	}
	now := t.office.Now()
	var ready []store.Task
	for _, task := range all {
		if possible(task) {
			ready = append(ready, t.stored(db, server, task, now))
		}
	}
	if len(ready) == 0 {
		return nil
	}
	err = db.Update(func(tx *store.Tx) error {
		wrote := false
		for _, task := range ready {
			put, err := tx.Tasks().Put(task, mostOfServer)
			if err != nil {
				return err
			}
			wrote = wrote || put
		}
		if !wrote {
			return errNothing
		}
		return nil
	})
	if errors.Is(err, errNothing) {
		return nil
	}
	return err
}

// errNothing ends a transaction without writes.
var errNothing = errors.New("nothing to write")

func possible(task control.Task) bool {
	hashed := len(task.ID) == 64 && strings.Trim(task.ID, "0123456789abcdef") == ""
	return hashed && pin.IsTool(task.Item) && len(task.Item) <= maxItem &&
		(task.Wish == "" || task.Wish == control.WishOn || task.Wish == control.WishOff)
}

func (t *Tasks) stored(db *store.Store, server string, task control.Task, now time.Time) store.Task {
	if task.Made.IsZero() || task.Made.After(now) {
		task.Made = now
	}
	if longest := control.TaskUntil(now, math.MaxInt64); task.Until.After(longest) {
		task.Until = longest
	}
	return store.Task{ServerID: server, ID: keyed(db, server, task.ID), Item: task.Item, Wish: task.Wish, Made: task.Made.UTC(), Until: task.Until.UTC()}
}

// keyed is the id under which a task is kept: a guess at the server's id could be confirmed by an unkeyed hash.
func keyed(db *store.Store, server, id string) string {
	return string(control.Keyed(db.Derive("task", server), pin.Digest(id)))
}

// KnownTasks finds tasks of a wrapper's server. For one that it doesn't know, it looks first at what wrappers left on the disk.
func (t *Tasks) KnownTasks(conn control.Wrapper, q control.TaskQuery) (control.KnownTasks, error) {
	server, err := t.serverOf(conn, "known_tasks")
	if err != nil {
		return control.KnownTasks{}, err
	}
	if len(q.IDs) > control.MaxTasks {
		return control.KnownTasks{}, office.Answer(control.CodeBadRequest, "at most %d tasks at once", control.MaxTasks)
	}
	known, err := t.known(server, q.IDs)
	if err == nil && len(known) < len(q.IDs) {
		_ = t.hub.Collect() // a file that can't be read is a problem of its own, and another may hold the task
		known, err = t.known(server, q.IDs)
	}
	if err != nil {
		return control.KnownTasks{}, t.office.FailedReading(err)
	}
	return control.KnownTasks{Tasks: known}, nil
}

func (t *Tasks) known(server string, ids []string) ([]control.Task, error) {
	db, err := t.office.Reading()
	if err != nil {
		return nil, err
	}
	known, now := []control.Task{}, t.office.Now()
	return known, db.View(func(tx *store.Tx) error {
		for _, id := range ids {
			task, err := tx.Tasks().Get(server, keyed(db, server, id))
			switch {
			case office.Absent(err):
			case err != nil:
				return err
			case now.Before(task.Until):
				known = append(known, control.Task{ID: id, Item: task.Item, Wish: task.Wish, Made: task.Made, Until: task.Until})
			}
		}
		return nil
	})
}

// ForgetOver deletes tasks whose time is over.
func (t *Tasks) ForgetOver(now time.Time) error {
	for more := true; more; {
		db, err := t.office.Reading()
		if err != nil {
			return nil // an hour later it is tried again
		}
		err = db.Update(func(tx *store.Tx) error {
			var n int
			var err error
			if n, more, err = tx.Tasks().DeleteOver(now); err == nil && n == 0 {
				return errNothing
			}
			return err
		})
		if err != nil && !errors.Is(err, errNothing) {
			return err
		}
	}
	return nil
}

func (t *Tasks) serverOf(conn control.Wrapper, call string) (string, error) {
	t.office.Lock()
	defer t.office.Unlock()
	s, err := t.hub.Wrapper(conn, call)
	if err != nil {
		return "", err
	}
	return s.Server, nil
}
