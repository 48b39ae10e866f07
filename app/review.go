package app

import (
	"slices"
	"time"

	"github.com/sallyport/sallyport/proxy/inspect"
	"github.com/sallyport/sallyport/proxy/pin"
)

// itemFacts is all that a decision over one item of a server rests on.
type itemFacts struct {
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

// serverFacts are those of a whole server.
type serverFacts struct {
	FirstUse time.Time // zero while nobody has looked
	Blocked  bool      // whole, by a person
	Findings []inspect.Finding
	Items    []itemFacts
}

// judged is where one item stands, and why.
type judged struct {
	itemFacts
	State    string
	Waits    bool
	Withheld bool   // can be approved by nobody as it is declared
	Kind     string // of the inbox item it waits in
}

// reviewed is where a server stands.
type reviewed struct {
	Items   []judged
	Open    bool // at least one item is approved, and the server is not blocked whole
	Blocked bool // whole
}

// review says where every item of a server stands. It is pure, and the only place that decides it: one equality between
// the digest declared and the digests approved lets an item through, nothing else.
func review(facts serverFacts) reviewed {
	out := reviewed{Items: make([]judged, 0, len(facts.Items)), Blocked: facts.Blocked}
	for _, item := range facts.Items {
		j := judge(item)
		j.Kind = kindChanged
		if !j.Known && (facts.FirstUse.IsZero() || !item.FirstSeen.After(facts.FirstUse)) {
			j.Kind = kindNewServer
		}
		// A change with a Critical finding blocks the server whole until it is decided. What a new server declared at first
		// use does not: whoever approved the rest of it has seen it and left it out.
		if j.Kind == kindChanged && j.Waits && (j.State == stateNew || j.State == stateChanged) && inspect.Worst(j.Findings) == inspect.Critical {
			out.Blocked = true
		}
		if j.Key == keyLaunch {
			if j.Kind = kindLaunch; !j.Known {
				j.Kind = kindNewServer
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
func judge(item itemFacts) judged {
	j := judged{itemFacts: item, Withheld: withheld(item.Findings)}
	switch {
	case item.Declared == "":
		j.State = stateRemoved
		if item.Held {
			j.State = stateRejected
		}
	case j.Withheld && slices.Contains(item.Refused, item.Declared):
		j.State = stateRejected
	case j.Withheld:
		j.State, j.Waits = stateNew, true
		if item.Known {
			j.State = stateChanged
		}
	case slices.Contains(item.Approved, item.Declared):
		j.State = stateApproved
	case slices.Contains(item.Refused, item.Declared):
		j.State, j.Waits = stateRejected, item.Held
	case item.Known:
		j.State, j.Waits = stateChanged, true
	default:
		j.State, j.Waits = stateNew, true
	}
	if j.Withheld {
		j.Approved = nil
	}
	return j
}

// withheld says that no approval can reach the item: its name is taken twice, or its text has no one reading.
func withheld(findings []inspect.Finding) bool {
	return slices.ContainsFunc(findings, func(f inspect.Finding) bool {
		return f.Rule == pin.NameCollision || f.Rule == inspect.NoReading
	})
}

// clean says that an item has no finding of Medium or above: what `approve CODE` and trust-clean may let through.
func clean(findings []inspect.Finding) bool {
	return inspect.Worst(findings).Rank() < inspect.Medium.Rank()
}

// trustable are the keys that trust-clean approves at the first sight of a server.
func trustable(r reviewed, facts serverFacts) []string {
	if !facts.FirstUse.IsZero() || facts.Blocked || inspect.SuspectServer(facts.Findings) {
		return nil
	}
	var keys []string
	for _, j := range r.Items {
		if j.State == stateNew && j.Kind == kindNewServer && !j.Withheld && clean(j.Findings) {
			keys = append(keys, j.Key)
		}
	}
	if len(keys) == 1 && keys[0] == keyLaunch {
		return nil // the server has not been asked what it declares yet
	}
	return keys
}

// severityOf is the severity of an item with these parts and findings about the whole.
func severityOf(parts []judged, whole []inspect.Finding) string {
	worst := inspect.Worst(whole)
	for _, p := range parts {
		if level := inspect.Worst(p.Findings); level.Rank() > worst.Rank() {
			worst = level
		}
	}
	switch worst {
	case inspect.Critical:
		return severityCritical
	case inspect.High:
		return severityHigh
	}
	return severityReview
}
