// Package review computes states and their words: the state of each item of a server (Of), what its launch may do (LaunchStanding), the
// pending inbox items and their titles (Content), what a server may ask its client for. It maps values to values; it knows no lock, no hub
// and no transaction, and no clock but as an argument. Titles and sentences are ours: they contain a name only if it can't carry a sentence
// of its own.
package review

import (
	"slices"
	"time"

	"github.com/sallyport/sallyport/proxy/inspect"
	"github.com/sallyport/sallyport/proxy/pin"
	"github.com/sallyport/sallyport/proxy/vocab"
)

// ItemFacts are the input of a decision about one item of a server.
type ItemFacts struct {
	Key        string
	Approved   []pin.Digest // in both eras
	ApprovedBy string
	Known      bool         // approved at some time
	Refused    []pin.Digest // rejected digests
	Held       bool         // the approval was taken back by hand: pending as rejected
	Declared   pin.Digest   // "" if the server no longer declares it
	Era        string       // of this form, if it is not that of both eras
	Findings   []inspect.Finding
	FirstSeen  time.Time
}

// Facts are those of a whole server.
type Facts struct {
	FirstUse time.Time // zero before the first review
	Blocked  bool      // as a whole, by a person
	Findings []inspect.Finding
	Items    []ItemFacts
}

// Judged is the state of one item, and the reason.
type Judged struct {
	ItemFacts
	State    vocab.PartState
	Waits    bool
	Withheld bool           // can't be approved as it is declared
	Kind     vocab.ItemKind // of its inbox item
}

// Standing is the state of a server.
type Standing struct {
	Items   []Judged
	Open    bool // at least one item is approved, and the server is not blocked as a whole
	Blocked bool // whole
}

// Of computes the state of every item of a server. It is pure, and the only place that decides it: an item passes only if its declared
// digest equals an approved one.
func Of(facts Facts) Standing {
	out := Standing{Items: make([]Judged, 0, len(facts.Items)), Blocked: facts.Blocked}
	for _, item := range facts.Items {
		j := judge(item)
		j.Kind = vocab.ItemChanged
		if !j.Known && (facts.FirstUse.IsZero() || !item.FirstSeen.After(facts.FirstUse)) {
			j.Kind = vocab.ItemNewServer
		}
		// A change with a Critical finding blocks the whole server until it is decided. A Critical finding at first use does not: the
		// person who approved the rest has seen it and left it out.
		if j.Kind == vocab.ItemChanged && j.Waits && (j.State == vocab.PartNew || j.State == vocab.PartChanged) && inspect.Worst(j.Findings) == inspect.Critical {
			out.Blocked = true
		}
		if j.Key == KeyLaunch {
			if j.Kind = vocab.ItemLaunch; !j.Known {
				j.Kind = vocab.ItemNewServer
			}
			out.Items = append(out.Items, j) // an allowed launch opens nothing
			continue
		}
		out.Open = out.Open || len(item.Approved) > 0 // approved, whatever it declares now
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

// Withheld reports whether an item can't be approved: its name is taken twice, its definition is ambiguous, it is a skill that is not what
// its entry binds, or a tool that can't be called.
func Withheld(findings []inspect.Finding) bool {
	return slices.ContainsFunc(findings, func(f inspect.Finding) bool {
		return f.Rule == pin.NameCollision || f.Rule == inspect.NoReading || f.Rule == pin.SkillMismatch || f.Rule == inspect.HeaderArgument
	})
}

// Clean reports whether an item has no finding of Medium or above: `approve CODE` and trust-clean may allow it.
func Clean(findings []inspect.Finding) bool {
	return inspect.Worst(findings).Rank() < inspect.Medium.Rank()
}

// Trustable are the items that trust-clean approves at first use, in each form that is clean.
func Trustable(r Standing, facts Facts) []Judged {
	if !facts.FirstUse.IsZero() || facts.Blocked || inspect.SuspectServer(facts.Findings) {
		return nil
	}
	var items []Judged
	for _, j := range r.Items {
		if j.State == vocab.PartNew && j.Kind == vocab.ItemNewServer && !j.Withheld && Clean(j.Findings) {
			items = append(items, j)
		}
	}
	if len(items) == 1 && items[0].Key == KeyLaunch {
		return nil // the server has not been asked yet
	}
	return items
}

// severityOf is the severity of an item with these parts and findings about the whole.
func severityOf(parts []Judged, whole []inspect.Finding) vocab.Severity {
	severity := SeverityOf(inspect.Worst(whole))
	for _, p := range parts {
		severity = Graver(severity, SeverityOf(inspect.Worst(p.Findings)))
	}
	return severity
}
