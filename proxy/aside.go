package proxy

import "sync"

// aside tracks work beside the reading goroutines, which must finish before the session ends.
type aside struct {
	turn chan struct{} // one token for each response inspected at once

	mu      sync.Mutex
	ended   sync.Cond
	running int
	bytes   int
}

func newAside() *aside {
	a := &aside{turn: make(chan struct{}, 2)}
	a.ended.L = &a.mu
	return a
}

func (a *aside) run(f func()) {
	a.mu.Lock()
	a.running++
	a.mu.Unlock()
	go func() {
		defer func() {
			a.mu.Lock()
			a.running--
			a.ended.Broadcast()
			a.mu.Unlock()
		}()
		f()
	}()
}

// wait waits until nothing runs.
func (a *aside) wait() {
	a.mu.Lock()
	defer a.mu.Unlock()
	for a.running > 0 {
		a.ended.Wait()
	}
}

// take reserves room for a response of n bytes.
func (a *aside) take(n int) bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.bytes+n > maxAside {
		return false
	}
	a.bytes += n
	return true
}

func (a *aside) give(n int) {
	a.mu.Lock()
	a.bytes -= n
	a.mu.Unlock()
}
