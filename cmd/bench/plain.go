package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"sync"

	"github.com/sallyport/sallyport/cmd/bench/echo"
)

// plain is a caller written in the usual way with Go's standard library: bufio, encoding/json, a map of awaited calls. The target for calls
// a second was measured between such peers (88,000 a second directly with 64 in flight, 51,000 through the bare relay, on two cores):
// docs/performance.md, "Notes on the figures".
type plain struct {
	chain
	cmd *exec.Cmd

	writing sync.Mutex
	in      io.WriteCloser

	mu      sync.Mutex
	next    int
	awaited map[int]chan plainMessage
	ended   error
}

type plainMessage struct {
	JSONRPC string          `json:"jsonrpc"`
	ID      *int            `json:"id,omitempty"`
	Method  string          `json:"method,omitempty"`
	Params  any             `json:"params,omitempty"`
	Result  json.RawMessage `json:"result,omitempty"`
	Error   json.RawMessage `json:"error,omitempty"`
}

type plainResult struct {
	Content []plainText `json:"content"`
	plainEnd
}

// plainEnd is what results have in the modern era.
type plainEnd struct {
	ResultType string         `json:"resultType,omitempty"`
	Meta       map[string]any `json:"_meta,omitempty"`
}

var plainComplete = plainEnd{"complete", map[string]any{"io.modelcontextprotocol/serverInfo": map[string]any{"name": "plain", "version": "1"}}}

// plainRest is the same with what listings have.
const plainRest = `,"resultType":"complete","ttlMs":0,"cacheScope":"private","_meta":{"io.modelcontextprotocol/serverInfo":{"name":"plain","version":"1"}}`

type plainText struct {
	Type string `json:"type"`
	Text string `json:"text"`
}

func startPlain(ctx context.Context, c chain) (caller, error) {
	cmd := exec.CommandContext(ctx, c.argv[0], c.argv[1:]...)
	cmd.Stderr, cmd.Env = os.Stderr, c.env
	alone(cmd)
	in, err := cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, fmt.Errorf("start %s: %w", c.argv[0], err)
	}
	p := &plain{chain: c, cmd: cmd, in: in, awaited: map[int]chan plainMessage{}}
	go p.listen(out)
	ctx, cancel := context.WithTimeout(ctx, helloLimit)
	defer cancel()
	if err := p.shake(ctx); err != nil {
		_ = p.Close()
		return nil, err
	}
	return p, nil
}

// listen passes every response to the request that awaits it.
func (p *plain) listen(out io.Reader) {
	lines := bufio.NewReader(out)
	for {
		line, err := lines.ReadBytes('\n')
		var m plainMessage
		if err == nil {
			err = json.Unmarshal(line, &m)
		}
		p.mu.Lock()
		if err != nil {
			p.ended = err
			for _, c := range p.awaited {
				close(c)
			}
			p.awaited = nil
			p.mu.Unlock()
			return
		}
		var c chan plainMessage
		if m.ID != nil && m.Method == "" {
			c = p.awaited[*m.ID]
			delete(p.awaited, *m.ID)
		}
		p.mu.Unlock()
		if c != nil {
			c <- m
		}
	}
}

