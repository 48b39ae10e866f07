package notify

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"github.com/sallyport/sallyport/proxy/vocab"
)

// Event is something a person may be notified of: how Pace counts it, and the note.
type Event struct {
	Server string         // identity; "" if it is about no server
	Kind   vocab.ItemKind // of the inbox item
	Group  string         // the item of held responses that it belongs to; "" for others
	Note   Note
}

// Rules limit how often a person is interrupted. A zero field means its default.
type Rules struct {
	Gap   time.Duration // between two notes of one server and kind; 5 min
	Burst time.Duration // how long events are collected before a note; Critical notes replace each other within this time; 12 s
	Many  int           // more than this at once become one summary; 3
	Hour  int           // notes per hour, the last of them a summary; 6
	Later time.Duration // how long a postponed item stays quiet; 4 h
}

// Summary is the key of a note that summarises several.
const Summary = "summary"

// maxSlots limits the servers and kinds that are tracked: beyond it nothing is collected, and the tray shows that items are pending.
const maxSlots = 1024

// Pace decides which events become notes, and when. It has no clock of its own and is for one goroutine at a time: every method takes the
// time, Due returns what to show at that time, Next when to ask again.
//
// Events of one server and kind become one note, the last one's, at most once per Gap; an event more serious than what was shown does not
// wait for Gap. Critical notes do not wait for the end of a burst: the first is shown at once, and those within Burst replace it. They are
// counted separately, so no flood of harmless changes uses up their hour.
type Pace struct {
	rules   Rules
	pending map[slot]waiting
	shown   map[slot]last
	plain   []time.Time // notes of the last hour, including summaries
	grave   []time.Time // Critical ones, without replacements
	newest  string      // key of the Critical note on screen
	opened  time.Time   // when the first of its burst was shown
	quiet   map[string]hush
	snoozed time.Time // until when only Critical notes are shown
}

type slot struct {
	server string
	kind   vocab.ItemKind
}

type waiting struct {
	event Event
	since time.Time // of the first collected event
	due   time.Time
}

type last struct {
	at      time.Time
	urgency Urgency
}

// hush is an item that a person put off, with its severity then: a server can't buy quiet for an attack with something harmless.
type hush struct {
	until   time.Time
	urgency Urgency
}

func NewPace(r Rules) *Pace {
	r.Gap = cmp.Or(r.Gap, 5*time.Minute)
	r.Burst = cmp.Or(r.Burst, 12*time.Second)
	r.Many = cmp.Or(r.Many, 3)
	r.Hour = cmp.Or(r.Hour, 6)
	r.Later = cmp.Or(r.Later, 4*time.Hour)
	return &Pace{rules: r, pending: map[slot]waiting{}, shown: map[slot]last{}, quiet: map[string]hush{}}
}

func (p *Pace) Offer(now time.Time, e Event) {
	p.age(now)
	if off, ok := p.quiet[e.Note.Key]; ok && now.Before(off.until) && e.Note.Urgency.rank() <= off.urgency.rank() {
		return
	}
	at := slot{e.Server, e.Kind}
	before, joins := p.pending[at]
	if !joins {
		if len(p.pending) >= maxSlots {
			return
		}
		before.since = now
	}
	w := waiting{event: e, since: before.since, due: before.since.Add(p.rules.Burst)}
	if e.Note.Urgency == Critical {
		w.due = now
	}
	if said, ok := p.shown[at]; ok && e.Note.Urgency.rank() <= said.urgency.rank() && !(e.Note.Urgency == Critical && p.bursts(now)) {
		if free := said.at.Add(p.rules.Gap); free.After(w.due) {
			w.due = free
		}
	}
	p.pending[at] = w
}

// bursts reports whether a Critical note would replace the one before.
func (p *Pace) bursts(now time.Time) bool { return p.newest != "" && now.Sub(p.opened) < p.rules.Burst }

// Drop forgets all events that seen reports as visible to a person. They don't count.
func (p *Pace) Drop(seen func(Event) bool) {
	for at, w := range p.pending {
		if seen(w.event) {
			delete(p.pending, at)
		}
	}
}

// Withdraw forgets the event of a note: its item was decided before anything was shown.
func (p *Pace) Withdraw(key string) {
	for at, w := range p.pending {
		if w.event.Note.Key == key {
			delete(p.pending, at)
		}
	}
}

