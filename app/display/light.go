package display

import (
	"fmt"
	"strings"

	"github.com/sallyport/sallyport/app/guardian"
	"github.com/sallyport/sallyport/app/office"
	"github.com/sallyport/sallyport/app/review"
	"github.com/sallyport/sallyport/proxy/control"
	"github.com/sallyport/sallyport/proxy/vocab"
)

// The subject of a Light. Each has one colour.
const (
	LightBroken     = "not_working"
	LightCritical   = "critical"
	LightUnguarded  = "unguarded"
	LightReview     = "review"
	LightSignIn     = "sign_in" // it can't be used before a person has signed in
	LightHeld       = "held"
	LightNoVersion  = "no_common_version"
	LightUnreadable = "unreadable"
	LightNoServers  = "no_servers"
	LightLeftOut    = "left_out"    // not guarded by a person's choice
	LightBeyond     = "beyond"      // can't be guarded
	LightNotStarted = "not_started" // guarded in its file, and no client has started it since
	LightIdle       = "idle"        // in no file we know, and not running
	LightUnseen     = "unseen"      // allowed, but its client has not asked again yet
	LightNoTools    = "no_tools"    // started, but its tools are unknown
	LightBlocked    = "blocked"
	LightGuarded    = "guarded"
)

func light(colour vocab.Colour, state, words, next string) control.Light {
	return control.Light{Colour: colour, State: state, Words: words, Next: next}
}

// sightedServer is the input for the light of a server.
type sightedServer struct {
	Critical  bool              // a Critical item about it is pending
	Waits     int               // pending items about it, without held responses
	SignIn    bool              // one of them says that it can't be used before a person has signed in
	Held      int               // responses
	Open      bool              // an entry of its name is unguarded, and nobody chose that
	LeftOut   bool              // an entry of its name is unguarded by a person's choice
	Running   bool              // a wrapper of it is connected
	Seen      bool              // a client started it through its wrapper since its entry was last written
	Nowhere   bool              // no guarded entry of a known file starts it
	Restart   string            // the clients to restart, "" if unknown
	State     vocab.ServerState // of control.Server
	Blocked   int               // tools
	Behind    string            // clients that have not asked again since an approval, "" for none
	BehindDo  string            // what makes them ask
	NoVersion bool              // it has no protocol version in common with its clients
}

// lightOfServer is the table for one server.
func lightOfServer(s sightedServer) control.Light {
	l := lightWithoutHeld(s)
	if s.Held > 0 && l.State != LightHeld {
		l.Words += ", " + review.Count(s.Held, "response") + " held"
	}
	return l
}

func lightWithoutHeld(s sightedServer) control.Light {
	switch {
	case s.Critical:
		return light(vocab.Red, LightCritical, "Critical, needs your review", "Review it in the Inbox.")
	case s.Open && !s.Running:
		return light(vocab.Amber, LightUnguarded, "Not guarded", "Add the guard, then restart its client.")
	case s.NoVersion && (s.Running || !s.Nowhere):
		return light(vocab.Amber, LightNoVersion, "No common protocol version", "Update the server or its client.")
	case s.Open:
		return light(vocab.Amber, LightUnguarded, "Guarded until its client restarts", "Add the guard in the Inbox.")
	case s.SignIn:
		return light(vocab.Amber, LightSignIn, "Wants a sign-in", "Sign in from the Inbox.")
	case s.Waits > 0 && s.State == vocab.ServerOpen && s.Blocked > 0:
		return light(vocab.Amber, LightReview, review.Count(s.Blocked, "tool")+" blocked, needs your review", "Review it in the Inbox.")
	case s.Waits > 0:
		return light(vocab.Amber, LightReview, "Needs your review", "Review it in the Inbox.")
	case s.Held > 0:
		return light(vocab.Amber, LightHeld, review.Count(s.Held, "response")+" held", "Release or discard in the Inbox.")
	case s.LeftOut && !s.Running:
		return light(vocab.Grey, LightLeftOut, "Not guarded, by your choice", "")
	case !s.Seen && s.Nowhere:
		return light(vocab.Grey, LightIdle, "Not running", "")
	case !s.Seen:
		return light(vocab.Grey, LightNotStarted, "Hasn't started yet", restart(s.Restart))
	case s.Behind != "":
		return light(vocab.Grey, LightUnseen, "Allowed, not yet seen by "+s.Behind, s.BehindDo)
	case s.State == vocab.ServerBlocked:
		return light(vocab.Green, LightBlocked, "Blocked by you", "")
	case s.State != vocab.ServerOpen:
		return light(vocab.Green, LightNoTools, "Guarded, no tools seen yet", "")
	case s.Blocked > 0:
		return light(vocab.Green, LightGuarded, "Guarded, "+review.Count(s.Blocked, "tool")+" blocked by you", "")
	default:
		return light(vocab.Green, LightGuarded, "Guarded", "")
	}
}

