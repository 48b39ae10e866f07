package app

import (
	"fmt"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/sallyport/sallyport/app/stage"
	"github.com/sallyport/sallyport/proxy/control"
	"github.com/sallyport/sallyport/store"
)

// started is a task of a server that keeps it for lasts, 0 if it doesn't say.
func (s *server) started(id string, lasts time.Duration) control.Task {
	made := s.p.at.now()
	return control.Task{ID: control.TaskID(id), Item: "tool:report", Wish: control.WishOn, Made: made, Until: control.TaskUntil(made, lasts)}
}

func (s *server) keeps(tasks ...control.Task) {
	s.p.t.Helper()
	if acked, err := s.p.KeepTasks(s, control.Tasks{Tasks: tasks}); err != nil || acked.Stored != len(tasks) {
		s.p.t.Fatalf("%+v, %v", acked, err)
	}
}

// finds are the tools of those tasks that the server's wrapper hears of, in the order of the ids.
func (s *server) finds(ids ...string) (tools []string) {
	s.p.t.Helper()
	var hashed []string
	for _, id := range ids {
		hashed = append(hashed, control.TaskID(id))
	}
	known, err := s.p.KnownTasks(s, control.TaskQuery{IDs: hashed})
	if err != nil {
		s.p.t.Fatal(err)
	}
	for _, id := range hashed {
		if at := slices.IndexFunc(known.Tasks, func(t control.Task) bool { return t.ID == id }); at >= 0 {
			tools = append(tools, known.Tasks[at].Item)
		}
	}
	return tools
}

func TestATaskIsKnownToEveryWrapperOfItsServerAndToNoOther(t *testing.T) {
	p := newPlace(t)
	first := p.wrap("weather")
	task := first.started("a", time.Hour)
	first.keeps(task)
	for _, c := range []struct {
		name string
		s    *server
		want int
	}{
		{"the wrapper itself", first, 1}, {"another client's", p.wrapFor("cursor", "weather"), 1},
		{"another server's", p.wrap("mail", "npx", "mail"), 0},
	} {
		if got := c.s.finds("a", "b"); len(got) != c.want {
			t.Errorf("%s knows %v", c.name, got)
		}
	}
	p = p.again()
	later := p.wrap("weather")
	if got := later.finds("a"); len(got) != 1 || got[0] != "tool:report" {
		t.Errorf("the next hub's knows %v", got)
	}
	known, err := p.KnownTasks(later, control.TaskQuery{IDs: []string{task.ID}})
	if err != nil || known.Tasks[0].Wish != control.WishOn || !known.Tasks[0].Until.Equal(task.Until) || known.Tasks[0].ID != task.ID {
		t.Errorf("%+v, %v", known, err)
	}
}

func TestATaskIsForgottenADayAfterItsServerDid(t *testing.T) {
	p := newPlace(t)
	w := p.wrap("weather")
	w.keeps(w.started("short", time.Hour), w.started("unsaid", 0))
	p.at.pass(24 * time.Hour)
	if got := w.finds("short", "unsaid"); len(got) != 2 {
		t.Errorf("after a day: %v", got)
	}
	p.at.pass(2 * time.Hour)
	if got := w.finds("short"); len(got) != 0 {
		t.Errorf("after its time: %v", got)
	}
	if got := w.finds("unsaid"); len(got) != 1 {
		t.Errorf("one whose server didn't say how long: %v", got)
	}
	p.at.pass(30 * 24 * time.Hour)
	if got := w.finds("unsaid"); len(got) != 0 {
		t.Errorf("after thirty days: %v", got)
	}
	if err := p.ForgetOver(p.at.now()); err != nil {
		t.Fatal(err)
	}
	if n := p.tasksOf(w); n != 0 {
		t.Errorf("%d are still in the store", n)
	}
}

func (p *place) tasksOf(w *server) (n int) {
	p.t.Helper()
	if err := p.office.Viewing(func(tx *store.Tx) error {
		n = tx.Tasks().Count(tx.Servers()[0].ID)
		return nil
	}); err != nil {
		p.t.Fatal(err)
	}
	return n
}

