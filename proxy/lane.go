package proxy

import "time"

// longerThan is from where a tool's validations count as long. Honest ones of 1 MB take 15 to 40 ms. On a busy machine they can come to it, too, and
// are then validated one after the other, which costs them little there.
const longerThan = 100 * time.Millisecond

// lane is where responses of about one size are validated, a few at a time, so that they take little memory. Of the tools with validations that take
// long only one response at a time is in it or waits in front of others: a hostile server can send many at once, and the other tools' must not
// wait for all of them.
type lane struct {
	turn chan struct{} // one token for each response at once
	long chan struct{} // one token for all of those tools
}

func newLane(atOnce int) *lane {
	return &lane{turn: make(chan struct{}, atOnce), long: make(chan struct{}, 1)}
}

// enter waits for a turn, and returns how to leave. long is asked again when it comes: what took long can have been known for a moment only.
func (l *lane) enter(long func() bool) (leave func()) {
	if !long() {
		l.turn <- struct{}{}
		if !long() {
			return func() { <-l.turn }
		}
		<-l.turn
	}
	l.long <- struct{}{}
	l.turn <- struct{}{}
	return func() {
		<-l.turn
		<-l.long
	}
}
