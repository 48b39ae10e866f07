package store

import (
	"errors"
	"fmt"
	"testing"
	"time"

	bolt "go.etcd.io/bbolt"
)

var noon = time.Date(2026, 7, 28, 12, 0, 0, 0, time.UTC)

func putTasks(t *testing.T, s *Store, most int, tasks ...Task) {
	t.Helper()
	update(t, s, func(tx *Tx) error {
		for _, task := range tasks {
			if _, err := tx.Tasks().Put(task, most); err != nil {
				return err
			}
		}
		return nil
	})
}

func taskIn(t *testing.T, s *Store, server, id string) (task Task, known bool) {
	t.Helper()
	if err := s.View(func(tx *Tx) (err error) {
		task, err = tx.Tasks().Get(server, id)
		if known = err == nil; errors.Is(err, ErrNotFound) {
			err = nil
		}
		return err
	}); err != nil {
		t.Fatal(err)
	}
	return task, known
}

// countTasks counts the tasks of a server, and their places in the order.
func countTasks(t *testing.T, s *Store, server string) (n, places int) {
	t.Helper()
	if err := s.View(func(tx *Tx) error {
		n = tx.Tasks().Count(server)
		tx.each(bucketTaskOrder, ofServer(server), func(_, _ []byte) { places++ })
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	return n, places
}

func TestTasksAreKeptByServerAndTheOldestGo(t *testing.T) {
	dir := home(t)
	s := mustOpen(t, dir, Options{})
	for i := range 12 {
		putTasks(t, s, 10, Task{ServerID: "a", ID: fmt.Sprint(i), Item: "tool:x", Made: noon, Until: noon})
	}
	putTasks(t, s, 10, Task{ServerID: "aa", ID: "0", Item: "tool:y", Made: noon, Until: noon})
	s.Close()
	s = mustOpen(t, dir, Options{})
	for i := range 12 {
		if task, known := taskIn(t, s, "a", fmt.Sprint(i)); known != (i >= 2) || known && task.Item != "tool:x" {
			t.Errorf("task %d: %+v, %t", i, task, known)
		}
	}
	if task, known := taskIn(t, s, "aa", "0"); !known || task.Item != "tool:y" {
		t.Errorf("the one of the other server: %+v, %t", task, known)
	}
	if n, places := countTasks(t, s, "a"); n != 10 || places != 10 {
		t.Errorf("%d tasks in %d places", n, places)
	}
}

func TestATaskThatIsNamedAgainIsTheNewestAndOneThatCameTwiceIsNot(t *testing.T) {
	s := mustOpen(t, home(t), Options{})
	first := Task{ServerID: "a", ID: "0", Item: "tool:x", Made: noon, Until: noon}
	putTasks(t, s, 2, first, Task{ServerID: "a", ID: "1", Item: "tool:x", Made: noon, Until: noon})
	putTasks(t, s, 2, first) // as a wrapper sends it again after a hub was killed
	again := Task{ServerID: "a", ID: "0", Item: "tool:y", Made: noon.Add(time.Second), Until: noon}
	putTasks(t, s, 2, again, first)
	if task, _ := taskIn(t, s, "a", "0"); task.Item != "tool:y" {
		t.Errorf("it counts as %+v", task)
	}
	putTasks(t, s, 2, Task{ServerID: "a", ID: "2", Item: "tool:x", Made: noon, Until: noon})
	if _, known := taskIn(t, s, "a", "1"); known {
		t.Error("the oldest is still known")
	}
	if _, known := taskIn(t, s, "a", "0"); !known {
		t.Error("the one that was named again is gone")
	}
	if n, places := countTasks(t, s, "a"); n != 2 || places != 2 {
		t.Errorf("%d tasks in %d places", n, places)
	}
}

func TestTasksGoWhenTheirTimeIsOver(t *testing.T) {
	s := mustOpen(t, home(t), Options{})
	for i := range 3 {
		putTasks(t, s, 10, Task{ServerID: "a", ID: fmt.Sprint(i), Made: noon, Until: noon.Add(time.Duration(i) * time.Hour)})
	}
	update(t, s, func(tx *Tx) error {
		n, more, err := tx.Tasks().DeleteOver(noon.Add(time.Hour))
		if n != 2 || more {
			t.Errorf("%d are gone, more: %t", n, more)
		}
		return err
	})
	if n, places := countTasks(t, s, "a"); n != 1 || places != 1 {
		t.Errorf("%d tasks in %d places", n, places)
	}
}

func TestATaskThatSomethingElseWroteIsNone(t *testing.T) {
	s := mustOpen(t, home(t), Options{})
	putTasks(t, s, 10, Task{ServerID: "a", ID: "0", Item: "tool:x", Made: noon, Until: noon})
	if err := s.update(func(tx *bolt.Tx) error {
		b := tx.Bucket(bucketTasks)
		sealed := append([]byte(nil), b.Get(taskKey("a", "0"))...)
		return errors.Join(b.Put(taskKey("a", "1"), sealed), b.Put(taskKey("b", "0"), sealed))
	}); err != nil {
		t.Fatal(err)
	}
	if err := s.View(func(tx *Tx) error {
		for _, at := range [][2]string{{"a", "1"}, {"b", "0"}} {
			if task, err := tx.Tasks().Get(at[0], at[1]); !errors.Is(err, ErrSeal) {
				t.Errorf("%v: %+v, %v", at, task, err)
			}
		}
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	if found, err := s.Tampered(); err != nil || len(found.Records) != 2 || found.Rolled {
		t.Errorf("%+v, %v", found, err)
	}
}

func TestTasksWithoutServerOrIDAreNotKept(t *testing.T) {
	s := mustOpen(t, home(t), Options{})
	for _, task := range []Task{{ID: "0"}, {ServerID: "a"}} {
		if err := s.Update(func(tx *Tx) error { _, err := tx.Tasks().Put(task, 10); return err }); err == nil {
			t.Errorf("%+v is kept", task)
		}
	}
}
