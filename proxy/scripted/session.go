package scripted

import (
	"bufio"
	"bytes"
	"cmp"
	"encoding/json"
	"io"
	"maps"
	"os"
	"os/signal"
	"strings"
	"sync"
	"syscall"
	"time"
)

// stay limits how long a server that ignores end of input remains, in case a test loses it.
const stay = 10 * time.Minute

// scriptRun is one run of a script.
type scriptRun struct {
	script Script
	errw   io.Writer
	log    io.Writer

	writing sync.Mutex // one line at a time
	out     io.Writer

	mu        sync.Mutex
	face      Face
	faceName  string
	seen      map[string]int             // occurrences by event
	waiting   map[string][]chan struct{} // steps waiting for an event
	cancelled map[string]bool            // ids, as written, that the client cancelled

	ended chan struct{} // closed at end of input
	exit  chan int
	once  sync.Once
}

func newSession(script Script, out, errw io.Writer) *scriptRun {
	return &scriptRun{
		script: script, out: out, errw: errw, face: script.Face, faceName: first,
		seen: map[string]int{}, waiting: map[string][]chan struct{}{}, cancelled: map[string]bool{},
		ended: make(chan struct{}), exit: make(chan int, 1),
	}
}

// message is what the server reads from a line.
type message struct {
	line   []byte
	ID     json.RawMessage `json:"id"`
	Method string          `json:"method"`
	Params struct {
		Name      string                     `json:"name"`
		URI       string                     `json:"uri"`
		Cursor    string                     `json:"cursor"`
		RequestID json.RawMessage            `json:"requestId"`
		Protocol  string                     `json:"protocolVersion"`
		Arguments map[string]json.RawMessage `json:"arguments"`
		Meta      struct {
			Token json.RawMessage `json:"progressToken"`
		} `json:"_meta"`
	} `json:"params"`
	n int // number of this occurrence of its event
}

func (s *scriptRun) run(in io.Reader) int {
	if s.script.IgnoreTERM {
		signal.Ignore(syscall.SIGTERM, syscall.SIGHUP, syscall.SIGINT)
	}
	stop := make(chan struct{})
	defer close(stop)
	go s.watch(stop)
	go s.read(in)
	select {
	case code := <-s.exit:
		s.end()
		return code
	case <-s.ended:
	}
	if s.script.IgnoreEOF {
		select {
		case code := <-s.exit:
			return code
		case <-time.After(stay):
		}
	}
	select {
	case code := <-s.exit:
		return code
	default:
		return 0
	}
}

func (s *scriptRun) end() { s.once.Do(func() { close(s.ended) }) }

func (s *scriptRun) read(in io.Reader) {
	s.fire("start", &message{})
	lines := bufio.NewReaderSize(in, 64<<10)
	for {
		line, err := lines.ReadBytes('\n')
		if len(line) > 0 {
			s.received(line)
		}
		if err != nil {
			s.fire("eof", &message{})
			s.end()
			return
		}
	}
}

func (s *scriptRun) received(line []byte) {
	if s.log != nil {
		_, _ = s.log.Write(line)
	}
	line = bytes.TrimRight(line, "\r\n")
	if len(line) == 0 {
		return
	}
	m := &message{line: line}
	_ = json.Unmarshal(line, m) // params of another shape keep what was read
	switch {
	case s.fire("line", m):
	case m.Method == "":
		s.fire("answer "+string(m.ID), m)
	default:
		if m.Method == "notifications/cancelled" {
			s.cancel(m.Params.RequestID)
		}
		if named := cmp.Or(m.Params.Name, m.Params.URI); named != "" && s.fire(m.Method+" "+named, m) {
			return
		}
		if !s.fire(m.Method, m) {
			as := s.answer(m)
			s.fire("answered "+m.Method, m)
			s.fire("answered "+m.Method+" as "+as, m)
		}
	}
}

// fire signals waiting steps and takes the steps of the first rule for the event. It reports whether there was one.
func (s *scriptRun) fire(event string, m *message) bool {
	s.mu.Lock()
	s.seen[event]++
	n := s.seen[event]
	s.wakeLocked(event)
	s.mu.Unlock()
	for _, rule := range s.script.Rules {
		if rule.On != event || n < rule.From || rule.To > 0 && n > rule.To {
			continue
		}
		if rule.Contains != "" && !bytes.Contains(m.line, []byte(rule.Contains)) || rule.While != "" && !exists(rule.While) {
			continue
		}
		m.n = n
		if rule.Async {
			go s.take(rule.Steps, m)
		} else {
			s.take(rule.Steps, m)
		}
		return true
	}
	return false
}

func (s *scriptRun) cancel(id json.RawMessage) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.cancelled[string(id)] = true
	s.wakeLocked("cancelled " + string(id))
}

func (s *scriptRun) wakeLocked(event string) {
	for _, waiter := range s.waiting[event] {
		close(waiter)
	}
	delete(s.waiting, event)
}

func (s *scriptRun) counts() map[string]int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return maps.Clone(s.seen)
}

// await waits for the next event of a name after the count in before, taken when the rule began: an answer may come before the step that
// waits for it. A cancellation and an existing file count too.
func (s *scriptRun) await(event string, m *message, before map[string]int) {
	waiter := make(chan struct{})
	s.mu.Lock()
	done := s.seen[event] > before[event]
	if event == "cancelled" {
		event += " " + string(m.ID)
		done = s.cancelled[string(m.ID)]
	} else if path, ok := strings.CutPrefix(event, "file "); ok {
		done = exists(path)
	}
	if !done {
		s.waiting[event] = append(s.waiting[event], waiter)
	}
	s.mu.Unlock()
	if done {
		return
	}
	select {
	case <-waiter:
	case <-s.ended:
	}
}

// watch turns files that come and go into events. It polls, because it must work wherever a test runs.
func (s *scriptRun) watch(stop <-chan struct{}) {
	there := map[string]bool{}
	note := func(event string) {
		for _, prefix := range []string{"file ", "gone "} {
			if path, ok := strings.CutPrefix(event, prefix); ok {
				there[path] = false
			}
		}
	}
	for _, rule := range s.script.Rules {
		note(rule.On)
		for _, step := range rule.Steps {
			note(step.Wait)
		}
	}
	if len(there) == 0 {
		return
	}
	tick := time.NewTicker(10 * time.Millisecond)
	defer tick.Stop()
	for {
		for path, was := range there {
			if is := exists(path); is != was {
				there[path] = is
				event := "gone "
				if is {
					event = "file "
				}
				s.fire(event+path, &message{})
			}
		}
		select {
		case <-tick.C:
		case <-stop:
			return
		}
	}
}

func exists(path string) bool {
	_, err := os.Lstat(path)
	return err == nil
}
