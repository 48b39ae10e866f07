package proxy

import (
	"context"
	"io"
	"strings"
	"testing"
	"time"
	"unsafe"

	"github.com/sallyport/sallyport/proxy/control"
	"github.com/sallyport/sallyport/proxy/pin"
)

// BenchmarkLines measures what one call costs a session without system calls: its two lines, in memory, in each of the protocol's eras.
func BenchmarkLines(b *testing.B) {
	item, err := pin.ItemOf(pin.Tool, []byte(echoTool))
	if err != nil {
		b.Fatal(err)
	}
	for _, c := range []struct{ name, text string }{
		{"one word", strings.Repeat("x", 60)},
		{"a sentence", "The file has 12 lines, of which three were changed since then."},
		{"10 KB", strings.Repeat("the quick brown fox jumps over the lazy dog; ", 220)},
	} {
		for _, as := range []era{eraLegacy, eraModern} {
			b.Run(as.String()+"/"+c.name, func(b *testing.B) { benchmarkLines(b, item, as, c.text) })
		}
	}
}

func benchmarkLines(b *testing.B, item pin.Item, as era, text string) {
	gate := &openGate{&control.State{Revision: 1, Name: "bench", Open: true, Items: map[string]control.ItemState{
		"tool:echo": {State: "approved", Approved: []pin.Digest{item.Digest}},
	}}}
	fromServer, answers := io.Pipe()
	asked, toServer := io.Pipe()
	fromClient, client := io.Pipe()
	s := New(Config{FromClient: fromClient, ToClient: io.Discard, FromServer: fromServer, ToServer: toServer, Gate: gate})
	ctx, cancel := context.WithCancel(context.Background())
	go s.Run(ctx)
	go func() {
		for buf := make([]byte, 1<<16); ; {
			n, err := asked.Read(buf)
			if err != nil {
				return
			}
			for _, line := range strings.SplitAfter(string(buf[:n]), "\n") {
				io.WriteString(answers, benchResponse(line, "x"))
			}
		}
	}()
	for _, line := range benchOpening(as) {
		io.WriteString(client, line)
	}
	for s.calls.peek([]byte("1")) != nil || !s.view().Open() {
		time.Sleep(time.Millisecond)
	}
	time.Sleep(50 * time.Millisecond)
	s.server.out, s.client.out = io.Discard, io.Discard
	s.server.Cork()
	s.client.Cork()
	call := []byte(benchCall(as, 1000000001, `"size":200`))
	answer := []byte(benchResult(as, "1000000001", `"content":[{"type":"text","text":"`+text+`"}],"structuredContent":{"rows":[{"id":0}]}`))
	b.SetBytes(int64(len(call) + len(answer)))
	b.ReportAllocs()
	b.ResetTimer()
	for range b.N {
		s.fromClient(call)
		s.fromServer(answer)
	}
	b.StopTimer()
	cancel()
	client.Close()
	answers.Close()
}

// The runtime keeps the pointers of objects up to 512 bytes beside them, and those of larger ones under a header of their own.
func TestARequestIsSmall(t *testing.T) {
	if size := unsafe.Sizeof(request{}); size > 512 {
		t.Errorf("a request has %d bytes", size)
	}
}
