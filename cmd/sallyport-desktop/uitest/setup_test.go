//go:build ui

package uitest

import (
	"os"
	"os/exec"
	"time"
)

// headlessHub starts a hub without a window in this home, with more arguments, and returns how to end it. It is gone when
// that has returned.
func (h *house) headlessHub(args ...string) (end func()) {
	h.t.Helper()
	hub := exec.Command(program(h.t, "sallyport"), append([]string{"hub"}, args...)...)
	hub.Env = h.headless()
	said := new(tail)
	hub.Stdout, hub.Stderr = said, said
	if err := hub.Start(); err != nil {
		h.t.Fatal(err)
	}
	gone := make(chan struct{})
	go func() {
		_ = hub.Wait()
		close(gone)
	}()
	over := func() {
		select {
		case <-gone:
			return
		default:
		}
		_ = hub.Process.Signal(os.Interrupt)
		select {
		case <-gone:
		case <-time.After(patience):
			_ = hub.Process.Kill()
			<-gone
			h.t.Errorf("the headless hub did not end: %s", said)
		}
	}
	h.t.Cleanup(over)
	wait(h.t, "the headless hub answers", func() bool {
		select {
		case <-gone:
			h.t.Fatalf("the headless hub ended: %s", said)
		default:
		}
		_, code := h.command("status", "--json")
		return code == 0 || code == 3
	})
	return over
}

// allowed sets the scene: the server was seen and allowed whole, in a home where a terminal may decide.
func (h *house) allowed(name string, s *server) {
	h.t.Helper()
	end := h.headlessHub("--allow-cli-approval")
	h.allow(name, h.wrapped(name, s, h.headless()))
	end()
}

// allow allows all that a client's server has, and ends the session.
func (h *house) allow(name string, c *client) {
	h.t.Helper()
	c.tools()
	wait(h.t, "everything of "+name+" is allowed", func() bool {
		items := h.inbox()
		for _, item := range items {
			h.command("approve", item.Code, "--all", "--yes")
		}
		return len(items) == 0 && len(c.tools()) > 0
	})
	c.close()
}
