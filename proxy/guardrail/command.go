package guardrail

import (
	"context"
	"encoding/json"
	"sync"
	"time"
)

const (
	// firstAnswer is how long a new process may take for its first answer: it loads its libraries, and perhaps a model, first.
	firstAnswer = 10 * time.Second
	// startEvery keeps a program that ends at once from being started all the time.
	startEvery = time.Second
)

// CommandConfig is a program that judges texts.
type CommandConfig struct {
	Argv []string
	Env  []string // nil means this process's own; SALLYPORT_* is removed from either
	Dir  string
	// Stderr sees each chunk that the program writes to its stderr, during the call only. It must not block.
	Stderr func([]byte)
	// FirstAnswer is how long a new process may take for its first answer. 0 means 10 s. The request itself fails when its own time is up.
	FirstAnswer time.Duration

	// scanners has an answer name what it ran, and exits explain how the program ended, for one of ours.
	scanners []string
	exits    map[int]string
}

// A Command is a Provider: one process, started with the first request, that reads each request as a line of JSON and writes each answer as
// a line.
//
// It gets one request at a time. So the program needs no threads, an answer can't be taken for another request's, and a text that makes the
// program crash or hang costs nobody else an answer. After a failure the process and everything below it is killed, and the next request
// starts a new one.
//
// A process may be slower than the one who asks can wait: the request then fails, and the process is killed only when it has had the whole
// time of that request (Request.Patience) for itself. Otherwise each one who waited behind a slow text would kill it again.
type Command struct {
	config CommandConfig
	turn   chan struct{} // held by whoever uses what is below
	child  *child
	last   time.Time // of the last start

	life  context.Context // ends with Close
	end   context.CancelFunc
	close func()
}

// NewCommand starts nothing yet.
func NewCommand(config CommandConfig) *Command {
	if config.FirstAnswer == 0 {
		config.FirstAnswer = firstAnswer
	}
	c := &Command{config: config, turn: make(chan struct{}, 1)}
	c.life, c.end = context.WithCancel(context.Background())
	c.close = sync.OnceFunc(c.stop)
	return c
}

type outcome struct {
	answer Answer
	err    error
}

func (c *Command) Ask(ctx context.Context, r Request) (Answer, error) {
	line, err := json.Marshal(&r)
	if err != nil { // it can't happen: the request is strings
		return Answer{}, &Failure{"can't be asked about this text"}
	}
	patience := r.patience(ctx)
	select {
	case c.turn <- struct{}{}:
	case <-ctx.Done():
		return Answer{}, ended(ctx, errBusy)
	case <-c.life.Done():
		return Answer{}, errClosed
	}
	done := make(chan outcome, 1)
	go func() {
		defer func() { <-c.turn }()
		answer, err := c.exchange(ctx, r.ID, append(line, '\n'), patience)
		done <- outcome{answer, err}
		if err != nil {
			c.kill()
		}
	}()
	select {
	case o := <-done:
		return o.answer, o.err
	case <-ctx.Done():
		return Answer{}, ended(ctx, errTime)
	}
}

// exchange asks the process, which it starts if there is none. Only the wait for a start ends with the one who asks.
func (c *Command) exchange(asker context.Context, id string, line []byte, patience time.Duration) (Answer, error) {
	if c.child != nil && c.child.hasExited() { // between two requests: that costs this one nothing
		c.kill()
	}
	if c.child == nil {
		if err := c.start(asker); err != nil {
			return Answer{}, err
		}
		patience = max(patience, c.config.FirstAnswer)
	}
	ctx, cancel := context.WithTimeout(c.life, patience)
	defer cancel()
	raw, err := c.child.exchange(ctx, line)
	if err != nil {
		return Answer{}, c.explain(err)
	}
	answer, err := readAnswer(raw, id)
	if err == nil && c.config.scanners != nil {
		readScanners(&answer, raw, c.config.scanners)
	}
	return answer, err
}

func (c *Command) start(asker context.Context) error {
	if wait := untilStart(c.last, time.Now()); wait > 0 {
		timer := time.NewTimer(wait)
		defer timer.Stop()
		select {
		case <-timer.C:
		case <-asker.Done():
			return ended(asker, errTime)
		case <-c.life.Done():
			return errClosed
		}
	}
	c.last = time.Now()
	child, err := startChild(c.life, c.config)
	if c.life.Err() != nil && err != nil {
		return errClosed
	}
	if err != nil {
		return &Failure{err.Error()}
	}
	c.child = child
	return nil
}

// untilStart is how long a process must wait that follows one started at last.
func untilStart(last, now time.Time) time.Duration {
	if last.IsZero() {
		return 0
	}
	return max(0, startEvery-now.Sub(last))
}

// explain puts the end of one of our own programs into words.
func (c *Command) explain(err error) error {
	if code, exited := c.child.exitCode(); exited {
		if words, ours := c.config.exits[code]; ours {
			return &Failure{words}
		}
	}
	return err
}

func (c *Command) kill() {
	if c.child != nil {
		c.child.kill()
		c.child = nil
	}
}

// Close ends the process. It returns when nothing of it is alive.
func (c *Command) Close() { c.close() }

func (c *Command) stop() {
	c.end()
	c.turn <- struct{}{} // for good
	if c.child != nil {
		c.child.stop()
		c.child = nil
	}
}
