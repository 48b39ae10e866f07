package proxy

import (
	"fmt"
	"io"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/sallyport/sallyport/proxy/control"
	"github.com/sallyport/sallyport/proxy/frame"
)

// noticed collects what a session tells on stderr.
type noticed struct {
	mu   sync.Mutex
	said []string
}

func (n *noticed) hear(sentence string) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.said = append(n.said, sentence)
}

func (n *noticed) all() []string {
	n.mu.Lock()
	defer n.mu.Unlock()
	return append([]string(nil), n.said...)
}

// listening makes a rig's session tell its notices.
func listening(t *testing.T, n *noticed, prepare func(*rig)) *rig {
	return newRig(t, approveAll, func(r *rig) {
		r.notice = n.hear
		if prepare != nil {
			prepare(r)
		}
	})
}

func TestAClientWithAnotherFramingIsToldWhatWasSeenAndSoIsWhoReadsStderr(t *testing.T) {
	for name, c := range map[string]struct{ lines, says string }{
		"of a language server": {"Content-Length: 46\r\n\r\n{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"initialize\"}\n", "Content-Length headers"},
		"of the web":           {"POST /mcp HTTP/1.1\r\nHost: localhost\r\n", "HTTP"},
	} {
		t.Run(name, func(t *testing.T) {
			n := &noticed{}
			r := listening(t, n, nil)
			first, _, _ := strings.Cut(c.lines, "\n")
			r.send(first)
			if got := r.next(); !strings.Contains(got, c.says) || !strings.Contains(got, "SP-222") || !strings.Contains(got, `"id":null`) {
				t.Errorf("told %s", got)
			}
			r.send(first)
			r.next()
			if said := n.all(); len(said) != 1 || !strings.Contains(said[0], "the client frames its messages by "+c.says) || !strings.Contains(said[0], "SP-222") {
				t.Errorf("on stderr %q", said)
			}
			r.records("it is in the timeline", func(rec control.Record) bool {
				return rec.Status == "blocked" && strings.Contains(rec.Summary, c.says) && strings.Contains(rec.Summary, "SP-222")
			})
		})
	}
}

func TestAServerWithAnotherFramingLeavesNoRequestWithoutAnError(t *testing.T) {
	n := &noticed{}
	r := listening(t, n, func(r *rig) {
		r.server.handle = func(line string) (string, bool) {
			io.WriteString(r.server.out, "Content-Length: 44\r\n\r\n{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{\"a\":true}}") // it has no newline at its end
			return "", true
		}
	})
	r.send(`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"c","version":"1"}}}`)
	if got := r.answerTo("1"); !strings.Contains(got, "Content-Length headers") || !strings.Contains(got, "SP-222") || strings.Contains(got, "result") {
		t.Errorf("told %s", got)
	}
	if said := n.all(); len(said) != 1 || !strings.Contains(said[0], "the server frames its messages by Content-Length headers") {
		t.Errorf("on stderr %q", said)
	}
}

func TestALineThatLooksLikeAHeaderIsNoFramingOnceTheServerHasSpoken(t *testing.T) {
	n := &noticed{}
	r := listening(t, n, nil)
	r.initialize()
	answering(r, func(id string) []string {
		return []string{"GET /weather HTTP/1.1", "Content-Length: 5", result(id, "good")}
	})
	if got := r.call("5", "echo"); !strings.Contains(got, "good") {
		t.Errorf("told %s", got)
	}
	if said := n.all(); len(said) != 0 {
		t.Errorf("on stderr %q", said)
	}
}

func TestEventsOfAServerAreRefusedAndSaidInOneSentence(t *testing.T) {
	n := &noticed{}
	r := listening(t, n, nil)
	r.initialize()
	r.tools("1")
	for i, method := range []string{"events/list", "events/subscribe", "events/later"} {
		id := strconv.Itoa(10 + i)
		r.send(`{"jsonrpc":"2.0","id":` + id + `,"method":"` + method + `","params":{}}`)
		if got := r.answerTo(id); !refused(got) || !strings.Contains(got, "SP-225") || r.server.got(method) {
			t.Errorf("%s: %s", method, got)
		}
	}
	r.server.write(`{"jsonrpc":"2.0","method":"notifications/events/event","params":{"text":"wake up"}}`)
	r.eventually("it is said on stderr", func() bool { said := n.all(); return len(said) == 1 && strings.Contains(said[0], "SP-225") })
	r.quiet("the client gets no event")
}

func TestABatchOfAServerIsSaidOnStderrOnce(t *testing.T) {
	n := &noticed{}
	r := listening(t, n, nil)
	r.initialize()
	answering(r, func(id string) []string { return []string{"[" + result(id, "good") + "]"} })
	for _, id := range []string{"5", "6"} {
		if got := r.call(id, "echo"); !strings.Contains(got, "SP-223") || strings.Contains(got, "good") {
			t.Errorf("told %s", got)
		}
	}
	if said := n.all(); len(said) != 1 || !strings.Contains(said[0], "SP-223") {
		t.Errorf("on stderr %q", said)
	}
}

func TestANameThatNoListingHasIsRefusedWithTheCodeThatSaysWhy(t *testing.T) {
	r := ready(t)
	if got := r.call("5", "hidden_until_later"); !refused(got) || !strings.Contains(got, "SP-224") {
		t.Errorf("told %s", got)
	}
}

// lengths is a second framing: the length of each message in a line before it.
type lengths struct {
	src io.Reader
	max int
}

func (l *lengths) SetMax(most int) { l.max = most }
func (l *lengths) More() bool      { return false }

func (l *lengths) Next() ([]byte, error) {
	var head []byte
	for one := make([]byte, 1); ; head = append(head, one[0]) {
		if _, err := io.ReadFull(l.src, one); err != nil {
			return nil, err
		}
		if one[0] == '\n' {
			break
		}
	}
	size, err := strconv.Atoi(string(head))
	if err != nil {
		return nil, err
	}
	line := make([]byte, size, size+1)
	if _, err := io.ReadFull(l.src, line); err != nil {
		return nil, err
	}
	if l.max > 0 && size > l.max {
		return nil, frame.Oversize(line)
	}
	return append(line, '\n'), nil
}

func TestASecondFramingIsASourceAndNothingElse(t *testing.T) {
	r := newRig(t, approveAll, func(r *rig) {
		r.source = func(lines io.Reader) frame.Source {
			framed, into := io.Pipe()
			go func() {
				for from := frame.NewReader(lines, 0); ; {
					line, err := from.Next()
					if err != nil {
						into.CloseWithError(err)
						return
					}
					fmt.Fprintf(into, "%d\n%s", len(line)-1, line[:len(line)-1])
				}
			}()
			return &lengths{src: framed}
		}
	})
	r.initialize()
	if got := r.call("5", "echo"); refused(got) || !strings.Contains(got, `"content"`) {
		t.Errorf("told %s", got)
	}
	big := strings.Repeat("x", 1<<20)
	answering(r, func(id string) []string { return []string{result(id, big)} })
	if got := r.call("6", "echo"); !strings.Contains(got, big) {
		t.Error("a large message did not pass")
	}
}
