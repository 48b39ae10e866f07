package control

import (
	"context"
	"slices"
	"strings"
	"time"

	"github.com/sallyport/sallyport/proxy/vocab"
)

// FlowKeys are the keys under which a wrapper hashes values before the hub hears of them (flow.Hasher).
type FlowKeys struct {
	Day   []byte `json:"day,omitempty"`   // of today
	Known []byte `json:"known,omitempty"` // of what a person used; always the same
}

// Values are what a call brought, or what a response held: hashes, never text.
type Values struct {
	Client  string    `json:"client,omitempty"` // value of --client, else the client's own name
	Item    string    `json:"item,omitempty"`   // pin key of the tool or other item, or the method
	Request string    `json:"request,omitempty"`
	At      time.Time `json:"at"`
	// Said are the values of a call's arguments, each as 8 bytes under FlowKeys.Day and 8 under FlowKeys.Known.
	Said []byte `json:"said,omitempty"`
	// Came are those of a response (flow.Hashed).
	Came    []byte `json:"came,omitempty"`
	Left    bool   `json:"left,omitempty"`    // not all destinations are among them
	Flagged bool   `json:"flagged,omitempty"` // the response had warnings
}

// ValuesHeard is several Values, in the order in which they came.
type ValuesHeard struct {
	Values []Values `json:"values"`
}

// Said tells the hub of values, without waiting: before any that are told later.
func (l *Link) Said(v Values) {
	upTo := l.values.add(v)
	c, err := l.hub()
	if err != nil || l.values.telling.Swap(true) {
		return // whoever is telling tells these too
	}
	go func() {
		ctx, cancel := context.WithTimeout(context.Background(), saidLimit)
		defer cancel()
		_ = l.values.flush(ctx, c, upTo)
		l.values.telling.Store(false)
		_ = l.values.flush(ctx, c, l.values.all())
	}()
}

// saidLimit is how long telling may take. What is not told then is told with the next.
const saidLimit = 5 * time.Second

// Came tells the hub of values, and returns once it knows them. It fails at once while the hub is away, and a hub that comes is told then.
func (l *Link) Came(ctx context.Context, values ...Values) error {
	var upTo uint64
	for _, v := range values {
		upTo = l.values.add(v)
	}
	c, err := l.hub()
	if err != nil {
		return err
	}
	return l.explain(l.values.flush(ctx, c, upTo))
}

// CallEnd is one end of what a person is asked about: where a value came from.
type CallEnd struct {
	Server  string    `json:"server"`
	Tool    string    `json:"tool,omitempty"`    // or the method
	Request string    `json:"request,omitempty"` // that of the records of this call
	Time    time.Time `json:"time" ts_type:"string"`
	As      string    `json:"as" ts_type:"'prose' | 'field'"`
	Member  string    `json:"member,omitempty"` // of the field, if it is one of the usual
}

// CallReason is why a person is asked about a call. Only a reason of the check flow has more than the check.
type CallReason struct {
	Check vocab.CallCheck `json:"check" ts_type:"'ask' | 'flow'"`
	Rule  int             `json:"rule,omitempty"`  // 1 to 6 (docs/flow.md)
	At    string          `json:"at,omitempty"`    // name of the argument around the value
	Value string          `json:"value,omitempty"` // the call's own argument, with secrets masked
	Kind  string          `json:"kind,omitempty"`  // mail address, URL, host, ...
	// Overflowed means that nothing is known to have held the value, but that more came out of a server than is kept.
	Overflowed bool      `json:"overflowed,omitempty"`
	From       []CallEnd `json:"from,omitempty"`
}

// Allowable is what calls of the tool may carry from then on if a person allows a call for good. It is empty if only this call, with its arguments,
// passes then: a reason that names no place in the arguments is about the call as a whole.
func Allowable(reasons []CallReason) (values []string) {
	for _, r := range reasons {
		if r.At == "" {
			return nil
		}
		value := r.Value
		if r.Rule == RuleOfOrders {
			_, value, _ = strings.Cut(value, " ") // "visit HOST"
		}
		if !slices.Contains(values, value) {
			values = append(values, value)
		}
	}
	return values
}

// RuleOfOrders is the rule about what a response ordered (docs/flow.md).
const RuleOfOrders = 3