// Later suppresses notes with this key for Rules.Later, unless they are more serious.
func (p *Pace) Later(now time.Time, n Note) {
	for at, w := range p.pending {
		if w.event.Note.Key == n.Key && w.event.Note.Urgency.rank() <= n.Urgency.rank() {
			delete(p.pending, at)
		}
	}
	if len(p.quiet) < maxSlots {
		p.quiet[n.Key] = hush{now.Add(p.rules.Later), n.Urgency}
	}
}

// Snooze holds back all notes except Critical ones until then: any process on the session bus can click the row that snoozes. Pending notes
// are due at the end; a past time ends it.
func (p *Pace) Snooze(until time.Time) { p.snoozed = until }

// dueAt is when a waiting note is due.
func (p *Pace) dueAt(w waiting) time.Time {
	if w.event.Note.Urgency != Critical && w.due.Before(p.snoozed) {
		return p.snoozed
	}
	return w.due
}

// Due returns what to show now, most serious first; waiting is the number of pending items, for the summary. Notes beyond the hourly limit
// are left to the tray.
func (p *Pace) Due(now time.Time, waiting int) []Note {
	p.age(now)
	var ready []slot
	for at, w := range p.pending {
		if !p.dueAt(w).After(now) {
			ready = append(ready, at)
		}
	}
	slices.SortFunc(ready, func(a, b slot) int {
		return cmp.Or(p.pending[a].since.Compare(p.pending[b].since), cmp.Compare(a.server, b.server), cmp.Compare(a.kind, b.kind))
	})
	var notes, rest []Note
	for _, at := range ready {
		n := p.pending[at].event.Note
		delete(p.pending, at)
		// Counted even if only a summary mentions it, or nothing does: Gap limits how often a server can be a reason.
		if len(p.shown) < maxSlots {
			p.shown[at] = last{at: now, urgency: n.Urgency}
		}
		switch {
		case n.Urgency == Critical && p.bursts(now):
			n.Replaces = p.newest
			if last := len(notes) - 1; last >= 0 { // shown at this very moment: nobody has seen it
				n.Replaces, notes = notes[last].Replaces, notes[:last]
			}
			notes, p.newest = append(notes, n), n.Key
		case n.Urgency == Critical && len(p.grave) < p.rules.Hour:
			p.grave = append(p.grave, now)
			notes, p.newest, p.opened = append(notes, n), n.Key, now
		default:
			rest = append(rest, n)
		}
	}
	room := p.rules.Hour - len(p.plain)
	switch {
	case len(rest) == 0 || room <= 0:
	case len(rest) > p.rules.Many || len(rest) >= room:
		p.plain = append(p.plain, now)
		if len(rest) >= room {
			// This was the last note of the hour, even if single notes would have fitted before it.
			for len(p.plain) < p.rules.Hour {
				p.plain = append(p.plain, now)
			}
		}
		notes = append(notes, summary(max(waiting, len(rest))))
	default:
		for _, n := range rest {
			p.plain = append(p.plain, now)
			notes = append(notes, n)
		}
	}
	return notes
}

// Next is when to call Due again; not ok if nothing waits.
func (p *Pace) Next() (at time.Time, ok bool) {
	for _, w := range p.pending {
		if due := p.dueAt(w); !ok || due.Before(at) {
			at, ok = due, true
		}
	}
	return at, ok
}

// age forgets what no longer counts.
func (p *Pace) age(now time.Time) {
	old := func(t time.Time) bool { return now.Sub(t) >= time.Hour }
	p.plain, p.grave = slices.DeleteFunc(p.plain, old), slices.DeleteFunc(p.grave, old)
	for at, said := range p.shown {
		if now.Sub(said.at) >= p.rules.Gap {
			delete(p.shown, at)
		}
	}
	for key, off := range p.quiet {
		if !now.Before(off.until) {
			delete(p.quiet, key)
		}
	}
}

func (u Urgency) rank() int {
	switch u {
	case Low:
		return 0
	case Critical:
		return 2
	default:
		return 1
	}
}

func summary(waiting int) Note {
	title := fmt.Sprintf("%d items need your review", waiting)
	if waiting == 1 {
		title = "1 item needs your review"
	}
	// Don't claim that everything stays blocked: a lost guard may be among the items.
	return Note{Key: Summary, Title: title, Body: "Everything blocked stays blocked until you review it.", Route: "#/inbox", Action: "Open Inbox"}
}
