// Package review says where things stand and what a person is told of them: where each item of a server stands (Of), what its launch
// may do (LaunchStanding), what waits in the inbox and under which title (Content), what a server may ask its client for. It takes values
// and gives values; it knows no lock, no hub and no transaction, and no clock but as an argument. Titles and sentences are ours: a name
// stands in one only where it carries no sentence of its own.
package review

import (
	"slices"
	"time"

	"github.com/sallyport/sallyport/proxy/inspect"
	"github.com/sallyport/sallyport/proxy/pin"
	"github.com/sallyport/sallyport/proxy/vocab"
)

// ItemFacts is all that a decision over one item of a server rests on.
type ItemFacts struct {
	Key        string
	Approved   []pin.Digest // of both eras
	ApprovedBy string
	Known      bool         // was approved once, now or earlier
	Refused    []pin.Digest // what a person said no to
	Held       bool         // the approval was taken back by hand: waits for a decision as rejected
	Declared   pin.Digest   // "" where the server declares it no more
	Era        string
	Findings   []inspect.Finding
	FirstSeen  time.Time
}

// Facts are those of a whole server.
type Facts struct {
	FirstUse time.Time // zero while nobody has looked
	Blocked  bool      // whole, by a person
	Findings []inspect.Finding
	Items    []ItemFacts
}

// Judged is where one item stands, and why.
type Judged struct {
	ItemFacts
	State    string
	Waits    bool
	Withheld bool   // can be approved by nobody as it is declared
	Kind     string // of the inbox item it waits in
}

// Standing is where a server stands.
type Standing struct {
	Items   []Judged
	Open    bool // at least one item is approved, and the server is not blocked whole
	Blocked bool // whole
}

// Of says where every item of a server stands. It is pure, and the only place that decides it: one equality between
// the digest declared and the digests approved lets an item through, nothing else.
func Of(facts Facts) Standing {
	out := Standing{Items: make([]Judged, 0, len(facts.Items)), Blocked: facts.Blocked}
	for _, item := range facts.Items {
		j := judge(item)
		j.Kind = vocab.ItemChanged
		if !j.Known && (facts.FirstUse.IsZero() || !item.FirstSeen.After(facts.FirstUse)) {
			j.Kind = vocab.ItemNewServer
		}
		// A change with a Critical finding blocks the server whole until it is decided. What a new server declared at first
		// use does not: whoever approved the rest of it has seen it and left it out.
		if j.Kind == vocab.ItemChanged && j.Waits && (j.State == vocab.PartNew || j.State == vocab.PartChanged) && inspect.Worst(j.Findings) == inspect.Critical {
			out.Blocked = true
		}
		if j.Key == KeyLaunch {
			if j.Kind = vocab.ItemLaunch; !j.Known {
				j.Kind = vocab.ItemNewServer
			}
			out.Items = append(out.Items, j) // what is allowed to run opens nothing
			continue
		}
		out.Open = out.Open || len(item.Approved) > 0 // as it was allowed, whatever it declares now
		out.Items = append(out.Items, j)
	}
	out.Open = out.Open && !out.Blocked
	return out
}

// judge is the table of states for one item.
func judge(item ItemFacts) Judged {
	j := Judged{ItemFacts: item, Withheld: Withheld(item.Findings)}
	switch {
	case item.Declared == "":
		j.State = vocab.PartRemoved
		if item.Held {
			j.State = vocab.PartRejected
		}
	case j.Withheld && slices.Contains(item.Refused, item.Declared):
		j.State = vocab.PartRejected
	case j.Withheld:
		j.State, j.Waits = vocab.PartNew, true
		if item.Known {
			j.State = vocab.PartChanged
		}
	case slices.Contains(item.Approved, item.Declared):
		j.State = vocab.PartApproved
	case slices.Contains(item.Refused, item.Declared):
		j.State, j.Waits = vocab.PartRejected, item.Held
	case item.Known:
		j.State, j.Waits = vocab.PartChanged, true
	default:
		j.State, j.Waits = vocab.PartNew, true
	}
	if j.Withheld {
		j.Approved = nil
	}
	return j
}

// Withheld says that no approval can reach the item: its name is taken twice, or its text has no one reading.
func Withheld(findings []inspect.Finding) bool {
	return slices.ContainsFunc(findings, func(f inspect.Finding) bool {
		return f.Rule == pin.NameCollision || f.Rule == inspect.NoReading
	})
}

// Clean says that an item has no finding of Medium or above: what `approve CODE` and trust-clean may let through.
func Clean(findings []inspect.Finding) bool {
	return inspect.Worst(findings).Rank() < inspect.Medium.Rank()
}

// Trustable are the keys that trust-clean approves at the first sight of a server.
func Trustable(r Standing, facts Facts) []string {
	if !facts.FirstUse.IsZero() || facts.Blocked || inspect.SuspectServer(facts.Findings) {
		return nil
	}
	var keys []string
	for _, j := range r.Items {
		if j.State == vocab.PartNew && j.Kind == vocab.ItemNewServer && !j.Withheld && Clean(j.Findings) {
			keys = append(keys, j.Key)
		}
	}
	if len(keys) == 1 && keys[0] == KeyLaunch {
		return nil // the server has not been asked what it declares yet
	}
	return keys
}

// severityOf is the severity of an item with these parts and findings about the whole.
func severityOf(parts []Judged, whole []inspect.Finding) string {
	worst := inspect.Worst(whole)
	for _, p := range parts {
		if level := inspect.Worst(p.Findings); level.Rank() > worst.Rank() {
			worst = level
		}
	}
	switch worst {
	case inspect.Critical:
		return vocab.SeverityCritical
	case inspect.High:
		return vocab.SeverityHigh
	}
	return vocab.SeverityReview
}
