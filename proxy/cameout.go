package proxy

import (
	"bytes"
	"context"
	"encoding/binary"
	"hash/maphash"
	"strings"
	"sync"
	"time"

	"github.com/sallyport/sallyport/proxy/control"
	"github.com/sallyport/sallyport/proxy/declared"
	"github.com/sallyport/sallyport/proxy/flow"
	"github.com/sallyport/sallyport/proxy/frame"
	"github.com/sallyport/sallyport/proxy/inspect"
	"github.com/sallyport/sallyport/proxy/inspect/secrets"
	"github.com/sallyport/sallyport/proxy/policy"
)

const (
	// cameLimit is how long a response waits for a hub that is there and doesn't answer. It is delivered then: no call that would carry a value of it
	// passes such a hub.
	cameLimit = time.Second
	// tellAgain is after how long a value that came again is told again, so that the hub counts from the last time.
	tellAgain = 10 * time.Minute
	// maxTold is how many values are remembered as told.
	maxTold = control.MaxServerValues
)

// cameOut tells the hub which values came out of the server, and which the client's calls brought (flow.policy). A response with new values is
// delivered once the hub knows them.
type cameOut struct {
	gate   Gatekeeper
	client func() string // its name
	pool   sync.Pool     // of *gatherer

	mu   sync.Mutex
	keys control.FlowKeys
	told map[uint64]int64 // when values of responses were told, in seconds
	said map[uint64]struct{}
}

// gatherer takes the values of one text. It is reused.
type gatherer struct {
	keys       control.FlowKeys
	day, known *flow.Hasher
	heard      func(f inspect.Field) // takes the values of a field
	seen       map[uint64]struct{}   // in this text
	recent     [recently]uint64      // the last of them
	members    map[string]uint64
	by         [4][]flow.Hashed // by what goes first if there are too many
	left       bool
}

var flowSeed = maphash.MakeSeed()

// spread makes every bit of a small number count: 2^64 divided by the golden ratio.
const spread = 0x9e3779b97f4a7c15

func (c *cameOut) gatherer(keys control.FlowKeys) *gatherer {
	g, _ := c.pool.Get().(*gatherer)
	if g == nil || !bytes.Equal(g.keys.Day, keys.Day) || !bytes.Equal(g.keys.Known, keys.Known) {
		g = &gatherer{keys: keys, day: flow.NewHasher(keys.Day), known: flow.NewHasher(keys.Known), seen: map[uint64]struct{}{}, members: map[string]uint64{}}
		g.heard = flow.Heard(g.take)
	}
	return g
}

// release gives it back, unless a large text made it large.
func (c *cameOut) release(g *gatherer) {
	if len(g.seen) > maxKeptSeen {
		return
	}
	clear(g.seen)
	clear(g.recent[:])
	for i := range g.by {
		g.by[i] = g.by[i][:0]
	}
	g.left = false
	c.pool.Put(g)
}

// recently is how many values are known without a look into the map.
const recently = 128

// maxKeptSeen and maxMembers are how many values and names a gatherer keeps room for.
const (
	maxKeptSeen = 4096
	maxMembers  = 256
)

// take is given each value of a text.
func (g *gatherer) take(v flow.Value) {
	mark := uint64(v.Kind) << 1
	if v.Prose {
		mark |= 1
	}
	var member uint64
	if v.Member != "" && !v.Prose {
		member = g.memberOf(v.Member)
	}
	same := maphash.String(flowSeed, v.Text) ^ mark*spread ^ member
	latest := &g.recent[same%recently]
	if *latest == same { // rows repeat their words
		return
	}
	*latest = same
	if _, twice := g.seen[same]; twice {
		return
	}
	at := 3 // a field
	switch {
	case v.Kind.Destination() && v.Prose:
		at = 0
	case v.Kind.Destination():
		at = 1
	case v.Prose:
		at = 2
	}
	if len(g.by[at]) >= flow.MaxValues {
		g.left = g.left || v.Kind.Destination()
		return
	}
	g.seen[same] = struct{}{}
	g.by[at] = append(g.by[at], flow.Hashed{Hash: g.day.Hash(v.Text), Member: member, Kind: v.Kind, Prose: v.Prose})
}

