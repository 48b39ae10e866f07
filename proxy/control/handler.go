package control

import "context"

// Peer is who is asking, as the kernel reports it, not as the peer claims.
type Peer struct {
	PID, UID int
	Role     Role
	Here     bool // the person at the window, in the hub's own process; never set for a peer of the socket
	Descends bool // descends from a wrapper, or can't be shown not to: may not decide
	// Within is for wrappers, for which Descends is always true: whether this one runs inside another, or can't be shown not to. It
	// reads the process table.
	Within func() bool
}

// Wrapper is the hub's handle on one connected wrapper. Push never blocks: a State that the wrapper has not read yet is replaced by a
// newer one. A Wrapper is comparable and can be a map key.
type Wrapper interface {
	Push(State)
}

// Handler is what a hub does with calls on the socket. Its methods are called from many goroutines at once, even for one connection. An
// *Error goes to the caller as it is. Any other error goes to the log, and the caller gets "the hub could not do that", because its words
// may contain what the caller must not see. A panic counts as such an error, for its caller only.
//
// On a connection, Register comes before Report, Launch, SignIn, Records, Stderr, Attention, Hold, Take, Call, KeepTasks, KnownTasks and Guard, and Unregister exactly once after the
// last of them has returned. Stderr is called in order and delays everything else the wrapper sends, so it must be quick. Records answers
// only when all records are durable, because the wrapper then forgets them.
//
// A State must not change after it was returned or pushed: another goroutine encodes it later.
type Handler interface {
	Welcome(peer Peer) Welcome

	Register(w Wrapper, peer Peer, r Register) (State, error)
	Unregister(w Wrapper)
	// Ended reports that processes a server left behind were killed, because wrapper and guard are gone. If the wrapper never registered
	// with this hub, from has only the mark. It may come after Unregister.
	Ended(from Register, processes int)
	// Foreign reports messages on a connection that came from a different program than the proved one. It is called at most once a minute.
	Foreign(f Foreign)
	// Displaced reports that something had replaced the hub's socket. It is called at most once a minute.
	Displaced(d Displaced)
	Report(w Wrapper, r Report) (State, error)
	Launch(w Wrapper, r LaunchReport) (State, error)
	// SignIn gives a wrapper the access token of its server, or says what a person must do. It may take as long as a refresh. ctx ends with the
	// connection.
	SignIn(ctx context.Context, w Wrapper, s SignIn) (SignedIn, error)
	Records(w Wrapper, r Records) (Acked, error)
	Stderr(w Wrapper, s Stderr)
	Attention(w Wrapper, a Attention) (Waiting, error)
	// Hold answers once the held response is durable, Take once it is durable that this wrapper has it. A Record of kind "quarantine",
	// status "ok", with its code reports that it arrived.
	Hold(w Wrapper, h Held) (Kept, error)
	Take(w Wrapper, t Take) (Taken, error)
	// Interaction answers with the item's code once the item is durable.
	Interaction(w Wrapper, i Interaction) (Kept, error)
	// Call answers once an item about the call is durable, or once it is durable that this call used up a grant.
	Call(w Wrapper, c Call) (CallAnswer, error)
	// Values answers once calls of the wrapper's client are compared with these values.
	Values(w Wrapper, v ValuesHeard) error
	Unseen(w Wrapper, u Unseen) error
	Eras(w Wrapper, e Eras) error
	Shortened(w Wrapper, s Shortened) error
	// KeepTasks answers once the tasks are durable.
	KeepTasks(w Wrapper, t Tasks) (Acked, error)
	KnownTasks(w Wrapper, q TaskQuery) (KnownTasks, error)
	// Guard may take as long as guardrail.timeout. ctx ends with the connection.
	Guard(ctx context.Context, w Wrapper, g Guard) (Guarded, error)

	Status() (Status, error)
	Servers() ([]Server, error)
	Inbox() ([]InboxItem, error)
	Item(code string) (ItemDetail, error)
	Decide(peer Peer, d Decide) (Decided, error)
	// Clean lists the new servers without warnings and keeps that list for an hour. AllowClean allows those servers of a list that are
	// still the same.
	Clean(q CleanQuery) (CleanSet, error)
	AllowClean(peer Peer, q CleanQuery) (CleanDecided, error)
	Block(peer Peer, b Block) (Blocked, error)
	Release(peer Peer, r Release) (ReleaseAnswer, error)
	HeldSet(q HeldQuery) (HeldSet, error)
	DiscardHeld(peer Peer, d DiscardHeld) (DiscardedHeld, error)
	Exceptions() ([]Exception, error)
	Except(peer Peer, e Except) ([]Exception, error)
	EndException(peer Peer, id string) (Exception, error)
	// AllowedCalls are the calls that are allowed for good, oldest first. ForgetCall only tightens.
	AllowedCalls() ([]AllowedCall, error)
	ForgetCall(peer Peer, id string) (AllowedCall, error)
	Activity(q ActivityQuery) (Activity, error)
	Record(id string) (Record, error)
	Summary(q SummaryQuery) (Summary, error)
	Verify() (Verified, error)
	Settings(q SettingQuery) ([]Setting, error)
	SetSetting(peer Peer, q SettingQuery) (Setting, error)
	Log(q LogQuery) (Log, error)
	// ReplaceSecret records that a person replaces a stored secret of this name, or refuses. The value never goes to the hub.
	ReplaceSecret(peer Peer, name string) error

	Guards() ([]GuardProvider, error)
	// TestGuard refuses a peer inside a guarded server: it could try texts until one passes.
	TestGuard(peer Peer, t GuardTest) (GuardVerdict, error)

	// Login begins a person's sign-in at a remote server, or joins one that was begun; LoginEnd waits for its end, at most as long as ctx lasts.
	Login(ctx context.Context, peer Peer, l Login) (LoginBegun, error)
	LoginEnd(ctx context.Context, peer Peer, id string) (SignInStatus, error)
	Logout(ctx context.Context, peer Peer, server string) (SignInStatus, error)
	SignIns(q SignInQuery) ([]SignInStatus, error)

	Protect(peer Peer, p Protect) (Protected, error)
	Unprotect(peer Peer, p Protect) (Protected, error)
	Coverage(q CoverageQuery) (Coverage, error)
	Backups() ([]Backup, error)
	RestoreBackup(peer Peer, r RestoreBackup) (Protected, error)

	// Show raises the window for a second start of the desktop program, at a route of the page, or where it is if route is "". A hub without
	// a window refuses.
	Show(peer Peer, route string) error

	// StepDown returns nil if this hub gives way to peer. The hub then releases store and socket and exits. It is gone when the lock beside
	// the socket is free.
	StepDown(peer Peer) error
}