func TestOfTenThousandTasksAServerTheOldestGo(t *testing.T) {
	p := newPlace(t)
	w := p.wrap("weather")
	var tasks []control.Task
	for i := range 10_003 {
		tasks = append(tasks, w.started(fmt.Sprint(i), time.Hour))
	}
	w.keeps(tasks[:10_000]...)
	w.keeps(tasks[10_000:]...)
	if got := w.finds("0", "1", "2"); len(got) != 0 {
		t.Errorf("the oldest are known: %v", got)
	}
	if got := w.finds("3", "9999", "10002"); len(got) != 3 {
		t.Errorf("of the rest: %v", got)
	}
}

func TestWhatNoWrapperSendsIsNoTaskAndHoldsUpNoOther(t *testing.T) {
	p := newPlace(t)
	w := p.wrap("weather")
	plain, prompt, wish, long := w.started("a", 0), w.started("b", 0), w.started("c", 0), w.started("d", 0)
	plain.ID, prompt.Item, wish.Wish = "a", "prompt:report", "maybe"
	long.Until = long.Until.Add(1 << 62)
	w.keeps(plain, prompt, wish, long)
	if got := w.finds("a", "b", "c", "d"); len(got) != 1 {
		t.Errorf("known: %v", got)
	}
	p.at.pass(11 * 365 * 24 * time.Hour)
	if got := w.finds("d"); len(got) != 0 {
		t.Error("one that lasts for ever does")
	}
	if _, err := p.KnownTasks(w, control.TaskQuery{IDs: make([]string, control.MaxTasks+1)}); err == nil {
		t.Error("any number can be asked for")
	}
	if _, err := p.KeepTasks(&stage.Ears{}, control.Tasks{Tasks: []control.Task{w.started("e", 0)}}); err == nil {
		t.Error("a connection that is no wrapper keeps one")
	}
	if _, err := p.KnownTasks(&stage.Ears{}, control.TaskQuery{}); err == nil {
		t.Error("a connection that is no wrapper asks for one")
	}
}

// crashTask tells a hub of a task. It is killed on the way.
func crashTask(hub *Hub) error {
	w := &stage.Ears{}
	if _, err := hub.Register(w, control.Peer{PID: 1, Role: control.RoleWrapper}, control.Register{
		Server: control.ServerRef{Transport: "stdio", Argv: weather, Name: "weather"}, Client: "claude-desktop", Session: crashSession,
	}); err != nil {
		return err
	}
	now := time.Now()
	_, err := hub.KeepTasks(w, control.Tasks{Tasks: []control.Task{{ID: control.TaskID("a"), Item: "tool:report", Made: now, Until: control.TaskUntil(now, time.Hour)}}})
	return err
}

func TestAHubKilledBeforeItAnswersKnowsTheTaskOrIsToldAgain(t *testing.T) {
	for point, known := range map[string]int{"task": 0, "tasked": 1} {
		t.Run("killed at "+point, func(t *testing.T) {
			root := t.TempDir()
			home, err := control.HomeAt(filepath.Join(root, "home"))
			if err != nil {
				t.Fatal(err)
			}
			killed(t, root, "task", point)
			p := open(t, home, func(o *Options) { o.Now = nil })
			p.at.t = time.Now()
			w := p.back("claude-desktop", crashSession, "weather", weather...)
			if got := w.finds("a"); len(got) != known {
				t.Errorf("the next hub knows %v", got)
			}
			again := w.started("a", time.Hour)
			w.keeps(again)
			w.keeps(again)
			if got := w.finds("a"); len(got) != 1 || p.tasksOf(w) != 1 {
				t.Errorf("told again, it knows %v", got)
			}
			if found, err := p.office.Store.Tampered(); err != nil || found.Any() {
				t.Errorf("the seals: %+v, %v", found, err)
			}
		})
	}
}
