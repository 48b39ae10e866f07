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

// Answer is a whole line of size bytes, line feed included: text with escapes, and rows of structured content. See Length for the modern era.
func Answer(as Era, size int) []byte {
	const row = `{"id":123456,"name":"row","value":-1.25e3,"ok":true,"tags":["a","b"]},`
	const text = `the quick brown fox\njumps over \"the\" lazy dog; `
	head := AnswerHead + strings.Repeat("0", IDDigits) + `,"result":{"content":[{"type":"text","text":"`
	middle, tail := `"}],"structuredContent":{"rows":[`, `{"id":0}]}`
	const end = "}}\n"
	room := size - len(head) - len(middle) - len(tail) - len(end)
	texts, rows := room/2/len(text), room/2/len(row)
	fill := max(room-texts*len(text)-rows*len(row), 0)
	var line bytes.Buffer
	line.Grow(Length(as, size))
	line.WriteString(head)
	line.WriteString(strings.Repeat(text, texts))
	line.WriteString(strings.Repeat("x", fill))
	line.WriteString(middle)
	line.WriteString(strings.Repeat(row, rows))
	line.WriteString(tail)
	if as == Modern {
		line.WriteString(complete)
	}
	line.WriteString(end)
	return line.Bytes()
}

// Serve is the server: one tool, whose response has the requested size. It answers each request in that request's era.
func Serve(in io.Reader, out io.Writer) error {
	ready := map[Era]map[string][]byte{Legacy: {}, Modern: {}}
	lines := bufio.NewReaderSize(in, 64<<10)
	for {
		line, err := lines.ReadSlice('\n')
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return fmt.Errorf("read: %w", err)
		}
		if id, size, as, ok := quick(line); ok {
			full, ok := ready[as][string(size)]
			if !ok {
				n, err := strconv.Atoi(string(size))
				if err != nil {
					return fmt.Errorf("size %q: %w", size, err)
				}
				full = Answer(as, n)
				ready[as][string(size)] = full
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

// quick reads a call exactly as AppendCall writes it.
func quick(line []byte) (id, size []byte, as Era, ok bool) {
	rest, ok := bytes.CutPrefix(line, []byte(callHead))
	if !ok || len(rest) < IDDigits {
		return nil, nil, "", false
	}
	id, rest = rest[:IDDigits], rest[IDDigits:]
	if rest, ok = bytes.CutPrefix(rest, []byte(callMiddle)); !ok {
		return nil, nil, "", false
	}
	size, rest, _ = bytes.Cut(rest, []byte("}"))
	switch string(rest) {
	case callEnd[1:]:
		return id, size, Legacy, true
	case modernEnd[1:]:
		return id, size, Modern, true
	}
	return nil, nil, "", false
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
			Notifications json.RawMessage `json:"notifications"`
			Meta          struct {
				Protocol string `json:"io.modelcontextprotocol/protocolVersion"`
			} `json:"_meta"`
		} `json:"params"`
	}
	if err := json.Unmarshal(line, &m); err != nil {
		return nil, fmt.Errorf("a line that is no message: %w", err)
	}
	if m.ID == nil {
		return nil, nil
	}
	as, end, hints := Legacy, "", ""
	if m.Params.Meta.Protocol != "" {
		as, end, hints = Modern, complete, cached
	}
	result := func(members string) []byte {
		return fmt.Appendf(nil, "{\"jsonrpc\":\"2.0\",\"id\":%s,\"result\":{%s}}\n", m.ID, members)
	}
	const tools = `"capabilities":{"tools":{"listChanged":true}}`
	switch {
	case m.Method == "tools/list":
		return result(`"tools":[{"name":"echo","description":"Answers with so many bytes","inputSchema":{"type":"object","properties":{"size":{"type":"integer"}},"required":["size"]}}]` + hints + end), nil
	case m.Method == "tools/call":
		full := Answer(as, m.Params.Arguments.Size)
		return append(append([]byte(AnswerHead), m.ID...), full[len(AnswerHead)+IDDigits:]...), nil
	case as == Legacy && m.Method == "initialize":
		return result(fmt.Sprintf(`"protocolVersion":%q,%s,"serverInfo":{"name":"echo","version":"1"}`, m.Params.Protocol, tools)), nil
	case as == Legacy && m.Method == "ping":
		return result(""), nil
	case as == Modern && m.Method == "server/discover":
		return result(`"supportedVersions":["2026-07-28"],` + tools + hints + end), nil
	case as == Modern && m.Method == "subscriptions/listen":
		return fmt.Appendf(nil, `{"jsonrpc":"2.0","method":"notifications/subscriptions/acknowledged","params":{"notifications":%s,"_meta":{"io.modelcontextprotocol/subscriptionId":%s}}}`+"\n", m.Params.Notifications, m.ID), nil
	default:
		return fmt.Appendf(nil, `{"jsonrpc":"2.0","id":%s,"error":{"code":-32601,"message":"method not found"}}`+"\n", m.ID), nil
	}
}
