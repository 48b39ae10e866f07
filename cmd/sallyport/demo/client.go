package demo

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"sync"
	"sync/atomic"
	"time"

	"github.com/sallyport/sallyport/cmd/sallyport/terminal"
	"github.com/sallyport/sallyport/proxy/transport"
)

// Client is a minimal MCP client: raw JSON lines over two pipes, so that the demo compares the bytes that arrive and not what a library
// makes of them.
type Client struct {
	in      io.WriteCloser
	stop    func() error // ends what was started, or waits for its end, after its input was closed
	stderr  Tail
	nextID  int
	Changes atomic.Int64  // notifications/tools/list_changed that have arrived
	changed chan struct{} // one more has

	mu      sync.Mutex
	waiting map[string]chan []byte // by the id as it was written
	ended   chan struct{}
}

// maxLine bounds one line; the servers of the demo stay far below it.
const maxLine = 8 << 20

func newClient() *Client {
	return &Client{waiting: map[string]chan []byte{}, changed: make(chan struct{}, 1), ended: make(chan struct{})}
}

// StartWrapped starts a wrapper, as a client does. It keeps env as it is, because a wrapper finds its home there.
func StartWrapped(ctx context.Context, argv, env []string) (*Client, error) {
	c := newClient()
	child := exec.CommandContext(ctx, argv[0], argv[1:]...)
	child.Cancel = func() error { return child.Process.Signal(os.Interrupt) } // it ends its server, then itself
	child.WaitDelay = 10 * time.Second
	child.Env = env
	child.Stderr = &c.stderr
	in, err := child.StdinPipe()
	if err != nil {
		return nil, err
	}
	out, err := child.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := child.Start(); err != nil {
		return nil, err
	}
	c.in = in
	c.stop = func() error {
		select {
		case <-c.ended:
		case <-ctx.Done():
		}
		return child.Wait()
	}
	go c.read(out)
	return c, nil
}

// startDirect starts a server with nothing in front of it, to compare with.
func startDirect(ctx context.Context, argv []string) (*Client, error) {
	c := newClient()
	server, err := transport.Start(ctx, transport.Command{Argv: argv}, &c.stderr, nil)
	if err != nil {
		return nil, err
	}
	c.in = server.Stdin
	c.stop = func() error {
		server.Stop()
		return nil
	}
	go c.read(server.Stdout)
	return c, nil
}

func (c *Client) read(out io.Reader) {
	defer close(c.ended)
	lines := bufio.NewScanner(out)
	lines.Buffer(nil, maxLine)
	for lines.Scan() {
		line := bytes.Clone(lines.Bytes())
		var envelope struct {
			ID     json.RawMessage `json:"id"`
			Method string          `json:"method"`
		}
		if json.Unmarshal(line, &envelope) != nil {
			continue
		}
		switch {
		case envelope.Method == "notifications/tools/list_changed":
			c.Changes.Add(1)
			select {
			case c.changed <- struct{}{}:
			default:
			}
		case envelope.Method != "" && envelope.ID != nil:
			// This client offers nothing, so every request of the server gets the protocol's error.
			c.send(fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"error":{"code":-32601,"message":"method not found"}}`, envelope.ID))
		case envelope.Method == "":
			c.mu.Lock()
			answer := c.waiting[string(envelope.ID)]
			delete(c.waiting, string(envelope.ID))
			c.mu.Unlock()
			if answer != nil {
				answer <- line
			}
		}
	}
}

func (c *Client) send(line string) error {
	_, err := io.WriteString(c.in, line+"\n")
	return err
}

// Request sends a request and returns the whole line that answers it. params is JSON, "" for none.
func (c *Client) Request(ctx context.Context, method, params string) ([]byte, error) {
	c.nextID++
	id := fmt.Sprint(c.nextID)
	answer := make(chan []byte, 1)
	c.mu.Lock()
	c.waiting[id] = answer
	c.mu.Unlock()
	if params != "" {
		params = `,"params":` + params
	}
	if err := c.send(fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"method":%q%s}`, id, method, params)); err != nil {
		return nil, fmt.Errorf("%s: %w%s", method, err, c.stderr.Said())
	}
	select {
	case line := <-answer:
		return line, nil
	case <-c.ended:
		return nil, fmt.Errorf("%s: the server ended before it answered%s", method, c.stderr.Said())
	case <-ctx.Done():
		return nil, fmt.Errorf("%s: no response: %w%s", method, ctx.Err(), c.stderr.Said())
	}
}

// Hello is the handshake of the legacy eras. It returns the response to initialize.
func (c *Client) Hello(ctx context.Context) ([]byte, error) {
	answer, err := c.Request(ctx, "initialize",
		`{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"sallyport-demo","version":"1"}}`)
	if err != nil {
		return nil, err
	}
	return answer, c.send(`{"jsonrpc":"2.0","method":"notifications/initialized"}`)
}

// Tools lists the tools: their definitions by name, in the bytes that arrived.
func (c *Client) Tools(ctx context.Context) (map[string]json.RawMessage, error) {
	answer, err := c.Request(ctx, "tools/list", "")
	if err != nil {
		return nil, err
	}
	var listing struct {
		Result struct {
			Tools []json.RawMessage `json:"tools"`
		} `json:"result"`
		Error json.RawMessage `json:"error"`
	}
	if err := json.Unmarshal(answer, &listing); err != nil || listing.Error != nil {
		return nil, fmt.Errorf("tools/list was answered with %.200s", answer)
	}
	tools := map[string]json.RawMessage{}
	for _, raw := range listing.Result.Tools {
		var tool struct {
			Name string `json:"name"`
		}
		if err := json.Unmarshal(raw, &tool); err != nil {
			return nil, fmt.Errorf("a tool that is none: %.200s", raw)
		}
		tools[tool.Name] = raw
	}
	return tools, nil
}

// Call calls a tool and returns the raw result. arguments is JSON.
func (c *Client) Call(ctx context.Context, tool, arguments string) (json.RawMessage, error) {
	answer, err := c.Request(ctx, "tools/call", fmt.Sprintf(`{"name":%q,"arguments":%s}`, tool, arguments))
	if err != nil {
		return nil, err
	}
	var called struct {
		Result json.RawMessage `json:"result"`
	}
	if err := json.Unmarshal(answer, &called); err != nil || called.Result == nil {
		return nil, fmt.Errorf("the call was answered with %.200s", answer)
	}
	return called.Result, nil
}

// Heard waits until more than before list_changed have arrived.
func (c *Client) Heard(ctx context.Context, before int64) error {
	for c.Changes.Load() <= before {
		select {
		case <-c.changed:
		case <-c.ended:
			return errors.New("the server ended" + c.stderr.Said())
		case <-ctx.Done():
			return errors.New("no list_changed arrived")
		}
	}
	return nil
}

// Close ends the input, as a client does that is done, and waits for the other side to end.
func (c *Client) Close() error {
	c.in.Close()
	return c.stop()
}

// Tail keeps the end of a child's error output, for the one line that says what went wrong.
type Tail struct {
	mu   sync.Mutex
	text []byte
}

func (t *Tail) Write(p []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.text = append(t.text, p...)
	t.text = t.text[max(0, len(t.text)-2000):]
	return len(p), nil
}

// Said is the last line, as the end of an error message.
func (t *Tail) Said() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	said := bytes.TrimSpace(t.text)
	if len(said) == 0 {
		return ""
	}
	lines := bytes.Split(said, []byte("\n"))
	return "; it said: " + terminal.Text(string(lines[len(lines)-1]))
}
