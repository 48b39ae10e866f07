package providers

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/sallyport/sallyport/app/office"
	"github.com/sallyport/sallyport/proxy/inspect/legible"
	"github.com/sallyport/sallyport/proxy/vocab"
	"github.com/sallyport/sallyport/store"
)

// news tells a person which providers fail: as a problem while it lasts, and as a record when it begins and ends. Nobody who asks a provider
// waits for it.
type news struct {
	office *office.Office
	wake   chan struct{}

	mu      sync.Mutex
	waiting []event
	failing map[string]string // why, by provider
	times   []time.Time       // of the records of the last minute
}

// event is that a provider stopped working, or works again.
type event struct {
	provider, why string
	failing       bool
}

const (
	// maxRecords is how many records a minute this leaves in the timeline, whatever providers do.
	maxRecords = 20
	// maxNews is how many events can wait for the disk.
	maxNews = 64
)

func newNews(o *office.Office) *news {
	return &news{office: o, wake: make(chan struct{}, 1), failing: map[string]string{}}
}

// add never blocks.
func (n *news) add(provider string, failing bool, why string) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if len(n.waiting) < maxNews {
		n.waiting = append(n.waiting, event{provider, why, failing})
	}
	n.poke()
}

func (n *news) poke() {
	select {
	case n.wake <- struct{}{}:
	default:
	}
}

// restart forgets who failed, except for those that can't work.
func (n *news) restart(unable map[string]string) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.waiting, n.failing = nil, unable
	n.poke()
}

// tell is the goroutine that writes.
func (n *news) tell(closing <-chan struct{}) {
	for {
		select {
		case <-closing:
			return
		case <-n.wake:
		}
		records := n.take()
		n.office.Lock()
		n.problem()
		usable := n.office.Usable() == nil
		n.office.Unlock()
		if !usable || len(records) == 0 {
			continue
		}
		_, err := n.office.Store.AppendNow(records...) // without the lock: nobody waits for this disk
		n.office.Lock()
		_ = n.office.Failed(err)
		n.office.Changed()
		n.office.Unlock()
	}
}

// take are the records of what happened, as many as may be written now.
func (n *news) take() (records []store.Record) {
	n.mu.Lock()
	defer n.mu.Unlock()
	now := n.office.Now()
	for _, e := range n.waiting {
		status, summary := vocab.StatusOK, "works again"
		if delete(n.failing, e.provider); e.failing {
			n.failing[e.provider] = e.why
			status, summary = vocab.StatusWarned, "failed three times in a row and is not asked for 30 seconds: "+e.why
		}
		n.times = slices.DeleteFunc(n.times, func(t time.Time) bool { return now.Sub(t) >= time.Minute })
		if len(n.times) == maxRecords {
			continue
		}
		n.times = append(n.times, now)
		records = append(records, n.office.Record(vocab.RecordProblem, status, store.Record{
			Summary: "guardrail provider " + e.provider + " " + summary,
			Detail:  office.Detail(map[string]any{"check": "guardrail", "provider": e.provider, "error": e.why}),
		}))
	}
	n.waiting = nil
	return records
}

// problem shows who fails now. The caller holds the office's lock.
func (n *news) problem() {
	n.mu.Lock()
	defer n.mu.Unlock()
	if len(n.failing) == 0 {
		n.office.Solved(office.ProblemGuardrail)
		return
	}
	var words []string
	for _, name := range slices.Sorted(maps.Keys(n.failing)) {
		words = append(words, fmt.Sprintf("guardrail provider %s: %s", name, n.failing[name]))
	}
	n.office.Problem(office.ProblemGuardrail, legible.Escape(strings.Join(words, "; ")),
		"try it with `sallyport guardrail test NAME`; until it works, guardrail.on_error decides about the responses it should check")
}
