//go:build linux

package control

import "testing"

// A server that dies at once has said why on its stderr, and its wrapper ends before its connection stands.
func TestWhatAServerSaidReachesTheHubThoughItsWrapperEndsBeforeItIsConnected(t *testing.T) {
	h := testHome(t)
	hub := newTestHub()
	serveHub(t, h, hub, Options{})
	for range 20 {
		hub.mu.Lock()
		hub.stderr = nil
		hub.mu.Unlock()
		l := testLink(t, LinkOptions{Home: h})
		l.Stderr([]byte("last words"))
		l.Close(testContext(t))
		within(t, "the words are there", func() bool {
			hub.mu.Lock()
			defer hub.mu.Unlock()
			return string(hub.stderr) == "last words"
		})
	}
}

func TestAWrapperWithoutAHubEndsThoughSomethingWaitsForOne(t *testing.T) {
	l := testLink(t, LinkOptions{Home: testHome(t)})
	l.Stderr([]byte("last words"))
	ctx := testContext(t)
	l.Close(ctx)
	if ctx.Err() != nil {
		t.Fatal("it waited for a hub that nobody starts")
	}
}
