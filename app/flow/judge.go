package flow

import (
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/sallyport/sallyport/proxy/control"
	values "github.com/sallyport/sallyport/proxy/flow"
	"github.com/sallyport/sallyport/proxy/pin"
	"github.com/sallyport/sallyport/proxy/powers"
	"github.com/sallyport/sallyport/proxy/vocab"
	"github.com/sallyport/sallyport/store"
)

const (
	maxReasons = 8  // of one call
	maxFrom    = 4  // places that one value came from
	opaque     = 32 // characters of a URL that carry something by their number alone
	leastPart  = 3  // characters of a part of a URL that is compared
	leastSaid  = 8  // of one that is compared for a host that the person used
)

// Verdict is what the rules say about a call.
type Verdict struct {
	Reasons []store.CallReason // why a person is asked, or would be
	Noted   []int              // rules that never ask here
	Grave   bool               // shown as high
}

// Allowed reports whether a person allowed a value for good with the call's tool, under a rule. value is "" if the rule needs none.
type Allowed func(rule int, value string) bool

// ThisCallOnly reports whether a reason has no value that could be allowed with other arguments. An order to open a host has the host.
func ThisCallOnly(rule int, value string) bool {
	return rule == 4 || rule == control.RuleOfOrders && !strings.HasPrefix(value, values.ActOf(values.Visit, ""))
}

// SpelledOut is a reason's value as a person reads it, for a call of item: of what was ordered, nouns are compared by their beginnings alone.
func SpelledOut(r store.CallReason, item string) string {
	if r.Rule != control.RuleOfOrders || !ThisCallOnly(r.Rule, r.Value) {
		return r.Value
	}
	verb, noun, _ := strings.Cut(r.Value, " ")
	name, _ := pin.ToolName(item)
	for _, word := range powers.WordsOf(name) {
		if strings.HasPrefix(word, noun) {
			return verb + " " + word
		}
	}
	return r.Value
}

// Judge says whether a call carries what came out of a server of its client. The values that no server brought are known from then on.
func (f *Flow) Judge(clientName, server string, call control.Call, allowed Allowed) (v Verdict) {
	arguments := values.Arguments(call.Arguments) // without the lock: they can be long
	f.mu.Lock()
	defer f.mu.Unlock()
	if !f.fresh() {
		return v
	}
	f.settle(f.now())
	j := judge{f: f, now: f.now(), c: f.client(clientName), server: server, call: call, allowed: allowed, classes: powers.ClassesNamed(call.Classes...)}
	for n := range arguments {
		j.argument(&arguments[n])
	}
	j.acts()
	if j.classes.Has(powers.ChangesAccess) && !allowed(4, "") { // beside the others: it is what makes the item high
		j.ask(store.CallReason{Rule: 4}, nil)
	}
	j.learn(arguments)
	return j.v
}

// judge is one call.
type judge struct {
	f       *Flow
	now     time.Time
	c       *client
	server  string
	call    control.Call
	classes powers.Classes
	allowed Allowed
	v       Verdict
}

// sight is where a value came from.
type sight struct {
	own   *entry // this server's
	from  []place
	prose bool // in prose of any
	other bool // of another server
	known bool
}

type place struct {
	server string
	e      entry
}

// see looks a value up.
func (j *judge) see(text string) (s sight) {
	f := j.f
	for _, h := range [...]uint64{f.keys.today.Hash(text), f.keys.before.Hash(text)} {
		for server, heard := range j.c.servers {
			e, ok := heard.values[h]
			if !ok || !e.counts(j.now) {
				continue
			}
			if server == j.server {
				s.own = &e
			} else {
				s.other = true
			}
			s.prose = s.prose || e.as&inProse != 0
			s.from = append(s.from, place{server, e})
		}
	}
	k := f.keys.known.Hash(text)
	s.known = f.known.has(j.c.name, k) || f.known.has(j.c.name, withTool(k, j.server, j.call.Item))
	return s
}

// ownField reports whether this server's responses have the value as a field, without a call that gave it before.
func (s *sight) ownField() bool { return s.own != nil && s.own.as&(asField|asSender) != 0 }

// ownSaid reports whether this server's responses have it in any way but as a repetition.
func (s *sight) ownSaid() bool { return s.own != nil && s.own.as&^asEcho != 0 }

// confirmed reports whether this server's responses have it as a field at all: there is such a thing.
func (s *sight) confirmed() bool { return s.own != nil && s.own.as&(asField|asSender|asEcho) != 0 }

