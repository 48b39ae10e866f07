package proxy

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"strings"
	"testing"

	"github.com/sallyport/sallyport/proxy/control"
	"github.com/sallyport/sallyport/proxy/pin"
	"github.com/sallyport/sallyport/proxy/vocab"
)

// openGate approves everything and drops all reports and records.
type openGate struct{ state *control.State }

func (g *openGate) State() *control.State { return g.state }
func (g *openGate) Subscribe(func(bool))  {}
func (g *openGate) Report(context.Context, control.Report) (*control.State, error) {
	return g.state, nil
}
func (g *openGate) Record(control.Record) {}
func (g *openGate) Guard(context.Context, control.Guard) (control.Guarded, error) {
	return control.Guarded{}, nil
}
func (g *openGate) Attention(context.Context, string) (control.Waiting, error) {
	return control.Waiting{}, nil
}

func (g *openGate) Hold(context.Context, control.Held) (control.Kept, error) {
	return control.Kept{}, nil
}
func (g *openGate) Take(context.Context, control.Take) (control.Taken, error) {
	return control.Taken{}, nil
}

func (g *openGate) KeepTask(context.Context, control.Task) error { return nil }
func (g *openGate) KnownTasks(context.Context, []string) ([]control.Task, error) {
	return nil, nil
}
func (g *openGate) Unseen(control.Unseen) {}
func (g *openGate) Eras(control.Eras)     {}

func (g *openGate) Shortened(control.Shortened) {}

func (g *openGate) Call(context.Context, control.Call) (control.CallAnswer, error) {
	return control.CallAnswer{State: vocab.CallFree}, nil
}
func (g *openGate) Came(context.Context, ...control.Values) error { return nil }
func (g *openGate) Said(control.Values)                           {}
func (g *openGate) Interaction(context.Context, control.Interaction) (control.Kept, error) {
	return control.Kept{}, nil
}

// BenchmarkCall is one call through a session on real pipes, against a relay that only copies, by size of the response and
// number of calls in flight; in the modern era; and with every response spotlighted.
func BenchmarkCall(b *testing.B) {
	for _, c := range []struct{ size, inFlight int }{{200, 1}, {200, 64}, {10_000, 1}, {1_000_000, 1}} {
		for _, way := range []struct {
			name string
			as   era
		}{{"copy", eraLegacy}, {"session", eraLegacy}, {"spotlight", eraLegacy}, {"copy modern", eraModern}, {"session modern", eraModern}} {
			b.Run(fmt.Sprintf("%s/%dB/%d", way.name, c.size, c.inFlight), func(b *testing.B) {
				benchmarkCall(b, way.name, way.as, c.size, c.inFlight)
			})
		}
	}
}

func benchmarkCall(b *testing.B, way string, as era, size, inFlight int) {
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
	item, err := pin.ItemOf(pin.Tool, []byte(echoTool))
	if err != nil {
		b.Fatal(err)
	}
	gate := &openGate{&control.State{Revision: 1, Name: "bench", Open: true, Items: map[string]control.ItemState{
		"tool:echo": {State: "approved", Approved: []pin.Digest{item.Digest}},
	}}}
	go func() {
		const words = `the quick brown fox\njumps over \"the\" lazy dog; `
		text := strings.Repeat(words, size/len(words)+1)[:size/len(words)*len(words)]
		_, head, _ := strings.Cut(benchResult(as, "", `"content":[{"type":"text","text":"TEXT"}]`), `"id":`)
		head, tail, _ := strings.Cut(head, "TEXT")
		in, out := bufio.NewReaderSize(toServer, 64<<10), bufio.NewWriterSize(serverIn, 64<<10)
		for {
			line, err := in.ReadSlice('\n')
			if err != nil {
				return
			}
			if id := between(string(line), `"id":`, `,`); bytes.Contains(line, []byte(`"tools/call"`)) {
				out.WriteString(`{"jsonrpc":"2.0","id":` + id + head)
				out.WriteString(text)
				out.WriteString(tail)
			} else {
				out.WriteString(benchResponse(string(line), ""))
			}
			if in.Buffered() == 0 {
				out.Flush()
			}
		}
	}()
	if way == "spotlight" {
		gate.state.Settings = map[string]string{"spotlight": "on"}
	}
	if !strings.HasPrefix(way, "copy") {
		s := New(Config{FromClient: clientOut, ToClient: sessionOut, FromServer: serverOut, ToServer: sessionUp, Gate: gate})
		ctx, cancel := context.WithCancel(context.Background())
		b.Cleanup(cancel)
		go s.Run(ctx)
	} else {
		go io.Copy(struct{ io.Writer }{sessionUp}, struct{ io.Reader }{clientOut})
		go io.Copy(struct{ io.Writer }{sessionOut}, struct{ io.Reader }{serverOut})
	}
	answers := bufio.NewReaderSize(toClient, 64<<10)
	next := func() {
		for {
			_, err := answers.ReadSlice('\n')
			if err == bufio.ErrBufferFull {
				continue
			}
			if err != nil {
				b.Fatal(err)
			}
			return
		}
	}
	for _, lines := range benchOpening(as) {
		io.WriteString(clientIn, lines)
		next()
	}
	id := 1
	call := func(n int) {
		var calls []byte
		for range n {
			id++
			calls = append(calls, benchCall(as, id, `"text":"x"`)...)
		}
		clientIn.Write(calls)
	}
	b.ResetTimer()
	b.ReportAllocs()
	call(min(inFlight, b.N))
	for sent, done := min(inFlight, b.N), 0; done < b.N; {
		got := 0
		for next(); ; next() {
			got++
			if done+got == b.N || answers.Buffered() == 0 {
				break
			}
		}
		done += got
		if more := min(got, b.N-sent); more > 0 {
			call(more)
			sent += more
		}
	}
}
