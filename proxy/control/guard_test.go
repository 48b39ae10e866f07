//go:build linux

package control

import (
	"context"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/sallyport/sallyport/proxy/vocab"
)

// Guard of a test hub waits for the end of the connection if the text says so.
func (h *testHub) Guard(ctx context.Context, _ Wrapper, g Guard) (Guarded, error) {
	if slices.Contains(g.Text, "wait") {
		h.asked.Add(1)
		defer h.asked.Add(-1)
		<-ctx.Done()
	}
	return Guarded{Verdicts: []GuardVerdict{{Provider: "command", Verdict: vocab.VoteAllow}}}, nil
}

func (h *testHub) Guards() ([]GuardProvider, error) { return nil, nil }

func (h *testHub) TestGuard(_ Peer, t GuardTest) (GuardVerdict, error) {
	return GuardVerdict{Provider: t.Provider}, nil
}

// Providers can take their time: the same wrapper's other calls go on, and what is asked ends with the connection.
func TestACallThatWaitsForAProviderDelaysNoOther(t *testing.T) {
	h, hub := testHome(t), newTestHub()
	serveHub(t, h, hub, Options{})
	l := testLink(t, LinkOptions{Home: h})
	ctx := testContext(t)
	if err := l.WaitState(ctx); err != nil {
		t.Fatal(err)
	}
	const waiting = 8
	for range waiting {
		go func() { _, _ = l.Guard(ctx, Guard{Text: []string{"wait"}}) }()
	}
	within(t, "the calls wait in the hub", func() bool { return hub.asked.Load() == waiting })
	if got, err := l.Guard(ctx, Guard{Text: []string{"text"}}); err != nil || len(got.Verdicts) != 1 {
		t.Errorf("a call beside them: %+v %v", got, err)
	}
	if _, err := l.Attention(ctx, "client"); err != nil {
		t.Errorf("another call beside them: %v", err)
	}
	short, cancel := context.WithTimeout(ctx, time.Second)
	defer cancel()
	_ = l.Close(short)
	within(t, "what was asked ends with the connection", func() bool { return hub.asked.Load() == 0 })
}

func TestWithoutAHubNoProviderIsAsked(t *testing.T) {
	l := testLink(t, LinkOptions{Home: testHome(t)})
	if got, err := l.Guard(testContext(t), Guard{Text: []string{"text"}}); err == nil {
		t.Error(fmt.Errorf("answered %+v", got))
	}
}