// memberOf is the hash of a member's name. Rows have the same ones again and again.
func (g *gatherer) memberOf(name string) uint64 {
	of, ok := g.members[name]
	if !ok {
		of = g.day.Hash(name)
		if len(g.members) < maxMembers {
			g.members[strings.Clone(name)] = of
		}
	}
	return of
}

// wire is what was taken, at most flow.MaxValues: destinations before names, and prose before fields.
func (g *gatherer) wire() (came []byte, left bool) {
	n := min(len(g.by[0])+len(g.by[1])+len(g.by[2])+len(g.by[3]), flow.MaxValues)
	if n == 0 {
		return nil, g.left
	}
	came = make([]byte, 0, n*flow.HashedSize)
	left = g.left
	for _, some := range g.by {
		for _, v := range some {
			if len(came) == n*flow.HashedSize {
				return came, left || v.Kind.Destination()
			}
			came = v.Append(came)
		}
	}
	return came, left
}

// on reports whether values are taken under a policy.
func (c *cameOut) on(p *policy.Wrapper) bool {
	return (p.Flow == "ask" || p.Flow == "note") && len(c.gate.State().Flow.Day) > 0
}

// taken are the values of one text, as they go to the hub.
type taken struct {
	came []byte
	left bool
	keys control.FlowKeys
}

// take takes the values of a text.
func (c *cameOut) take(raw []byte) taken {
	g := c.listen()
	flow.Response(raw, g.take)
	return c.heard(g)
}

// listen begins to take the values of a text that is read by somebody else, field by field (gatherer.heard).
func (c *cameOut) listen() *gatherer { return c.gatherer(c.gate.State().Flow) }

// heard are the values of a text that was read to its end.
func (c *cameOut) heard(g *gatherer) taken {
	t := taken{keys: g.keys}
	t.came, t.left = g.wire()
	c.release(g)
	return t
}

// takeBeside begins to take the values of a text, and returns what waits for them. Nobody may change the text until then.
func (c *cameOut) takeBeside(raw []byte) (wait func() taken) {
	type end struct {
		taken taken
		fault any
	}
	done := make(chan end, 1)
	go func() {
		var e end
		defer func() {
			e.fault = recover()
			done <- e
		}()
		e.taken = c.take(raw)
	}()
	return func() taken {
		e := <-done
		if e.fault != nil {
			panic(e.fault)
		}
		return e.taken
	}
}

// values are those of a text that is about to be delivered. news is false if the hub knows all of them.
func (c *cameOut) values(item string, raw []byte, flagged bool) (v control.Values, news bool) {
	return c.newsOf(c.take(raw), item, flagged)
}

// newsOf is what of a text's values is told. The caller adds the request that they answer.
func (c *cameOut) newsOf(t taken, item string, flagged bool) (v control.Values, news bool) {
	if len(t.came) == 0 && !t.left {
		return v, false
	}
	now := time.Now()
	if c.knows(t.keys, t.came, flagged, now) && !t.left {
		return v, false
	}
	return control.Values{Client: c.client(), Item: item, At: now, Came: t.came, Left: t.left, Flagged: flagged}, true
}

// knows reports whether all values were told a short while ago. It marks the fields that only repeat what a call gave the server: an address that
// the model looks up because a note named it is no address of this server's.
func (c *cameOut) knows(keys control.FlowKeys, came []byte, flagged bool, now time.Time) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.useKeys(keys)
	all := true
	for ; len(came) > 0; came = came[flow.HashedSize:] {
		at, ok := c.told[toldKey(came, flagged)]
		if !ok && c.repeats(came) {
			flow.MarkEcho(came)
			at, ok = c.told[toldKey(came, flagged)]
		}
		all = all && ok && now.Unix()-at <= int64(tellAgain.Seconds())
	}
	return all
}

// repeats reports whether a value is a field that a call gave the server before.
func (c *cameOut) repeats(came []byte) bool {
	one, _ := flow.ReadHashed(came)
	_, given := c.said[one.Hash]
	return given && !one.Prose
}

