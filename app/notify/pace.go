package notify

import "time"

// Event is something a person may be told of: what Pace counts it by, and what it would say.
type Event struct {
	Server string // identity; "" for what is about no server
	Kind   string // of the inbox item
	Note   Note
}

// Rules of a Pace; the zero value of each is what ux.md §2.3 says.
type Rules struct {
	Gap   time.Duration // between two notes of one server and kind; 5 min
	Burst time.Duration // what is collected before anything is shown; 12 s
	Hour  int           // notes in any hour, the summary among them; 6
	Later time.Duration // how long an item is quiet that a person put off; 4 h
}

// Pace decides which events become notes, and when. It has no clock of its own and is for one goroutine at a time: every
// method takes the time, Due gives what is to be shown at that time, Next when to ask again.
type Pace struct {
	rules Rules
}

// NewPace is a Pace that has shown nothing yet.
func NewPace(r Rules) *Pace { return &Pace{rules: r} }

// Offer takes an event in.
func (p *Pace) Offer(now time.Time, e Event) {}

// Withdraw forgets the event of this note: its item was decided before anything was shown.
func (p *Pace) Withdraw(key string) {}

// Later keeps the note with this key from being shown for Rules.Later.
func (p *Pace) Later(now time.Time, key string) {}

// Due is what is to be shown now; waiting is how many items wait, for the summary.
func (p *Pace) Due(now time.Time, waiting int) []Note { return nil }

// Next is when Due is to be asked again; not ok while nothing waits to be shown.
func (p *Pace) Next() (at time.Time, ok bool) { return time.Time{}, false }
