package proxy

import (
	"sync"

	"github.com/sallyport/sallyport/proxy/control"
)

// deliveries are the lines for the client of which one waits until the hub knows its values: those that came after it are delivered after it. While
// nothing waits, each is delivered at once, by whoever brings it.
type deliveries struct {
	aside *aside
	tell  func(v []control.Values)

	mu      sync.Mutex
	queue   []delivery
	running bool
	idle    sync.Cond // running has become false
}

// delivery is one of them. values are what the hub is told first, nil for nothing.
type delivery struct {
	values  *control.Values
	deliver func()
	bytes   int
}

func newDeliveries(a *aside, tell func(v []control.Values)) *deliveries {
	o := &deliveries{aside: a, tell: tell}
	o.idle.L = &o.mu
	return o
}

// waits reports whether something is waiting, so that what comes now has to wait behind it.
func (o *deliveries) waits() bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.running
}

// add takes a delivery, which must hold its own copy of what it delivers. Without room in memory it is delivered before add returns.
func (o *deliveries) add(d delivery) {
	if !o.aside.take(d.bytes) {
		o.mu.Lock()
		for o.running {
			o.idle.Wait()
		}
		o.mu.Unlock()
		o.do([]delivery{d})
		return
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	o.queue = append(o.queue, d)
	if o.running {
		return
	}
	o.running = true
	o.aside.run(o.run)
}

// run delivers until nothing is left.
func (o *deliveries) run() {
	for {
		o.mu.Lock()
		if len(o.queue) == 0 {
			o.running = false
			o.idle.Broadcast()
			o.mu.Unlock()
			return
		}
		batch := o.queue
		o.queue = nil
		o.mu.Unlock()
		o.do(batch)
		for _, d := range batch {
			o.aside.give(d.bytes)
		}
	}
}

// do tells the hub all values of a batch at once, and delivers it.
func (o *deliveries) do(batch []delivery) {
	var values []control.Values
	for _, d := range batch {
		if d.values != nil {
			values = append(values, *d.values)
		}
	}
	if len(values) > 0 {
		o.tell(values)
	}
	for _, d := range batch {
		d.deliver()
	}
}
