package proxy

import (
	"context"
	"encoding/json"
	"errors"
	"maps"
	"slices"
	"sync"

	"github.com/sallyport/sallyport/proxy/control"
	"github.com/sallyport/sallyport/proxy/inspect"
	"github.com/sallyport/sallyport/proxy/pin"
	"github.com/sallyport/sallyport/proxy/vocab"
)

// gatekeeper is a hub in memory: it approves what approve says and keeps every report and record.
type gatekeeper struct {
	mu       sync.Mutex
	state    *control.State
	subs     []func(bool)
	approve  func(pin.Item) bool
	approved map[string][]pin.Digest
	schemas  map[pin.Digest]json.RawMessage // of approved definitions, as pinned
	away     bool
	reports  []control.Report
	records  []control.Record
	settings map[string]string
	tools    map[string]map[string]string // settings of single tools
	waiting  control.Waiting
	slow     chan struct{} // if set, Report waits for it
	held     []control.Held
	unkept   error         // the result of Hold
	holding  chan struct{} // if set, Hold waits for it
	takes    []control.Take
	taken    control.Taken // the result of Take
	calls    []control.Call
	// callAnswer is the result of Call
	callAnswer control.CallAnswer
	calling    chan struct{} // if set, Call waits for it
	came, said []control.Values
	knowing    chan struct{} // if set, Came waits for it
	taking     chan struct{} // if set, Take waits for it
	released   []control.Released
	excepted   []control.Exception
	rules      []byte
	ownTools   string // where the hub wants our tools listed

	guard        func(context.Context, control.Guard) (control.Guarded, error) // asks the providers; nil: the hub is away
	unseen       []control.Unseen
	shortened    [][]string     // of greetings
	eras         []control.Eras // as the session reported them
	knownEras    control.Eras   // as the hub knows them
	launch       *control.LaunchState
	interactions []control.Interaction
	asks         []control.Allowed

	tasks   []control.Task
	keeping chan struct{} // if set, KeepTask waits for it
	seeking chan struct{} // if set, KnownTasks waits for it
	sought  []string      // ids that KnownTasks was asked for
}

func newGatekeeper() *gatekeeper {
	g := &gatekeeper{approved: map[string][]pin.Digest{}, schemas: map[pin.Digest]json.RawMessage{}, settings: map[string]string{}, approve: func(pin.Item) bool { return false }}
	g.state = &control.State{Name: "weather", Items: map[string]control.ItemState{}}
	g.push()
	return g
}

func (g *gatekeeper) State() *control.State { g.mu.Lock(); defer g.mu.Unlock(); return g.state }

func (g *gatekeeper) Subscribe(f func(bool)) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.subs = append(g.subs, f)
}

func (g *gatekeeper) Report(ctx context.Context, r control.Report) (*control.State, error) {
	g.mu.Lock()
	away, slow := g.away, g.slow
	g.mu.Unlock()
	if slow != nil {
		select {
		case <-slow:
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
	if away {
		return nil, errors.New("no hub")
	}
	g.mu.Lock()
	g.reports = append(g.reports, r)
	for _, item := range r.Items {
		if g.approve(item) {
			g.approved[item.Key()] = []pin.Digest{item.Digest}
			if output := pin.OutputSchema(item.Raw); output != nil {
				g.schemas[item.Digest] = output
			}
		}
	}
	g.mu.Unlock()
	g.push()
	return g.State(), nil
}

func (g *gatekeeper) Record(r control.Record) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.records = append(g.records, r)
}

func (g *gatekeeper) Attention(context.Context, string) (control.Waiting, error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.away {
		return control.Waiting{}, errors.New("no hub")
	}
	return g.waiting, nil
}

func (g *gatekeeper) Hold(_ context.Context, h control.Held) (control.Kept, error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.unkept != nil {
		return control.Kept{}, g.unkept
	}
	g.held = append(g.held, h)
	g.waitFor(g.holding)
	if g.away {
		return control.Kept{}, nil
	}
	return control.Kept{Code: "HELD"}, nil
}

// waitFor is a hub that answers only once done is closed; nil: at once. g.mu is held before and after.
func (g *gatekeeper) waitFor(done <-chan struct{}) {
	if done != nil {
		g.mu.Unlock()
		<-done
		g.mu.Lock()
	}
}

func (g *gatekeeper) Take(_ context.Context, t control.Take) (control.Taken, error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.away {
		return control.Taken{}, errors.New("no hub")
	}
	g.takes = append(g.takes, t)
	g.waitFor(g.taking)
	return g.taken, nil
}

// push rebuilds the state from what is approved and sends it to the session.
func (g *gatekeeper) Guard(ctx context.Context, q control.Guard) (control.Guarded, error) {
	g.mu.Lock()
	guard := g.guard
	g.mu.Unlock()
	if guard == nil {
		return control.Guarded{}, errors.New("the hub is away")
	}
	return guard(ctx, q)
}

func (g *gatekeeper) Unseen(u control.Unseen) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.unseen = append(g.unseen, u)
}

func (g *gatekeeper) Shortened(s control.Shortened) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.shortened = append(g.shortened, s.Members)
}

func (g *gatekeeper) Eras(e control.Eras) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.eras = append(g.eras, e)
}

