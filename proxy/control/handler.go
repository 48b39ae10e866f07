package control

// Peer is who asked: as the kernel reports it, not as the peer claims.
type Peer struct {
	PID, UID int
	Role     Role
	Here     bool // the person at the window, in the hub's own process; never set for a peer of the socket
	Descends bool // descends from a wrapper, or cannot be shown not to: may not decide
	// Within is for wrappers, of whom Descends always holds: whether this one runs inside another, or can't be shown not to. It reads the
	// process table.
	Within func() bool
}

// Wrapper is the hub's handle on one connected wrapper. Push never blocks: only the newest State counts, and one that the
// wrapper has not read yet is replaced. A Wrapper is comparable and can be a map key.
type Wrapper interface {
	Push(State)
}

// Handler is what a hub does with what arrives on the socket. Methods are called from many goroutines at once, calls of one
// connection included. An *Error goes to the asker as it is; any other error goes to the log and to the asker as "the hub could
// not do that", because its words may hold what the asker must not see. A panic is such an error to its asker and to nobody else.
//
// Register comes before Report, Launch, Records, Stderr, Attention, Hold and Take of a connection, and Unregister exactly once after the last
// of them has returned. Stderr comes in order and holds up what else the wrapper sends: be quick. Records answers only when all
// of them are durable: what it answers, the wrapper forgets.
//
// A State must not change after it was returned or pushed: it is encoded later, by another goroutine.
type Handler interface {
	Welcome(peer Peer) Welcome

	Register(w Wrapper, peer Peer, r Register) (State, error)
	Unregister(w Wrapper)
	// Ended tells that what a server had left behind was killed, wrapper and guard being gone; from says nothing but the mark where the
	// wrapper was none of this hub's. It may come after Unregister.
	Ended(from Register, processes int)
	// Foreign tells of messages that another program than the proved one wrote on a connection. It is called at most once a minute.
	Foreign(f Foreign)
	// Displaced tells that something else stood in the place of the hub's socket. It is called at most once a minute.
	Displaced(d Displaced)
	Report(w Wrapper, r Report) (State, error)
	Launch(w Wrapper, r LaunchReport) (State, error)
	Records(w Wrapper, r Records) (Acked, error)
	Stderr(w Wrapper, s Stderr)
	Attention(w Wrapper, a Attention) (Waiting, error)
	// Hold answers once the held answer is durable, and Take once it is durable that this wrapper has it. That it arrived is
	// said by a Record of kind "quarantine", status "ok" and its code.
	Hold(w Wrapper, h Held) (Kept, error)
	Take(w Wrapper, t Take) (Taken, error)
	// Interaction answers once the item that it makes is durable, with its code.
	Interaction(w Wrapper, i Interaction) (Kept, error)
	Unseen(w Wrapper, u Unseen) error

	Status() (Status, error)
	Servers() ([]Server, error)
	Inbox() ([]InboxItem, error)
	Item(code string) (ItemDetail, error)
	Decide(peer Peer, d Decide) (Decided, error)
	// Clean lists the new servers without a warning, and keeps what it listed for an hour. AllowClean allows what was listed under a
	// digest, as far as it is the same.
	Clean(q CleanQuery) (CleanSet, error)
	AllowClean(peer Peer, q CleanQuery) (CleanDecided, error)
	Block(peer Peer, b Block) (Blocked, error)
	Release(peer Peer, r Release) (ReleaseAnswer, error)
	HeldSet(q HeldQuery) (HeldSet, error)
	DiscardHeld(peer Peer, d DiscardHeld) (DiscardedHeld, error)
	Exceptions() ([]Exception, error)
	Except(peer Peer, e Except) ([]Exception, error)
	EndException(peer Peer, id string) (Exception, error)
	Activity(q ActivityQuery) (Activity, error)
	Record(id string) (Record, error)
	Verify() (Verified, error)
	Settings(q SettingQuery) ([]Setting, error)
	SetSetting(peer Peer, q SettingQuery) (Setting, error)
	Log(q LogQuery) (Log, error)

	Protect(peer Peer, p Protect) (Protected, error)
	Unprotect(peer Peer, p Protect) (Protected, error)
	Coverage(q CoverageQuery) (Coverage, error)
	Backups() ([]Backup, error)
	RestoreBackup(peer Peer, r RestoreBackup) (Protected, error)

	// Show raises the window at a route of the page, or "" for where it is, for a second start of the desktop program. A hub without one
	// says no.
	Show(peer Peer, route string) error

	// StepDown says yes (nil) when this hub gives way to peer. The hub then flushes, releases store and socket and exits;
	// the asker knows that it is gone when the lock beside the socket is free.
	StepDown(peer Peer) error
}

// Every call, once: its name on the socket and what of Handler answers it. AskX is how a client asks for X.
var (
	askRegister = carried("register", false, func(c *hubEnd, r Register) (State, error) {
		r.PID = c.cred.PID // the kernel knows it better
		c.from = r
		peer := c.peer(false)
		peer.Within = c.within
		return c.server.handler.Register(c, peer, r)
	})
	askReport      = ofWrapper("report", Handler.Report)
	askLaunch      = ofWrapper("launch", Handler.Launch)
	AskRecords     = ofWrapper("records", Handler.Records)
	AskAttention   = ofWrapper("attention", Handler.Attention)
	AskHold        = ofWrapper("hold", Handler.Hold)
	AskTake        = ofWrapper("take", Handler.Take)
	askInteraction = ofWrapper("interaction", Handler.Interaction)
	askUnseen      = ofWrapper("unseen", silent(Handler.Unseen))

	AskStatus        = bare("status", Handler.Status)
	AskServers       = bare("servers", Handler.Servers)
	AskInbox         = bare("inbox", Handler.Inbox)
	AskItem          = query("item", Handler.Item)
	AskDecide        = decision("decide", Handler.Decide)
	AskClean         = query("clean", Handler.Clean)
	AskAllowClean    = decision("allow_clean", Handler.AllowClean)
	AskBlock         = decision("block", Handler.Block)
	AskRelease       = decision("release", Handler.Release)
	AskHeldSet       = query("held_set", Handler.HeldSet)
	AskDiscardHeld   = decision("discard_held", Handler.DiscardHeld)
	AskExceptions    = bare("exceptions", Handler.Exceptions)
	AskExcept        = decision("except", Handler.Except)
	AskEndException  = decision("end_exception", Handler.EndException)
	AskActivity      = query("activity", Handler.Activity)
	AskRecord        = query("record", Handler.Record)
	AskVerify        = bare("verify", Handler.Verify)
	AskSettings      = query("settings", Handler.Settings)
	AskSetSetting    = decision("set_setting", Handler.SetSetting)
	AskLog           = query("log", Handler.Log)
	AskProtect       = decision("protect", Handler.Protect)
	AskUnprotect     = decision("unprotect", Handler.Unprotect)
	AskCoverage      = query("coverage", Handler.Coverage)
	AskBackups       = bare("backups", Handler.Backups)
	AskRestoreBackup = decision("restore_backup", Handler.RestoreBackup)

	AskShow     = decision("show", silent(Handler.Show))
	askStepDown = decision("step_down", silent(func(h Handler, peer Peer, _ nothing) error { return h.StepDown(peer) }))
	// Messages of a connection are read in order, so an answer says that all before it arrived.
	askFlush = carried("flush", false, func(*hubEnd, nothing) (nothing, error) { return nothing{}, nil })
)
