package proxy

import (
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"hash/maphash"
	"maps"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/sallyport/sallyport/proxy/control"
	"github.com/sallyport/sallyport/proxy/inspect"
	"github.com/sallyport/sallyport/proxy/inspect/legible"
	"github.com/sallyport/sallyport/proxy/pin"
	"github.com/sallyport/sallyport/proxy/refusal"
	"github.com/sallyport/sallyport/proxy/vocab"
)

// journal writes this session's activity records. Its methods never wait: Gatekeeper.Record takes a record in nanoseconds.
type journal struct {
	gate    Gatekeeper
	session string
	client  atomic.Pointer[string]

	names maphash.Seed // of requests in records

	mu      sync.Mutex
	tallies map[string]*tally
	stood   map[string]bool // what described has recorded
	asks    askLog
}

func (j *journal) init(cfg Config) {
	j.gate, j.session, j.names = cfg.Gate, cfg.Session, maphash.MakeSeed()
	j.client.Store(&cfg.Client)
	j.tallies, j.stood = map[string]*tally{}, map[string]bool{}
}

func (j *journal) record(kind vocab.RecordKind, status vocab.Status, r control.Record) {
	j.recordAt(time.Now(), kind, status, r)
}

func (j *journal) recordAt(now time.Time, kind vocab.RecordKind, status vocab.Status, r control.Record) {
	r.Time, r.Kind, r.Status = now.UTC(), kind, status
	r.Server, r.Session, r.Client = j.gate.State().Name, j.session, *j.client.Load()
	j.gate.Record(r)
}

// decide records a decision of ours; nothing else writes a policy_decision, but for the ones about a request (about). mode is the value of
// the setting that decided, or vocab.ModeAlways.
func (j *journal) decide(mode string, status vocab.Status, r control.Record) {
	r.Mode = mode
	j.record(vocab.RecordPolicyDecision, status, r)
}

// about records a decision about a request. It is the record of the call, read or prompt; any other request gets a policy_decision, as
// decide writes it.
func (j *journal) about(r *request, mode string, status vocab.Status, rec control.Record) {
	now, kind := time.Now(), r.recordKind()
	if kind == vocab.RecordPolicyDecision {
		rec.Mode = mode
	}
	rec.Request, rec.DurationUS = j.requestID(r), now.Sub(r.started).Microseconds()
	j.recordAt(now, kind, status, rec)
}

// requestID is what all records about one request have in common, and the id of its response if that is held. It is made anew each time
// from when the request came and the id it came with, so that no request needs room for it. A request without an id (the task of a
// notification) has none.
func (j *journal) requestID(r *request) string {
	if len(r.id) == 0 {
		return ""
	}
	return vocab.RecordIDOf(r.started, maphash.Bytes(j.names, r.id))
}

func (j *journal) answered(r *request, status vocab.Status, bytes int) {
	j.answeredAs(r, status, bytes, nil)
}

// answeredAs is answered with more to say, nil for nothing.
func (j *journal) answeredAs(r *request, status vocab.Status, bytes int, more facts) {
	if !r.counts() {
		return
	}
	j.about(r, vocab.ModeAlways, status, control.Record{Tool: r.called(), Detail: r.detail(r.withPayload(more)), Bytes: int64(bytes)})
}

func (j *journal) refused(r *request, why refusal.Reason, d refusal.Decision, ran bool) {
	j.about(r, vocab.ModeAlways, vocab.StatusBlocked, control.Record{
		Tool: r.called(), Code: d.Code, Summary: why.Summary(ran), Detail: r.detail(r.withPayload(facts{"check": "gate"})),
	})
}

// asksFor records a call that was not run because a person decides on it.
func (j *journal) asksFor(r *request, d refusal.Decision, check vocab.CallCheck, why string) {
	j.about(r, "ask", vocab.StatusBlocked, control.Record{Tool: r.called(), Code: d.Code, Summary: why, Detail: r.detail(r.withPayload(facts{"check": check}))})
}

// flowNotes records a call that passed, although it carries what came out of a server. policy is flow.policy: under ask, some rules only note.
func (j *journal) flowNotes(r *request, policy string, rules []int) {
	j.decide(policy, vocab.StatusWarned, control.Record{
		Tool: r.called(), Request: j.requestID(r), Summary: "the call carries what came out of a server", Detail: r.detail(facts{"check": vocab.CheckFlow, "rules": rules}),
	})
}

// tally counts events of one sort.
type tally struct {
	n, said uint64
	record  func(n uint64) // records the last event as the n-th
}

// maxTallies limits the sorts counted at once; one more restarts all counts. A sort may contain an item's code.
const maxTallies = 1000

// often records the first, tenth, hundredth event of a sort and so on, and the last one at the end of the session. A server that sends a
// million of them fills no disk, and the count is in the record.
func (j *journal) often(sort string, record func(n uint64)) {
	j.mu.Lock()
	t := j.tallies[sort]
	if t == nil {
		if len(j.tallies) == maxTallies {
			j.mu.Unlock()
			j.end()
			j.mu.Lock()
			clear(j.tallies)
		}
		t = &tally{}
		j.tallies[sort] = t
	}
	t.n++
	t.record = record
	n, worth := t.n, isPowerOfTen(t.n)
	if worth {
		t.said = n
	}
	j.mu.Unlock()
	if worth {
		record(n)
	}
}

