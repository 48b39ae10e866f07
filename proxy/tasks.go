package proxy

import (
	"strings"
	"sync"

	"github.com/sallyport/sallyport/proxy/frame"
)

// maxTasks limits the tasks remembered per session; the oldest are forgotten, and a forgotten task is refused.
const maxTasks = 10_000

// taskSet holds the ids of tasks that approved calls created (MCP 2025-11-25, "Tasks"): a client can only ask for those.
type taskSet struct {
	mu    sync.Mutex
	ids   map[string]task
	order []string
}

// task is what counts for everything a client asks about a task: the pin key of the tool that was called, and what the call wished.
type task struct {
	item string
	wish wish
}

// remember stores the task that a response to tools/call created, if any.
func (t *taskSet) remember(r *request, line []byte, m *frame.Message) {
	if r.method != methodCall || m.Kind != frame.Result || m.Keys&frame.KeyTaskID == 0 {
		return
	}
	span, ok := frame.Find(line, m.Result, "task", "taskId")
	if !ok {
		return
	}
	id, wellFormed := frame.String(line, span)
	if !wellFormed {
		return
	}
	id = strings.Clone(id)
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.ids == nil {
		t.ids = map[string]task{}
	}
	if _, known := t.ids[id]; known {
		return
	}
	t.ids[id] = task{r.item, r.wish}
	t.order = append(t.order, id)
	if len(t.order) > maxTasks {
		delete(t.ids, t.order[0])
		t.order = t.order[1:]
	}
}

// of is the task with this id; an unknown one has no item. A task's result counts as that tool's response: it passes while the tool does.
func (t *taskSet) of(id string) task {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.ids[id]
}

// withoutForeignTasks cuts tasks that no approved call of this session created out of a tasks/list response.
func (t *taskSet) withoutForeignTasks(line []byte) []byte {
	array, ok := frame.Find(line, frame.Root(line), "result", "tasks")
	if !ok || frame.Type(line, array) != '[' {
		return line
	}
	return frame.Splice(nil, line, frame.EditArray(line, array, func(_ int, v frame.Span) bool {
		span, ok := frame.Find(line, v, "taskId")
		if !ok {
			return false
		}
		id, wellFormed := frame.String(line, span)
		return wellFormed && t.of(id).item != ""
	}))
}
