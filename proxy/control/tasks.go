package control

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"sync"
	"time"
)

// Task is a task that an approved call of a tool started: the server responds to what a client asks about it later. It outlives the session,
// so the hub keeps it for all wrappers of the server.
type Task struct {
	ID   string `json:"id"`   // TaskID of the server's own id
	Item string `json:"item"` // pin key of the tool
	// Wish is what the call itself said about spotlighting: WishOn, WishOff, or "" for nothing.
	Wish  string    `json:"wish,omitempty"`
	Made  time.Time `json:"made"`  // when the server named it
	Until time.Time `json:"until"` // when it is forgotten: TaskUntil
}

// Values of Task.Wish.
const (
	WishOn  = "on"
	WishOff = "off"
)

const (
	// MaxTasks limits the tasks of one message.
	MaxTasks = 1000
	// maxLasts limits how long a server can have a task known: no honest one keeps it for longer than a person keeps a computer.
	maxLasts = 10 * 365 * 24 * time.Hour
	// A task is known for some time after the server forgot it, so that a client that asks late hears that from the server; one of a server
	// that doesn't say how long it keeps its tasks, for thirty days.
	taskGrace   = 24 * time.Hour
	taskDefault = 30 * 24 * time.Hour
)

// TaskID is what stands for a server's id of a task everywhere outside the session: a server may give its state to whoever has the id (tasks
// extension of 2026-07-28, "Security implications"), so no socket, disk or log gets it.
func TaskID(id string) string {
	sum := sha256.Sum256([]byte("task\x00" + id))
	return hex.EncodeToString(sum[:])
}

// TaskUntil is when a task is forgotten that its server keeps for so long; 0 if it doesn't say.
func TaskUntil(made time.Time, lasts time.Duration) time.Time {
	if lasts <= 0 {
		return made.Add(taskDefault)
	}
	return made.Add(min(lasts, maxLasts) + taskGrace)
}

// Tasks tells the hub of tasks. The hub may get one that it already has.
type Tasks struct {
	Tasks []Task `json:"tasks"`
}

// TaskQuery asks which tasks the hub knows, by Task.ID; at most MaxTasks.
type TaskQuery struct {
	IDs []string `json:"ids"`
}

// KnownTasks are those of a TaskQuery that an approved call of this server started, in no order.
type KnownTasks struct {
	Tasks []Task `json:"tasks"`
}

// tasking is the part of a Link that gets tasks to the hub, or to the disk while there is no hub.
type tasking struct {
	mu    sync.Mutex
	spool taskSpool
	busy  bool          // a goroutine is delivering
	wake  chan struct{} // has an element once a hub has come
}

// connected has spooled tasks delivered to a hub that has come.
func (t *tasking) connected() {
	select {
	case t.wake <- struct{}{}:
	default:
	}
}

// KeepTask stores a task: with the hub, or in the spool while the hub is away. An error means that it is stored nowhere.
func (l *Link) KeepTask(ctx context.Context, t Task) error {
	c, err := l.hub()
	if err == nil {
		if _, err = askKeepTasks(ctx, c, Tasks{[]Task{t}}); err == nil || refusedForGood(err) {
			return err
		}
	}
	l.log.Warn("keep a task", "error", err)
	l.tasking.mu.Lock()
	defer l.tasking.mu.Unlock()
	if err := l.tasking.spool.add(t, l.state.Load().Spool); err != nil {
		return err
	}
	if !l.tasking.busy {
		l.tasking.busy = true
		go l.deliverTasks()
	}
	return nil
}

// refusedForGood reports whether the hub would refuse the same call again.
func refusedForGood(err error) bool {
	var refusal *Error
	return errors.As(err, &refusal) && refusal.Code == CodeBadRequest
}

// deliverTasks delivers spooled tasks to a hub until none is left or the link ends.
func (l *Link) deliverTasks() {
	for {
		select {
		case <-l.tasking.wake:
		case <-time.After(holdAgain):
		case <-l.over:
			return
		}
		if c, err := l.hub(); err == nil && l.deliverSpooled(c) {
			return
		}
	}
}

// deliverSpooled reports whether nothing is left. It holds no lock while the hub stores, so others can be spooled.
func (l *Link) deliverSpooled(c *Client) bool {
	for {
		l.tasking.mu.Lock()
		left := l.tasking.spool.left
		if len(left) == 0 {
			l.tasking.busy = false
			l.tasking.mu.Unlock()
			return true
		}
		batch := left[:min(len(left), MaxTasks)]
		l.tasking.mu.Unlock()
		ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
		_, err := askKeepTasks(ctx, c, Tasks{batch})
		cancel()
		if err != nil && !refusedForGood(err) {
			l.log.Warn("deliver tasks", "error", err)
			return false
		}
		if err != nil {
			l.log.Error("tasks that no hub takes", "tasks", len(batch), "error", err)
		}
		l.tasking.mu.Lock()
		l.tasking.spool.sent(len(batch))
		l.tasking.mu.Unlock()
	}
}

// taskAgain is the pause before a hub that is away is asked again.
const taskAgain = 50 * time.Millisecond

// KnownTasks asks which of these tasks the hub knows. While the hub is away it waits for the next one, as long as ctx lasts: a client that
// comes back for its tasks is often what starts it.
func (l *Link) KnownTasks(ctx context.Context, ids []string) ([]Task, error) {
	for {
		known, err := asked(ctx, l, askKnownTasks, TaskQuery{ids})
		if err == nil || refusedForGood(err) {
			return known.Tasks, err
		}
		select {
		case <-time.After(taskAgain):
		case <-ctx.Done():
			return nil, err
		}
	}
}