func isPowerOfTen(n uint64) bool {
	for n%10 == 0 && n > 0 {
		n /= 10
	}
	return n == 1
}

// end records what happened since the last report.
func (j *journal) end() {
	j.asks.end(j)
	j.mu.Lock()
	var last []func()
	for _, sort := range slices.Sorted(maps.Keys(j.tallies)) {
		if t := j.tallies[sort]; t.n > t.said {
			t.said = t.n
			n, record := t.n, t.record
			last = append(last, func() { record(n) })
		}
	}
	j.mu.Unlock()
	for _, record := range last {
		record()
	}
}

// counted records now and then how often it came to this under a mode, with the rules of what was found.
func (j *journal) counted(mode, sort string, status vocab.Status, checked string, findings ...inspect.Finding) {
	rules := rulesOf(findings)
	j.often(mode+" "+sort, func(n uint64) {
		said := facts{"check": checked, "count": n}
		if len(rules) > 0 {
			said["rules"] = rules
		}
		j.decide(mode, status, control.Record{Summary: sort, Detail: said.detail()})
	})
}

// cleaned counts definitions and texts that the sanitizer changed.
func (j *journal) cleaned(profile string) {
	j.counted(profile, "a definition was cleaned for the client: it had invisible characters or was too large", vocab.StatusWarned, "sanitizer")
}

// maxStood limits what described remembers.
const maxStood = 4 * pin.MaxItems

// described records what the person's standing rule (inspect.descriptions) did to an item: once for each item, content and setting.
func (j *journal) described(setting, item string, content []byte, s inspect.Standing) {
	one := fmt.Sprintf("%s %s %x", setting, item, sha256.Sum256(content))
	j.mu.Lock()
	said := j.stood[one]
	if len(j.stood) == maxStood { // more than there can be allowed items
		clear(j.stood)
	}
	j.stood[one] = true
	j.mu.Unlock()
	if said {
		return
	}
	status, summary := vocab.StatusWarned, "words in what the server declares were replaced by "+inspect.Redacted
	if s.Withheld {
		status, summary = vocab.StatusBlocked, "left an item out because of the words in what the server declares"
	}
	record := control.Record{Tool: toolIn(item), Summary: summary, Detail: facts{"check": "descriptions", "item": legible.Escape(item), "rules": s.Rules[:min(len(s.Rules), maxRules)]}.detail()}
	j.decide(setting, status, record)
}

// refusedLine counts a line of one side that was not a message, or ambiguous.
func (j *journal) refusedLine(mode, side, why string) {
	j.counted(mode, "blocked a line from the "+side+": "+why, vocab.StatusBlocked, "one_reading")
}

// dropped counts a dropped message. what is in our words.
func (j *journal) dropped(what string) {
	j.counted(vocab.ModeAlways, "dropped: "+what, vocab.StatusBlocked, "protocol")
}

func (j *journal) refusedAsk(method string, d refusal.Decision) {
	j.often("ask", func(n uint64) {
		j.decide(vocab.ModeAlways, vocab.StatusBlocked, control.Record{Code: d.Code, Summary: "blocked a request from the server to the client", Detail: facts{"check": "gate", "count": n, "method": legible.Name(method, "a request of its own")}.detail()})
	})
}

func (j *journal) impersonated() {
	j.counted(vocab.ModeAlways, "removed members that only Sallyport writes from the server's message", vocab.StatusBlocked, "impersonation")
}

// toolIn is the tool of a pin key as a record names it, "" if the key is no tool's.
func toolIn(key string) string {
	name, _ := pin.ToolName(key)
	return recorded(name)
}

func (j *journal) equivocated(key string) {
	j.decide(vocab.ModeAlways, vocab.StatusWarned, control.Record{Tool: toolIn(key), Summary: "an item had two different definitions within a minute, without notice", Detail: facts{"check": "equivocation", "item": legible.Escape(key)}.detail()})
}

func (j *journal) withheld(what string, err error) {
	j.decide(vocab.ModeAlways, vocab.StatusBlocked, control.Record{Summary: "blocked a text that can be read in two ways", Detail: facts{"check": "one_reading", "item": what, "error": legible.Escape(err.Error())}.detail()})
}

func (j *journal) unverified(err error) {
	j.record(vocab.RecordProblem, vocab.StatusBlocked, control.Record{Summary: "couldn't read the server's listings in time; the server is blocked until that works", Detail: facts{"check": control.CheckListings, "error": legible.Escape(err.Error())}.detail()})
}

// facts are what a record says beside its fields.
type facts map[string]any

func (f facts) detail() json.RawMessage {
	encoded, _ := json.Marshal(f)
	return encoded
}
