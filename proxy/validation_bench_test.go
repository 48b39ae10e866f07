package proxy

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"strings"
	"testing"

	"github.com/sallyport/sallyport/proxy/control"
	"github.com/sallyport/sallyport/proxy/pin"
)

const rowsSchema = `{"type":"object","required":["rows"],"properties":{"rows":{"type":"array","items":{"type":"object","required":["id","name"],` +
	`"properties":{"id":{"type":"integer","minimum":0},"name":{"type":"string","maxLength":80},"price":{"type":"number"},"tags":{"type":"array","items":{"type":"string"}}}}}}}`

// BenchmarkValidatedCall is one call whose response has structured content, through a session on real pipes: of a tool without an output schema,
// and of one with, by mode and size.
func BenchmarkValidatedCall(b *testing.B) {
	for _, size := range []int{10_000, 1_000_000} {
		for _, c := range []struct{ name, output, mode string }{
			{"no-schema", "", "warn"}, {"off", rowsSchema, "off"}, {"warn", rowsSchema, "warn"}, {"strict", rowsSchema, "strict"},
		} {
			b.Run(fmt.Sprintf("%s/%dB", c.name, size), func(b *testing.B) { benchmarkValidated(b, c.output, c.mode, size) })
		}
	}
}

// rows is a result of about this size.
func rows(size int) string {
	var b strings.Builder
	b.WriteString(`{"content":[],"structuredContent":{"rows":[`)
	for i := 0; b.Len() < size; i++ {
		if i > 0 {
			b.WriteByte(',')
		}
		fmt.Fprintf(&b, `{"id":%d,"name":"the %d. row","price":%d.25,"tags":["red","round"]}`, i, i, i)
	}
	b.WriteString(`]}}`)
	return b.String()
}

func benchmarkValidated(b *testing.B, output, mode string, size int) {
	pipe := func() (*os.File, *os.File) {
		r, w, err := os.Pipe()
		if err != nil {
			b.Fatal(err)
		}
		b.Cleanup(func() { r.Close(); w.Close() })
		return r, w
	}
	clientOut, clientIn := pipe()
	toClient, sessionOut := pipe()
	toServer, sessionUp := pipe()
	serverOut, serverIn := pipe()
	tool := `{"name":"rows","inputSchema":{"type":"object"}}`
	if output != "" {
		tool = strings.Replace(tool, `}}`, `},"outputSchema":`+output+`}`, 1)
	}
	item, err := pin.ItemOf(pin.Tool, []byte(tool))
	if err != nil {
		b.Fatal(err)
	}
	state := control.ItemState{State: "approved", Approved: []pin.Digest{item.Digest}}
	if output != "" {
		state.Schemas = map[pin.Digest]json.RawMessage{item.Digest: json.RawMessage(output)}
	}
	gate := &openGate{&control.State{Revision: 1, Name: "bench", Open: true, Items: map[string]control.ItemState{"tool:rows": state}, Settings: map[string]string{"output_validation.mode": mode}}}
	result := rows(size)
	go func() {
		in, out := bufio.NewReaderSize(toServer, 64<<10), bufio.NewWriterSize(serverIn, 64<<10)
		for {
			line, err := in.ReadSlice('\n')
			if err != nil {
				return
			}
			answer := result
			switch {
			case bytes.Contains(line, []byte(`"initialize"`)):
				answer = `{"protocolVersion":"2025-06-18","capabilities":{"tools":{}},"serverInfo":{"name":"s","version":"1"}}`
			case bytes.Contains(line, []byte(`"tools/list"`)):
				answer = `{"tools":[` + tool + `]}`
			case !bytes.Contains(line, []byte(`"id":`)):
				continue
			}
			out.WriteString(whole(between(string(line), `"id":`, `,`), `"result":`+answer) + "\n")
			out.Flush()
		}
	}()
	s := New(Config{FromClient: clientOut, ToClient: sessionOut, FromServer: serverOut, ToServer: sessionUp, Gate: gate})
	ctx, cancel := context.WithCancel(context.Background())
	b.Cleanup(cancel)
	go s.Run(ctx)
	answers := bufio.NewReaderSize(toClient, 2<<20)
	id := 0
	call := func() {
		id++
		fmt.Fprintf(clientIn, `{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":"rows","arguments":{}}}`+"\n", id)
		line, err := answers.ReadSlice('\n')
		if err != nil || len(line) < size {
			b.Fatalf("%.200s, %v", line, err)
		}
	}
	io.WriteString(clientIn, `{"jsonrpc":"2.0","id":0,"method":"initialize","params":{}}`+"\n")
	if _, err := answers.ReadSlice('\n'); err != nil {
		b.Fatal(err)
	}
	io.WriteString(clientIn, `{"jsonrpc":"2.0","method":"notifications/initialized"}`+"\n")
	call() // compiles the schema
	b.ReportAllocs()
	for b.Loop() {
		call()
	}
}