// LightOfUnguarded is the table for unguarded servers. Those that a person left out, or that can't be guarded, don't raise a permanent
// alarm.
func LightOfUnguarded(u control.Unguarded) control.Light {
	switch {
	case u.Chosen:
		return light(vocab.Grey, LightLeftOut, "Not guarded, by your choice", "")
	case u.Code == office.CoverExtension:
		return light(vocab.Grey, LightBeyond, "Desktop extension, can't be guarded", "")
	case u.Code == office.CoverPolicy:
		return light(vocab.Grey, LightBeyond, "From a managed policy, can't be guarded", "")
	case u.Code == office.CoverRemote:
		return light(vocab.Grey, LightBeyond, "Remote server, can't be guarded", "")
	case u.Kind == guardian.UnguardedFile:
		return light(vocab.Grey, LightUnreadable, "Can't be read", "")
	default:
		return light(vocab.Amber, LightUnguarded, "Not guarded", "")
	}
}

// sightedAll is the input for the overall light.
type sightedAll struct {
	Works      bool
	Critical   int    // items
	Waiting    int    // items, the Critical ones among them
	SignIns    int    // servers that can't be used before a person has signed in
	SignIn     string // name of the first
	Lost       string // name of the first entry whose guard was removed
	Alone      bool   // it is the only one
	Loose      int    // entries that are unguarded without anyone's choice
	NoVersion  int    // servers without a common protocol version
	Behind     string // the first client that has not asked again, "" for none
	BehindDo   string
	BehindAll  bool     // nothing else was really seen
	Unreadable []string // clients with an unreadable file
	Files      int      // files that were read
	Guarded    int      // entries
	Total      int      // servers that were counted
	Started    int      // guarded entries that a client has started since they were written
	Apart      int      // servers that run through a wrapper but are in no known file
	Restart    string   // the clients to be restarted
}

// lightOfAll is the table for the tray and the footer: as serious as the most serious light of a single server; green if one is, and grey
// if none is.
func lightOfAll(s sightedAll) control.Light {
	switch {
	case !s.Works:
		return light(vocab.Amber, LightBroken, "Sallyport isn't working", "Open it to see why.")
	case s.Critical > 0:
		return light(vocab.Red, LightCritical, review.Count(s.Critical, "critical item")+needs(s.Critical)+"your review", "Review it in the Inbox.")
	case s.Lost != "" && s.Alone:
		return light(vocab.Amber, LightUnguarded, s.Lost+" is not guarded", "Put the guard back, then restart its client.")
	case s.Lost != "":
		return light(vocab.Amber, LightUnguarded, s.Lost+" and others are not guarded", "Put the guard back, then restart the client.")
	case s.SignIns == 1 && s.Waiting == 1:
		return light(vocab.Amber, LightSignIn, s.SignIn+" wants a sign-in", "Sign in from the Inbox.")
	case s.SignIns > 1 && s.SignIns == s.Waiting:
		return light(vocab.Amber, LightSignIn, review.Count(s.SignIns, "server")+" want a sign-in", "Sign in from the Inbox.")
	case s.Waiting > 0:
		return light(vocab.Amber, LightReview, review.Count(s.Waiting, "item")+needs(s.Waiting)+"your review", "Review it in the Inbox.")
	case s.Loose > 0:
		return light(vocab.Amber, LightUnguarded, review.Count(s.Loose, "server")+" not guarded", "Add the guard, then restart the client.")
	case s.NoVersion > 0:
		return light(vocab.Amber, LightNoVersion, review.Count(s.NoVersion, "server")+" without a common protocol version", "Update the server or its client.")
	case s.Started+s.Apart > 0 && !s.BehindAll:
		return light(vocab.Green, LightGuarded, guardedWords(s), "")
	case s.Behind != "":
		return light(vocab.Grey, LightUnseen, "Allowed, not yet seen by "+s.Behind, s.BehindDo)
	case s.Guarded > 0:
		return light(vocab.Grey, LightNotStarted, review.Count(s.Guarded, "server")+" guarded, none started yet", restart(s.Restart))
	case len(s.Unreadable) > 0:
		return light(vocab.Grey, LightUnreadable, "Can't read the settings file of "+strings.Join(s.Unreadable, " and "), "Fix the file, then try again.")
	case s.Total > 0:
		return light(vocab.Grey, LightBeyond, "0 of "+review.Count(s.Total, "server")+" guarded", "")
	case s.Files == 0:
		return light(vocab.Grey, LightNoServers, "No settings file found yet", "Open Claude once, then try again.")
	default:
		return light(vocab.Grey, LightNoServers, "No servers to guard yet", "")
	}
}

func guardedWords(s sightedAll) string {
	guarded, total := s.Guarded+s.Apart, s.Total+s.Apart
	words := review.Count(guarded, "server") + " guarded"
	if guarded < total {
		words = fmt.Sprintf("%d of %s guarded", guarded, review.Count(total, "server"))
	}
	if late := s.Guarded - s.Started; late > 0 {
		words += fmt.Sprintf(", %d not started yet", late)
	}
	if len(s.Unreadable) > 0 {
		words += ", a settings file can't be read"
	}
	return words
}

func restart(client string) string {
	if client == "" {
		return "Restart its client."
	}
	return "Restart " + client + "."
}

func needs(n int) string {
	if n == 1 {
		return " needs "
	}
	return " need "
}
