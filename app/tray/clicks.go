package tray

// maxClicks is how many clicks can wait for the window.
const maxClicks = 8

// clicks runs callbacks one after the other, so that a slow window delays neither clicks nor changes of state.
type clicks struct {
	o     Options
	queue chan func()
	done  chan struct{}
}

func newClicks(o Options) *clicks {
	c := &clicks{o: o, queue: make(chan func(), maxClicks), done: make(chan struct{})}
	go func() {
		for {
			select {
			case f := <-c.queue:
				f()
			case <-c.done:
				return
			}
		}
	}()
	return c
}

func (c *clicks) end() { close(c.done) }

func (c *clicks) open(route string) { c.tell(func() { c.o.Open(route) }) }

func (c *clicks) row(e entry) {
	switch {
	case e.hidden:
	case e.does == opens:
		c.open(e.route)
	case e.does == snoozes:
		c.tell(func() { c.o.Snooze(e.snooze) })
	case e.does == quits:
		c.tell(c.o.Quit)
	}
}

func (c *clicks) tell(f func()) {
	select {
	case c.queue <- f:
	default:
		c.o.Log.Warn("click dropped: those before it are not done")
	}
}
