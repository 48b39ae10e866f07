// Package echo is the server that the benchmark calls, and what its lean client must know about it: how to write a call, and where the id
// is in a response.
package echo

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"strconv"
	"strings"
)

// IDDigits is the length of the client's ids: a response is prepared and only its id is replaced, so that the server costs next to nothing
// and the chain dominates.
const IDDigits = 10

// A call is CallHead, an id, CallMiddle, the size, and three closing braces. A response begins with AnswerHead and the id.
const (
	CallHead   = `{"jsonrpc":"2.0","id":`
	CallMiddle = `,"method":"tools/call","params":{"name":"echo","arguments":{"size":`
	AnswerHead = `{"jsonrpc":"2.0","id":`
)

// Answer is a whole line of size bytes, line feed included: text with escapes, and rows of structured content.
func Answer(size int) []byte {
	const row = `{"id":123456,"name":"row","value":-1.25e3,"ok":true,"tags":["a","b"]},`
	const text = `the quick brown fox\njumps over \"the\" lazy dog; `
	head := AnswerHead + strings.Repeat("0", IDDigits) + `,"result":{"content":[{"type":"text","text":"`
	middle, tail := `"}],"structuredContent":{"rows":[`, `{"id":0}]}}}`+"\n"
	room := size - len(head) - len(middle) - len(tail)
	texts, rows := room/2/len(text), room/2/len(row)
	fill := max(room-texts*len(text)-rows*len(row), 0)
	var line bytes.Buffer
	line.Grow(size)
	line.WriteString(head)
	line.WriteString(strings.Repeat(text, texts))
	line.WriteString(strings.Repeat("x", fill))
	line.WriteString(middle)
	line.WriteString(strings.Repeat(row, rows))
	line.WriteString(tail)
	return line.Bytes()
}

// Serve is the server: one tool, whose response has the requested size.
func Serve(in io.Reader, out io.Writer) error {
	ready := map[string][]byte{}
	lines := bufio.NewReaderSize(in, 64<<10)
	for {
		line, err := lines.ReadSlice('\n')
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return fmt.Errorf("read: %w", err)
		}
		if id, size, ok := quick(line); ok {
			full, ok := ready[string(size)]
			if !ok {
				n, err := strconv.Atoi(string(size))
				if err != nil {
					return fmt.Errorf("size %q: %w", size, err)
				}
				full = Answer(n)
				ready[string(size)] = full
			}
			copy(full[len(AnswerHead):], id)
			if _, err := out.Write(full); err != nil {
				return fmt.Errorf("write: %w", err)
			}
			continue
		}
		reply, err := slow(line)
		if err != nil {
			return err
		}
		if _, err := out.Write(reply); err != nil {
			return fmt.Errorf("write: %w", err)
		}
	}
}

// quick reads a call exactly as the lean client writes it.
func quick(line []byte) (id, size []byte, ok bool) {
	rest, ok := bytes.CutPrefix(line, []byte(CallHead))
	if !ok || len(rest) < IDDigits {
		return nil, nil, false
	}
	id, rest = rest[:IDDigits], rest[IDDigits:]
	if rest, ok = bytes.CutPrefix(rest, []byte(CallMiddle)); !ok {
		return nil, nil, false
	}
	size, _, ok = bytes.Cut(rest, []byte("}"))
	return id, size, ok
}

// slow answers everything else: the handshake, listings, calls that a proxy has rewritten.
func slow(line []byte) ([]byte, error) {
	var m struct {
		ID     json.RawMessage `json:"id"`
		Method string          `json:"method"`
		Params struct {
			Protocol  string `json:"protocolVersion"`
			Arguments struct {
				Size int `json:"size"`
			} `json:"arguments"`
		} `json:"params"`
	}
	if err := json.Unmarshal(line, &m); err != nil {
		return nil, fmt.Errorf("a line that is no message: %w", err)
	}
	if m.ID == nil {
		return nil, nil
	}
	reply := func(kind, value string) []byte {
		return fmt.Appendf(nil, "{\"jsonrpc\":\"2.0\",\"id\":%s,%q:%s}\n", m.ID, kind, value)
	}
	switch m.Method {
	case "initialize":
		return reply("result", fmt.Sprintf(`{"protocolVersion":%q,"capabilities":{"tools":{"listChanged":true}},"serverInfo":{"name":"echo","version":"1"}}`, m.Params.Protocol)), nil
	case "ping":
		return reply("result", `{}`), nil
	case "tools/list":
		return reply("result", `{"tools":[{"name":"echo","description":"Answers with so many bytes","inputSchema":{"type":"object","properties":{"size":{"type":"integer"}},"required":["size"]}}]}`), nil
	case "tools/call":
		full := Answer(m.Params.Arguments.Size)
		result := full[len(AnswerHead)+IDDigits:]
		return append(append([]byte(AnswerHead), m.ID...), result...), nil
	default:
		return reply("error", `{"code":-32601,"message":"method not found"}`), nil
	}
}