// onlySender reports whether the value is known as the one who wrote, and as nothing else.
func (s *sight) onlySender() bool {
	var ways as
	for _, p := range s.from {
		ways |= p.e.as
	}
	return ways&asSender != 0 && ways&(inProse|asField) == 0
}

func (j *judge) argument(a *values.Argument) {
	drawn := powers.IsDestination(a.Member)
	seen := map[string]bool{}
	consider := func(kind values.Kind, text string, wholly bool) {
		if text == "" || seen[text] || len(j.v.Reasons) >= maxReasons {
			return
		}
		seen[text] = true
		j.value(a, kind, text, wholly, drawn)
	}
	for _, v := range a.Values {
		if v.Kind.Destination() {
			consider(v.Kind, v.Text, v.Text == a.Whole)
		}
	}
	for _, v := range a.Values {
		if !v.Prose && !v.Kind.Destination() {
			consider(v.Kind, v.Text, v.Text == a.Whole)
		}
	}
	if drawn {
		consider(values.Whole, a.Whole, true)
	}
}

// value applies the rules about one value of an argument.
func (j *judge) value(a *values.Argument, kind values.Kind, text string, wholly, drawn bool) {
	s := j.see(text)
	carried := kind.Destination() && (wholly || kind != values.Repo && kind != values.Key) || drawn && kind == values.Whole
	gives, acts := j.classes.Has(powers.Gives), j.classes&(powers.Takes|powers.Commits|powers.ChangesAccess) != 0
	reason := func(rule int) store.CallReason {
		return store.CallReason{Rule: rule, At: a.At, Value: text, Kind: kind.String()}
	}
	switch {
	case gives && carried && !s.known && !s.ownField() && (s.prose || s.other) && !j.allows(1, kind, text):
		if s.onlySender() {
			j.note(1)
		} else {
			j.ask(reason(1), s.from)
			return
		}
	case gives && carried && !s.known && !s.ownField() && kind.Destination() && j.c.overflowed(j.now) && !j.allows(1, kind, text):
		r := reason(1)
		r.Overflowed = true
		j.ask(r, nil)
		return
	case acts && !s.known && s.prose && !s.confirmed() && !j.allows(2, kind, text):
		if j.call.Inside {
			j.note(2)
		} else {
			j.ask(reason(2), s.from)
			return
		}
	}
	if j.call.Secret && kind == values.Key && s.other && !s.ownSaid() && !j.allows(6, kind, text) {
		j.ask(reason(6), s.from)
		return
	}
	if j.classes.Has(powers.Reaches) && (kind == values.URL || kind == values.Host) {
		j.reaches(a, kind, text, s, reason)
	}
}

// reaches applies rule 5 to a URL or a host.
func (j *judge) reaches(a *values.Argument, kind values.Kind, text string, s sight, reason func(rule int) store.CallReason) {
	host := values.HostOf(text)
	if j.allows(5, values.Host, host) || j.allows(5, kind, text) {
		return
	}
	h := s
	if kind == values.URL {
		h = j.see(host)
	}
	if !j.call.ReadOnly && !h.known && j.ordered(values.ActOf(values.Visit, host), a.At) {
		return
	}
	if !j.call.ReadOnly && !h.known && h.other && !h.ownSaid() {
		r := reason(5)
		j.ask(r, h.from)
		return
	}
	if kind != values.URL || len(s.from) > 0 || len(h.from) == 0 {
		return
	}
	if from, carries := j.carries(text[len(host):], h.known); carries {
		j.ask(reason(5), append(from, h.from...))
	}
}

// carries reports whether the part of a URL behind its host has a value that came out of a server, or much that no one can read. To a host that
// the person used, only what came out of another server counts.
func (j *judge) carries(rest string, knownHost bool) (from []place, carries bool) {
	for part := range strings.FieldsFuncSeq(rest, func(r rune) bool { return strings.ContainsRune("/?&=#,;:+", r) }) {
		if plain, err := url.PathUnescape(part); err == nil {
			part = plain
		}
		if len(part) < leastPart || knownHost && len(part) < leastSaid {
			continue
		}
		s := j.see(strings.ToLower(part))
		switch {
		case s.known:
		case knownHost && s.other && !s.ownSaid(), !knownHost && len(s.from) > 0:
			return s.from, true
		case !knownHost && len(part) >= opaque && unreadable(part):
			return nil, true
		}
	}
	return nil, false
}

