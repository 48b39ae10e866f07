package proxy

import (
	"bytes"
	"context"
	"maps"
	"slices"
	"sync/atomic"
	"time"

	"github.com/sallyport/sallyport/proxy/control"
	"github.com/sallyport/sallyport/proxy/frame"
	"github.com/sallyport/sallyport/proxy/refusal"
)

const (
	// keepLimit is how long the response that names a task waits for the hub; after that the task goes to disk.
	keepLimit = 5 * time.Second
	// seekLimit is how long a request about a task of another session waits for the hub, which may have to start first.
	seekLimit = 5 * time.Second
	// maxSeeking limits such requests, so that ids that nobody has made hold no more than that.
	maxSeeking = 256
)

// taskKeeper keeps tasks beyond the session: the hub hears of each before the client does, and is asked for those that the session doesn't
// know. Everything that waits for the hub does so beside the reading goroutines.
type taskKeeper struct {
	*exchange
	seeking atomic.Int32 // requests and notifications that wait for the hub
	sought  inFlight     // those requests, which their client may cancel
}

// keep tells the hub of the task that r created, and then goes on with its response. If neither the hub nor the disk takes it, the response
// is delivered as well, since the task runs: only a later session won't know it.
func (k *taskKeeper) keep(r *request, line []byte, deliver func(r *request, line []byte) error) error {
	whole := len(line)
	if !k.aside.take(whole) {
		k.store(r)
		return deliver(r, line)
	}
	line = bytes.Clone(line)
	k.beside(r, func() {
		defer k.aside.give(whole)
		k.store(r)
		_ = deliver(r, line) // the client's own reader notices that it is gone
	})
	return nil
}

func (k *taskKeeper) store(r *request) {
	ctx, cancel := context.WithTimeout(context.Background(), keepLimit)
	defer cancel()
	if err := k.cfg.Gate.KeepTask(ctx, *r.task); err != nil {
		k.journal.taskUnkept(err)
	}
}

// made remembers the task that an approved call created.
func (k *taskKeeper) made(r *request, id string, lasts time.Duration) {
	now := time.Now()
	until := control.TaskUntil(now, lasts)
	k.tasks.put(id, task{r.item, r.wish, until})
	r.task = &control.Task{ID: control.TaskID(id), Item: r.item, Wish: r.wish.kept(), Made: now.UTC(), Until: until.UTC()}
}

// enter counts what waits for the hub's word on a task, if it may. leave must follow.
func (k *taskKeeper) enter() bool {
	if k.seeking.Add(1) > maxSeeking {
		k.leave()
		return false
	}
	return true
}

func (k *taskKeeper) leave() { k.seeking.Add(-1) }

// seek asks the hub for the task that r names, beside, and then admits or refuses r.
func (k *taskKeeper) seek(r *request, line []byte, admit func(r *request, line []byte, now time.Time)) {
	if !k.enter() {
		k.refuse(r, refusal.NoHub)
		return
	}
	k.learnBeside(r, line, seekLimit, []string{r.name}, func(line []byte, err error) {
		of := k.tasks.of(r.name)
		switch r.item, r.wish = of.item, of.wish; {
		case of.item != "":
			admit(r, line, time.Now())
		case err != nil:
			k.refuse(r, refusal.NoHub)
		default:
			k.refuse(r, refusal.NoTask)
		}
	})
}

// listed learns the tasks that a stream of notifications is about before the stream is granted (add).
func (k *taskKeeper) listed(r *request, line []byte, add func(line []byte)) {
	filter, _ := frame.Find(line, frame.Root(line), "params", "notifications")
	ids := wanted(line, filter, "taskIds", func(id string) bool { return k.tasks.of(id).item == "" })
	if len(ids) == 0 || !k.view().Open() || !k.enter() {
		add(line)
		return
	}
	k.learnBeside(r, line, grantLimit, ids, func(line []byte, _ error) { add(line) })
}

// learnBeside asks the hub for tasks before r goes on with then, unless it is cancelled meanwhile: then it reaches no server. enter came before.
func (k *taskKeeper) learnBeside(r *request, line []byte, limit time.Duration, ids []string, then func(line []byte, err error)) {
	if k.sought.add(r) == 0 {
		k.leave()
		k.client.Enqueue(takenLine(r.id))
		return
	}
	line = bytes.Clone(line)
	k.beside(r, func() {
		defer k.leave()
		ctx, cancel := context.WithTimeout(context.Background(), limit)
		defer cancel()
		err := k.learn(ctx, ids...)
		if k.sought.takeIf(r) {
			then(line, err)
		}
	})
}

// learn asks the hub for those of these tasks that the session doesn't know.
func (k *taskKeeper) learn(ctx context.Context, ids ...string) error {
	asked := map[string]string{} // by what the hub calls it
	for _, id := range ids {
		if len(id) <= maxTaskID && k.tasks.of(id).item == "" {
			asked[control.TaskID(id)] = id
		}
	}
	for part := range slices.Chunk(slices.Collect(maps.Keys(asked)), control.MaxTasks) {
		known, err := k.cfg.Gate.KnownTasks(ctx, part)
		if err != nil {
			return err
		}
		for _, one := range known {
			if id, ok := asked[one.ID]; ok {
				k.tasks.put(id, task{one.Item, wished(one.Wish), one.Until})
			}
		}
	}
	return nil
}

// passes reports whether the session knows a task, and its tool is allowed now.
func (k *taskKeeper) passes(id string) bool {
	of := k.tasks.of(id)
	return of.item != "" && k.view().Allows(of.item)
}

// cutList cuts the tasks that are not known out of a tasks/list response, and delivers the rest.
func (k *taskKeeper) cutList(r *request, line []byte, deliver func(r *request, line []byte) error) error {
	ids := taskIDs(line)
	ids = ids[:min(len(ids), maxTasks)] // more are never known
	unknown := slices.ContainsFunc(ids, func(id string) bool { return k.tasks.of(id).item == "" })
	whole := len(line)
	if !unknown || !k.aside.take(whole) {
		return deliver(r, onlyTasks(line, k.passes))
	}
	line = bytes.Clone(line)
	k.beside(r, func() {
		defer k.aside.give(whole)
		ctx, cancel := context.WithTimeout(context.Background(), seekLimit)
		defer cancel()
		_ = k.learn(ctx, ids...)
		_ = deliver(r, onlyTasks(line, k.passes)) // the client's own reader notices that it is gone
	})
	return nil
}