// toldKey stands for a value and the way in which it came.
func toldKey(came []byte, flagged bool) uint64 {
	if flagged {
		return ^toldKey(came, false)
	}
	return binary.BigEndian.Uint64(came[1:9]) ^ binary.BigEndian.Uint64(came[9:17]) ^ uint64(came[0])<<56
}

func (c *cameOut) useKeys(keys control.FlowKeys) {
	if !bytes.Equal(c.keys.Day, keys.Day) || !bytes.Equal(c.keys.Known, keys.Known) || len(c.told) > maxTold || len(c.said) > maxTold {
		c.keys, c.told, c.said = keys, nil, nil
	}
}

// tell tells the hub. Values that a hub which is away was not told are told to the next one.
func (c *cameOut) tell(all []control.Values) {
	ctx, cancel := context.WithTimeout(context.Background(), cameLimit)
	defer cancel()
	_ = c.gate.Came(ctx, all...)
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.told == nil {
		c.told = map[uint64]int64{}
	}
	for _, v := range all {
		for came := v.Came; len(came) > 0; came = came[flow.HashedSize:] {
			c.told[toldKey(came, v.Flagged)] = v.At.Unix()
		}
	}
}

// saying tells the hub what the arguments of a request bring that is no call, without waiting.
func (c *cameOut) saying(item string, line []byte) {
	params, _ := frame.Find(line, frame.Root(line), "params")
	if params.Empty() {
		return
	}
	raw := params.Of(line)
	for _, part := range [...]string{"arguments", "uri", "argument"} {
		span, ok := frame.Find(raw, frame.Root(raw), part)
		if !ok {
			continue
		}
		said, _ := c.brings(span.Of(raw))
		c.say(item, said)
	}
}

// say tells the hub what brings found.
func (c *cameOut) say(item string, said []byte) {
	if len(said) > 0 {
		c.gate.Said(control.Values{Client: c.client(), Item: item, At: time.Now(), Said: said})
	}
}

// maxSaid is how much of a request's arguments is told: a person's own words are not that long.
const maxSaid = 256 << 10

// brings are the values of arguments that were not told yet, hashed under both keys, and whether something in them has the form of a key, which
// nearly none have.
func (c *cameOut) brings(arguments []byte) (said []byte, key bool) {
	if len(arguments) <= len(`{}`) {
		return nil, false
	}
	if len(arguments) > maxSaid {
		flow.Response(arguments, func(v flow.Value) { key = key || v.Kind == flow.Key })
		return nil, key
	}
	keys := c.gate.State().Flow
	g := c.gatherer(keys)
	defer c.release(g)
	c.mu.Lock()
	defer c.mu.Unlock()
	c.useKeys(keys)
	if c.said == nil {
		c.said = map[uint64]struct{}{}
	}
	flow.Response(arguments, func(v flow.Value) {
		key = key || v.Kind == flow.Key
		if v.Kind == flow.Act {
			return
		}
		hash := g.day.Hash(v.Text)
		if _, told := c.said[hash]; told {
			return
		}
		c.said[hash] = struct{}{}
		said = binary.BigEndian.AppendUint64(said, hash)
		said = binary.BigEndian.AppendUint64(said, g.known.Hash(v.Text))
	})
	return said, key
}

// heldSecret reports whether a call's arguments hold a secret by the precise rules.
func heldSecret(arguments []byte) bool {
	for _, f := range inspect.Arguments(arguments, secrets.Precise) {
		if f.Rule != inspect.SensitivePath {
			return true
		}
	}
	return false
}

// flowOf fills in what the hub needs to apply the rules to a call, and reports whether it has to be asked. said is what the hub is told if not: it
// learns the rest from the question.
func (c *cameOut) flowOf(v *declared.View, item string, arguments []byte, call *control.Call) (said []byte, asks bool) {
	p := v.PolicyOf(item)
	if !c.on(p) {
		return nil, false
	}
	reach := v.ReachOf(item)
	call.Flow, call.Classes, call.ReadOnly, call.Inside = p.Flow, reach.Classes.Names(), reach.ReadOnly, reach.Inside
	said, key := c.brings(arguments)
	call.Secret = key && heldSecret(arguments)
	return said, reach.Classes != 0 || call.Secret
}