// unreadable reports whether a part of a URL is letters and digits without words.
func unreadable(part string) bool {
	digits, letters := 0, 0
	for _, c := range []byte(part) {
		switch {
		case c >= '0' && c <= '9':
			digits++
		case c >= 'a' && c <= 'z', c >= 'A' && c <= 'Z':
			letters++
		case c == '-' || c == ' ' || c == '_':
			if digits == 0 {
				return false // words with hyphens
			}
		}
	}
	return digits > 0 && letters > 0 || letters >= 2*opaque
}

// allows reports whether a person allowed this for good. A host that is allowed covers its URLs.
func (j *judge) allows(rule int, kind values.Kind, text string) bool {
	return j.allowed(rule, text) || kind == values.URL && j.allowed(rule, values.HostOf(text))
}

// acts applies rule 3: the verb and a noun of the tool's name stand together in an order of an earlier response.
func (j *judge) acts() {
	if j.classes&(powers.Commits|powers.Takes|powers.Gives) == 0 || len(j.v.Reasons) > 0 {
		return
	}
	name, _ := pin.ToolName(j.call.Item)
	for _, act := range values.ActsOf(powers.WordsOf(name)) {
		if j.ordered(act, "") {
			return
		}
	}
}

// ordered asks about an act that a response ordered, once, and reports whether one did. at is where in the arguments it is, "" for nowhere.
func (j *judge) ordered(act, at string) bool {
	s := j.see(act)
	if len(s.from) == 0 || s.known || j.allowed(control.RuleOfOrders, act) {
		return false
	}
	if !slices.ContainsFunc(j.v.Reasons, func(r store.CallReason) bool { return r.Value == act }) {
		j.ask(store.CallReason{Rule: control.RuleOfOrders, At: at, Value: act, Kind: values.Act.String()}, s.from)
	}
	return true
}

func (j *judge) note(rule int) {
	if !slices.Contains(j.v.Noted, rule) {
		j.v.Noted = append(j.v.Noted, rule)
	}
}

// ask adds a reason. from is where its value came from, prose first.
func (j *judge) ask(r store.CallReason, from []place) {
	r.Check = vocab.CheckFlow
	slices.SortStableFunc(from, func(a, b place) int {
		if a.e.as&inProse != b.e.as&inProse {
			return int(b.e.as&inProse) - int(a.e.as&inProse)
		}
		return a.e.from.at.Compare(b.e.from.at)
	})
	for _, p := range from {
		j.v.Grave = j.v.Grave || p.e.from.flagged
		end := store.CallEnd{ServerID: p.server, Item: p.e.from.item, Request: p.e.from.request, Time: p.e.from.at, As: "field", Member: j.f.keys.members[p.e.member]}
		if p.e.as&inProse != 0 {
			end.As, end.Member = "prose", ""
		}
		if len(r.From) < maxFrom {
			r.From = append(r.From, end)
		}
	}
	j.v.Grave = j.v.Grave || r.Rule == 4 || r.Rule == 6
	if len(j.v.Reasons) < maxReasons {
		j.v.Reasons = append(j.v.Reasons, r)
	}
}

// learn makes known what the call brought and no server did. While something that came is missing, destinations are not: they may have been in it.
func (j *judge) learn(arguments []values.Argument) {
	over := j.c.overflowed(j.now)
	if over && len(j.v.Reasons) > 0 {
		return
	}
	for n := range arguments {
		all := arguments[n].Values
		for _, v := range all {
			if v.Kind == values.Act || slices.ContainsFunc(j.v.Reasons, func(r store.CallReason) bool { return r.Value == v.Text }) ||
				over && slices.ContainsFunc(all, func(o values.Value) bool { return o.Text == v.Text && o.Kind.Destination() }) {
				continue
			}
			if !j.c.came(j.f.keys.today.Hash(v.Text), j.now) && !j.c.came(j.f.keys.before.Hash(v.Text), j.now) {
				j.f.known.use(j.c.name, j.f.keys.known.Hash(v.Text), j.now)
			}
		}
	}
}

// Granted makes the values of a call that a person allowed known with its tool.
func (f *Flow) Granted(clientName, server string, call control.Call) {
	arguments := values.Arguments(call.Arguments)
	f.mu.Lock()
	defer f.mu.Unlock()
	if !f.fresh() {
		return
	}
	now := f.now()
	for _, a := range arguments {
		for _, v := range a.Values {
			if v.Kind != values.Act {
				f.known.use(clientName, withTool(f.keys.known.Hash(v.Text), server, call.Item), now)
			}
		}
	}
}
