package main

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"time"

	"github.com/sallyport/sallyport/cmd/bench/echo"
)

// lean is one chain behind a lean client: one goroutine, raw bytes, blocking pipes.
type lean struct {
	chain
	cmd  *exec.Cmd
	in   *os.File
	out  *os.File
	buf  []byte
	have []byte // bytes read but not yet used
	next int
	sent []time.Time // ring by id
}

// firstID has echo.IDDigits digits, and so have all that follow.
const firstID = 1_000_000_000

// ring is more than the number of calls in flight.
const ring = 128

func start(c chain) (*lean, error) {
	childIn, in, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	out, childOut, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	defer childIn.Close()
	defer childOut.Close()
	cmd := exec.Command(c.argv[0], c.argv[1:]...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr, cmd.Env = childIn, childOut, os.Stderr, c.env
	alone(cmd)
	if err := cmd.Start(); err != nil {
		in.Close()
		out.Close()
		return nil, fmt.Errorf("start %s: %w", c.argv[0], err)
	}
	in.Fd() // blocking from here on: two system calls a message, no poller
	out.Fd()
	return &lean{chain: c, cmd: cmd, in: in, out: out, buf: make([]byte, 256<<10), next: firstID, sent: make([]time.Time, ring)}, nil
}

// line reads one line; it is valid until the next.
func (c *lean) line() ([]byte, error) {
	var whole []byte
	for {
		if at := bytes.IndexByte(c.have, '\n'); at >= 0 {
			line := c.have[:at+1]
			c.have = c.have[at+1:]
			if whole != nil {
				line = append(whole, line...)
			}
			return line, nil
		}
		whole = append(whole, c.have...)
		n, err := c.out.Read(c.buf)
		if err != nil {
			return nil, fmt.Errorf("read answer: %w", err)
		}
		c.have = c.buf[:n]
	}
}

// await reads lines until one answers the id, skipping others.
func (c *lean) await(id string) error {
	for {
		line, err := c.line()
		if err != nil {
			return err
		}
		if bytes.Contains(line[:min(len(line), 64)], []byte(`"id":`+id)) || bytes.HasSuffix(line, []byte(`"id":`+id+"}\n")) {
			return nil
		}
	}
}

// greet sends the first request of a client, and waits for its response.
func (c *lean) greet() error {
	if c.era == echo.Modern {
		return c.exchange(`{"jsonrpc":"2.0","id":1,"method":"server/discover","params":{`+echo.Meta+"}}\n", "1")
	}
	return c.exchange(`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"bench","version":"1"}}}`+"\n", "1")
}

// list lists the tools, as every client does.
func (c *lean) list() error {
	if c.era == echo.Modern {
		return c.exchange(`{"jsonrpc":"2.0","id":2,"method":"tools/list","params":{`+echo.Meta+"}}\n", "2")
	}
	return c.exchange(`{"jsonrpc":"2.0","method":"notifications/initialized"}`+"\n"+`{"jsonrpc":"2.0","id":2,"method":"tools/list"}`+"\n", "2")
}

func (c *lean) shake() error {
	if err := c.greet(); err != nil {
		return err
	}
	return c.list()
}

func (c *lean) exchange(lines, id string) error {
	if _, err := c.in.WriteString(lines); err != nil {
		return err
	}
	return c.await(id)
}

func (c *lean) send(size int) error {
	line := echo.AppendCall(make([]byte, 0, 512), c.era, c.next, size)
	c.sent[c.next%ring] = time.Now()
	c.next++
	_, err := c.in.Write(line)
	return err
}

// once makes one small call.
func (c *lean) once() error { return c.slice(200, 1, 0, new(series)) }

var resultMark = []byte(`"result":`)

// receive reads one response and returns how long it took. It must have the requested size or, from a typed proxy, at least be a result;
// anything else (a refusal, a notification) is an error.
func (c *lean) receive(size int) (time.Duration, error) {
	// Only the first piece of a long line is parsed; the rest is counted.
	var total int
	var head []byte
	for {
		at := bytes.IndexByte(c.have, '\n')
		piece := c.have
		if at >= 0 {
			piece = c.have[:at+1]
		}
		if len(head) < 64 {
			head = append(head, piece[:min(len(piece), 64)]...)
		}
		total += len(piece)
		if at >= 0 {
			c.have = c.have[at+1:]
			break
		}
		n, err := c.out.Read(c.buf)
		if err != nil {
			return 0, fmt.Errorf("read answer: %w", err)
		}
		c.have = c.buf[:n]
	}
	now := time.Now()
	rest, ok := bytes.CutPrefix(head, []byte(echo.AnswerHead))
	if !ok || len(rest) < echo.IDDigits || !bytes.Contains(rest, resultMark) {
		return 0, fmt.Errorf("no answer: %q", head)
	}
	if c.exact && total != echo.Length(c.era, size) || total < size/2 {
		return 0, fmt.Errorf("an answer of %d bytes where %d were asked for: %q", total, size, head)
	}
	id, err := strconv.Atoi(string(rest[:echo.IDDigits]))
	if err != nil {
		return 0, fmt.Errorf("no id of ours: %q", head)
	}
	return now.Sub(c.sent[id%ring]), nil
}

// slice keeps at least inFlight calls in flight for a while, and records each.
func (c *lean) slice(size, inFlight int, span time.Duration, into *series) error {
	begin := time.Now()
	flying, done := 0, 0
	for ; flying < inFlight; flying++ {
		if err := c.send(size); err != nil {
			return err
		}
	}
	for flying > 0 {
		took, err := c.receive(size)
		if err != nil {
			return err
		}
		flying--
		done++
		into.took = append(into.took, took)
		if time.Since(begin) < span {
			if err := c.send(size); err != nil {
				return err
			}
			flying++
		}
	}
	into.rates = append(into.rates, float64(done)/time.Since(begin).Seconds())
	return nil
}

// close ends the chain as a client does, by force if necessary.
func (c *lean) close() error {
	c.in.Close()
	ended := make(chan error, 1)
	go func() { ended <- c.cmd.Wait() }()
	select {
	case err := <-ended:
		c.out.Close()
		return err
	case <-time.After(15 * time.Second):
	}
	killGroup(c.cmd)
	<-ended
	c.out.Close()
	return errors.New("still there 15 s after the end of its input; killed")
}