// Every call, once: its name on the socket and the method of Handler that answers it. A client calls X with AskX.
var (
	askRegister = carried("register", false, func(c *hubEnd, r Register) (State, error) {
		r.PID = c.cred.PID // the kernel's word counts
		c.from = r
		peer := c.peer(false)
		peer.Within = c.within
		return c.server.handler.Register(c, peer, r)
	})
	askReport      = ofWrapper("report", Handler.Report)
	askLaunch      = ofWrapper("launch", Handler.Launch)
	askSignIn      = carried("sign_in", true, func(c *hubEnd, s SignIn) (SignedIn, error) { return c.server.handler.SignIn(c.reading, c, s) })
	AskRecords     = ofWrapper("records", Handler.Records)
	AskAttention   = ofWrapper("attention", Handler.Attention)
	AskHold        = ofWrapper("hold", Handler.Hold)
	AskTake        = ofWrapper("take", Handler.Take)
	askInteraction = ofWrapper("interaction", Handler.Interaction)
	askCall        = ofWrapper("call", Handler.Call)
	askValues      = ofWrapper("values", silent(Handler.Values))
	askUnseen      = ofWrapper("unseen", silent(Handler.Unseen))
	askEras        = ofWrapper("eras", silent(Handler.Eras))
	askShortened   = ofWrapper("shortened", silent(Handler.Shortened))
	askKeepTasks   = ofWrapper("keep_tasks", Handler.KeepTasks)
	askKnownTasks  = ofWrapper("known_tasks", Handler.KnownTasks)
	askGuard       = carried("guard", true, func(c *hubEnd, g Guard) (Guarded, error) { return c.server.handler.Guard(c.reading, c, g) })

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
	AskAllowedCalls  = bare("allowed_calls", Handler.AllowedCalls)
	AskForgetCall    = decision("forget_call", Handler.ForgetCall)
	AskActivity      = query("activity", Handler.Activity)
	AskRecord        = query("record", Handler.Record)
	AskSummary       = query("summary", Handler.Summary)
	AskVerify        = bare("verify", Handler.Verify)
	AskSettings      = query("settings", Handler.Settings)
	AskSetSetting    = decision("set_setting", Handler.SetSetting)
	AskLog           = query("log", Handler.Log)
	AskReplaceSecret = decision("replace_secret", silent(Handler.ReplaceSecret))
	AskGuards        = bare("guards", Handler.Guards)
	AskTestGuard     = decision("test_guard", Handler.TestGuard)
	AskLogin         = carried("login", false, func(c *hubEnd, l Login) (LoginBegun, error) {
		return c.server.handler.Login(c.reading, c.peer(true), l)
	})
	AskLoginEnd = carried("login_end", false, func(c *hubEnd, id string) (SignInStatus, error) {
		return c.server.handler.LoginEnd(c.reading, c.peer(true), id)
	})
	AskLogout = carried("logout", false, func(c *hubEnd, server string) (SignInStatus, error) {
		return c.server.handler.Logout(c.reading, c.peer(true), server)
	})
	AskSignIns       = query("sign_ins", Handler.SignIns)
	AskProtect       = decision("protect", Handler.Protect)
	AskUnprotect     = decision("unprotect", Handler.Unprotect)
	AskCoverage      = query("coverage", Handler.Coverage)
	AskBackups       = bare("backups", Handler.Backups)
	AskRestoreBackup = decision("restore_backup", Handler.RestoreBackup)

	AskShow     = decision("show", silent(Handler.Show))
	askStepDown = decision("step_down", silent(func(h Handler, peer Peer, _ nothing) error { return h.StepDown(peer) }))
	// A connection's messages are read in order, so the answer means that everything before it arrived.
	askFlush = carried("flush", false, func(*hubEnd, nothing) (nothing, error) { return nothing{}, nil })
)