func (g *gatekeeper) KeepTask(_ context.Context, t control.Task) error {
	g.mu.Lock()
	keeping, unkept := g.keeping, g.unkept
	g.mu.Unlock()
	if keeping != nil {
		<-keeping
	}
	if unkept != nil {
		return unkept
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	g.tasks = append(g.tasks, t)
	return nil
}

func (g *gatekeeper) KnownTasks(_ context.Context, ids []string) (known []control.Task, _ error) {
	g.mu.Lock()
	seeking := g.seeking
	g.mu.Unlock()
	if seeking != nil {
		<-seeking
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	g.sought = append(g.sought, ids...)
	if g.away {
		return nil, errors.New("no hub")
	}
	for _, t := range g.tasks {
		if slices.Contains(ids, t.ID) {
			known = append(known, t)
		}
	}
	return known, nil
}

func (g *gatekeeper) Interaction(_ context.Context, i control.Interaction) (control.Kept, error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.away {
		return control.Kept{}, errors.New("no hub")
	}
	g.interactions = append(g.interactions, i)
	return control.Kept{Code: "NT3R"}, nil
}

func (g *gatekeeper) Came(_ context.Context, v ...control.Values) error {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.came = append(g.came, v...)
	if g.away {
		return errors.New("no hub")
	}
	g.waitFor(g.knowing)
	return nil
}

func (g *gatekeeper) Said(v control.Values) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.said = append(g.said, v)
}

func (g *gatekeeper) Call(_ context.Context, call control.Call) (control.CallAnswer, error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.away {
		return control.CallAnswer{}, errors.New("no hub")
	}
	g.calls = append(g.calls, call)
	g.waitFor(g.calling)
	answer := g.callAnswer
	if answer.State == "" && call.Check == vocab.CheckFlow {
		answer.State = vocab.CallFree
	}
	if answer.State == vocab.CallGranted {
		g.callAnswer = control.CallAnswer{State: vocab.CallWaiting, Code: "NEXT"} // a grant is for one call
	}
	return answer, nil
}

// askedCalls are the calls that the hub was asked about.
func (g *gatekeeper) askedCalls() []control.Call {
	g.mu.Lock()
	defer g.mu.Unlock()
	return slices.Clone(g.calls)
}

func (g *gatekeeper) push() {
	g.mu.Lock()
	next := &control.State{
		Revision: g.state.Revision + 1, Name: "weather", Open: len(g.approved) > 0, Blocked: g.state.Blocked,
		Items: map[string]control.ItemState{}, Settings: map[string]string{}, Tools: maps.Clone(g.tools),
	}
	next.OwnTools, next.Waiting = g.ownTools, len(g.waiting.Items)
	next.Released, next.Exceptions, next.Asks, next.Rules = g.released, g.excepted, g.asks, g.rules
	next.Launch = g.launch
	next.Eras, next.Flow = g.knownEras, flowKeys
	for k, v := range g.settings {
		next.Settings[k] = v
	}
	if len(g.reports) > 0 {
		for _, item := range g.reports[len(g.reports)-1].Items {
			key := item.Key()
			state := control.ItemState{State: "new", Code: "4F2A"}
			if len(g.approved[key]) > 0 {
				state = control.ItemState{State: "changed", Approved: g.approved[key], Code: "4F2A"}
				if g.approved[key][0] == item.Digest {
					state.State, state.Code = "approved", ""
				}
			}
			next.Items[key] = state
		}
	}
	for key, digests := range g.approved {
		if _, listed := next.Items[key]; !listed {
			next.Items[key] = control.ItemState{State: "removed", Approved: digests}
			if len(g.reports) == 0 {
				next.Items[key] = control.ItemState{State: "approved", Approved: digests}
			}
		}
	}
	for key, item := range next.Items {
		item.Schemas = map[pin.Digest]json.RawMessage{}
		for _, digest := range item.Approved {
			if output := g.schemas[digest]; output != nil {
				item.Schemas[digest] = output
			}
		}
		next.Items[key] = item
	}
	if !next.Open {
		next.Code, next.Kind = "4F2A", "new_server"
	} else {
		next.Kind = "changed"
	}
	g.state = next
	subs := g.subs
	g.mu.Unlock()
	for _, f := range subs {
		f(false)
	}
}

func (g *gatekeeper) set(change func(g *gatekeeper)) {
	g.mu.Lock()
	change(g)
	g.mu.Unlock()
	g.push()
}

func (g *gatekeeper) heldAnswers() []control.Held {
	g.mu.Lock()
	defer g.mu.Unlock()
	return slices.Clone(g.held)
}

func (g *gatekeeper) lastTake() control.Take {
	g.mu.Lock()
	defer g.mu.Unlock()
	if len(g.takes) == 0 {
		return control.Take{}
	}
	return g.takes[len(g.takes)-1]
}

func (g *gatekeeper) reportCount() int { g.mu.Lock(); defer g.mu.Unlock(); return len(g.reports) }

func (g *gatekeeper) lastReport() control.Report {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.reports[len(g.reports)-1]
}

// found are the findings about the server as a whole in the last report.
func (g *gatekeeper) found() []inspect.Finding {
	g.mu.Lock()
	defer g.mu.Unlock()
	if len(g.reports) == 0 {
		return nil
	}
	return g.reports[len(g.reports)-1].Findings
}

func (g *gatekeeper) allRecords() []control.Record {
	g.mu.Lock()
	defer g.mu.Unlock()
	return slices.Clone(g.records)
}

func (g *gatekeeper) recorded(match func(control.Record) bool) bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	for _, r := range g.records {
		if match(r) {
			return true
		}
	}
	return false
}