func (p *plain) request(ctx context.Context, method string, params any) (json.RawMessage, error) {
	c := make(chan plainMessage, 1)
	p.mu.Lock()
	if p.ended != nil {
		p.mu.Unlock()
		return nil, p.ended
	}
	p.next++
	id := p.next
	p.awaited[id] = c
	p.mu.Unlock()
	if err := p.send(plainMessage{JSONRPC: "2.0", ID: &id, Method: method, Params: params}); err != nil {
		return nil, err
	}
	select {
	case m, ok := <-c:
		switch {
		case !ok:
			return nil, errors.New("the chain ended")
		case m.Error != nil:
			return nil, fmt.Errorf("%s: %s", method, m.Error)
		}
		return m.Result, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

func (p *plain) send(m plainMessage) error {
	line, err := json.Marshal(m)
	if err != nil {
		return err
	}
	p.writing.Lock()
	defer p.writing.Unlock()
	_, err = p.in.Write(append(line, '\n'))
	return err
}

// withMeta adds what a request of the modern era says.
func (p *plain) withMeta(params map[string]any) map[string]any {
	if p.era == echo.Modern {
		params["_meta"] = map[string]any{
			"io.modelcontextprotocol/protocolVersion":    "2026-07-28",
			"io.modelcontextprotocol/clientInfo":         map[string]any{"name": "bench", "version": "1"},
			"io.modelcontextprotocol/clientCapabilities": map[string]any{},
		}
	}
	return params
}

func (p *plain) shake(ctx context.Context) error {
	if p.era == echo.Modern {
		_, err := p.request(ctx, "tools/list", p.withMeta(map[string]any{}))
		return err
	}
	if _, err := p.request(ctx, "initialize", json.RawMessage(`{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"bench","version":"1"}}`)); err != nil {
		return err
	}
	if err := p.send(plainMessage{JSONRPC: "2.0", Method: "notifications/initialized"}); err != nil {
		return err
	}
	_, err := p.request(ctx, "tools/list", nil)
	return err
}

func (p *plain) call(ctx context.Context) error {
	raw, err := p.request(ctx, "tools/call", p.withMeta(map[string]any{"name": "echo", "arguments": map[string]any{"message": said}}))
	if err != nil {
		return err
	}
	var result plainResult
	if err := json.Unmarshal(raw, &result); err != nil {
		return err
	}
	if len(result.Content) != 1 || (result.ResultType != "") != (p.era == echo.Modern) || !strings.HasSuffix(result.Content[0].Text, said) {
		return fmt.Errorf("answered %s", raw)
	}
	return nil
}

func (p *plain) Close() error {
	p.in.Close()
	return p.cmd.Wait()
}

// servePlain is the matching server.
func servePlain(in io.Reader, out io.Writer) error {
	lines := bufio.NewReader(in)
	for {
		line, err := lines.ReadBytes('\n')
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
		var m struct {
			ID     *int   `json:"id"`
			Method string `json:"method"`
			Params struct {
				Protocol  string `json:"protocolVersion"`
				Arguments struct {
					Message string `json:"message"`
				} `json:"arguments"`
				Meta struct {
					Protocol string `json:"io.modelcontextprotocol/protocolVersion"`
				} `json:"_meta"`
			} `json:"params"`
		}
		if err := json.Unmarshal(line, &m); err != nil {
			return err
		}
		if m.ID == nil {
			continue
		}
		answer, end, rest := plainMessage{JSONRPC: "2.0", ID: m.ID}, plainEnd{}, ""
		if m.Params.Meta.Protocol != "" {
			end, rest = plainComplete, plainRest
		}
		switch m.Method {
		case "initialize":
			answer.Result = json.RawMessage(fmt.Sprintf(`{"protocolVersion":%q,"capabilities":{"tools":{"listChanged":true}},"serverInfo":{"name":"plain","version":"1"}}`, m.Params.Protocol))
		case "ping":
			answer.Result = json.RawMessage(`{}`)
		case "tools/list":
			answer.Result = json.RawMessage(`{"tools":[{"name":"echo","description":"Says it again.","inputSchema":{"type":"object","properties":{"message":{"type":"string"}},"required":["message"]}}]` + rest + `}`)
		case "server/discover":
			answer.Result = json.RawMessage(`{"supportedVersions":["2026-07-28"],"capabilities":{"tools":{"listChanged":true}}` + rest + `}`)
		case "tools/call":
			if answer.Result, err = json.Marshal(plainResult{[]plainText{{"text", m.Params.Arguments.Message}}, end}); err != nil {
				return err
			}
		default:
			answer.Error = json.RawMessage(`{"code":-32601,"message":"method not found"}`)
		}
		if line, err = json.Marshal(answer); err != nil {
			return err
		}
		if _, err := out.Write(append(line, '\n')); err != nil {
			return err
		}
	}
}
