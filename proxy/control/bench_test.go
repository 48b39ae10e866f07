//go:build linux

package control

import (
	"context"
	"testing"
	"time"

	"github.com/sallyport/sallyport/proxy/peer"
)

// What a session pays for a record.
func BenchmarkEnqueue(b *testing.B) {
	o := newOutbox(b.TempDir(), testRegister("one"), func() *SpoolKey { return nil }, maxSpool, nil)
	r := Record{ID: "x", Time: time.Now(), Kind: "tool_call", Status: "ok", Server: "server", Tool: "echo"}
	b.ReportAllocs()
	for n := 1; b.Loop(); n++ {
		if o.add(r); n%maxBatchRecords == 0 {
			o.take()
		}
	}
}

// The same while the records are sent as fast as they come, to a hub in this process.
func BenchmarkRecordFlood(b *testing.B) {
	h := testHome(b)
	serveHub(b, h, newTestHub(), Options{})
	l := testLink(b, LinkOptions{Home: h})
	if err := l.WaitState(testContext(b)); err != nil {
		b.Fatal(err)
	}
	r := Record{ID: "x", Time: time.Now(), Kind: "tool_call", Status: "ok", Server: "server", Tool: "echo"}
	b.ReportAllocs()
	for b.Loop() {
		l.Record(r)
	}
}

// From nothing to the first state, both proofs included.
func BenchmarkDialHelloRegister(b *testing.B) {
	h := testHome(b)
	serveHub(b, h, newTestHub(), Options{})
	ctx := context.Background()
	register := testRegister("one")
	for b.Loop() {
		c, err := Dial(ctx, h, RoleWrapper)
		if err != nil {
			b.Fatal(err)
		}
		if _, err := c.Register(ctx, register, func(State) {}); err != nil {
			b.Fatal(err)
		}
		c.Close()
	}
}

func BenchmarkCall(b *testing.B) {
	h := testHome(b)
	serveHub(b, h, newTestHub(), Options{})
	c := dial(b, h, RoleCLI)
	ctx := context.Background()
	for b.Loop() {
		if _, err := AskVerify(ctx, c); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkAncestry(b *testing.B) {
	in, err := peer.OurInstallation(installed())
	if err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		if in.Descends(1, nil) {
			b.Fatal("the first process is a wrapper")
		}
	}
}
