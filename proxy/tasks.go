package proxy

import (
	"math"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/sallyport/sallyport/proxy/control"
	"github.com/sallyport/sallyport/proxy/frame"
)

const (
	// maxTasks limits the tasks remembered per session. The oldest are forgotten; the hub knows as many of each server.
	maxTasks = 10_000
	// maxTaskID is the longest id of a task that is remembered.
	maxTaskID = 4 << 10
)

// taskSet holds the ids of tasks that approved calls created (MCP 2025-11-25, "Tasks"; extension io.modelcontextprotocol/tasks of 2026-07-28):
// a client can only ask for those. It has what this session created or asked the hub for.
type taskSet struct {
	mu    sync.Mutex
	ids   map[string]task
	order []string
}

// task is what counts for everything a client asks about a task: the pin key of the tool that was called, and what the call wished.
type task struct {
	item  string
	wish  wish
	until time.Time // when it is forgotten
}

// taskIn is the task that a response to tools/call names, "" for none, and how long its server keeps it, 0 if it doesn't say. A call without
// one costs a look at two bits.
func taskIn(r *request, line []byte, m *frame.Message) (id string, lasts time.Duration) {
	if r.method != methodCall || m.Kind != frame.Result || m.Keys&frame.KeyTaskID == 0 {
		return "", 0
	}
	state, nested := frame.Find(line, m.Result, "task")
	ttl := "ttl"
	if nested {
		_, nested = frame.Find(line, state, "taskId")
	}
	if !nested {
		kind, _ := frame.String(line, m.ResultType)
		if kind != "task" {
			return "", 0
		}
		state, ttl = m.Result, "ttlMs"
	}
	span, _ := frame.Find(line, state, "taskId")
	id, wellFormed := frame.String(line, span)
	if !wellFormed || len(id) > maxTaskID {
		return "", 0
	}
	if span, ok := frame.Find(line, state, ttl); ok {
		lasts = milliseconds(span.Of(line))
	}
	return strings.Clone(id), lasts
}

// milliseconds is a number of them as JSON writes it; 0 for what is none, or negative.
func milliseconds(number []byte) time.Duration {
	ms, err := strconv.ParseFloat(string(number), 64)
	if err != nil || ms <= 0 {
		return 0
	}
	return time.Duration(min(ms, float64(math.MaxInt64/time.Millisecond))) * time.Millisecond
}

// put remembers a task, or what a later call made of its id.
func (t *taskSet) put(id string, one task) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.ids == nil {
		t.ids = map[string]task{}
	}
	_, known := t.ids[id]
	t.ids[id] = one
	if known {
		return
	}
	t.order = append(t.order, id)
	if len(t.order) > maxTasks {
		delete(t.ids, t.order[0])
		t.order = t.order[1:]
	}
}

// of is the task with this id; one that is unknown or over has no item. A task's result counts as that tool's response: it passes while the
// tool does.
func (t *taskSet) of(id string) task {
	t.mu.Lock()
	defer t.mu.Unlock()
	one := t.ids[id]
	if one.item != "" && !time.Now().Before(one.until) {
		return task{}
	}
	return one
}

// kept is a wish for the hub, and wished what the hub tells.
func (w wish) kept() string { return [...]string{"", control.WishOn, control.WishOff}[w] }

func wished(kept string) wish {
	switch kept {
	case control.WishOn:
		return wishOn
	case control.WishOff:
		return wishOff
	}
	return wishNone
}

// taskIDs are the ids in a tasks/list response.
func taskIDs(line []byte) (ids []string) {
	eachTask(line, func(_ int, v frame.Span) {
		if id := idOfTask(line, v); id != "" {
			ids = append(ids, id)
		}
	})
	return ids
}

func eachTask(line []byte, visit func(i int, v frame.Span)) {
	eachTaskList(line, func(array frame.Span) {
		frame.Elements(line, array, func(i int, v frame.Span) bool {
			visit(i, v)
			return true
		})
	})
}

// eachTaskList visits the list in a tasks/list response, also as a parser that ignores case finds it.
func eachTaskList(line []byte, visit func(array frame.Span)) {
	result, _ := frame.Find(line, frame.Root(line), "result")
	under(line, result, "tasks", func(array frame.Span) bool {
		visit(array)
		return true
	})
}

// idOfTask is the id of a task as its server describes it, "" if it has none that is remembered.
func idOfTask(line []byte, state frame.Span) string {
	span, _ := frame.Find(line, state, "taskId")
	id, wellFormed := frame.String(line, span)
	if !wellFormed || len(id) > maxTaskID {
		return ""
	}
	return strings.Clone(id)
}

// onlyTasks cuts all other tasks out of a tasks/list response.
func onlyTasks(line []byte, passes func(id string) bool) []byte {
	var edits []frame.Edit
	eachTaskList(line, func(array frame.Span) {
		if frame.Type(line, array) != '[' {
			return
		}
		edits = append(edits, frame.EditArray(line, array, func(_ int, v frame.Span) bool {
			id := idOfTask(line, v)
			return id != "" && passes(id)
		})...)
	})
	return frame.Splice(nil, line, edits)
}

// resultInTask is what a task that ended returned, in its state as tasks/get and notifications have it, also for a parser that ignores case;
// absent if there is none, or if it says itself that it failed.
func resultInTask(line []byte, state frame.Span) (result frame.Span, ok bool) {
	under(line, state, "result", func(value frame.Span) bool {
		result, ok = value, frame.Type(line, value) == '{'
		return false
	})
	failed, _ := frame.Find(line, result, "isError")
	return result, ok && string(failed.Of(line)) != "true"
}
