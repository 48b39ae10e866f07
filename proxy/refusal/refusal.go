// Package refusal has the words for everything that is not let through: why (Reason), what a client is told, as a sentence of ours and a
// decision object (Of), and what the timeline says (Reason.Summary).
//
// The only server text in these words is a plain name, by way of Spoken. The package is pure: it knows no session and no hub.
package refusal

import (
	"cmp"
	"fmt"

	"github.com/sallyport/sallyport/proxy/control"
	"github.com/sallyport/sallyport/proxy/frame"
	"github.com/sallyport/sallyport/proxy/inspect/legible"
	"github.com/sallyport/sallyport/proxy/vocab"
)

// Reason is why something was refused. Each has one sentence in Of, and one for the timeline in Summary.
type Reason uint8

const (
	None          Reason = iota
	Unreviewed           // nobody has looked at the server yet
	Blocked              // the server is blocked whole
	Changed              // it changed since it was approved
	New                  // never approved
	Rejected             // a person rejected it, or took the approval back
	Removed              // was approved, but is no longer declared
	Unknown              // names nothing that is approved
	Unverified           // the required check did not finish
	Nothing              // somebody reviewed the server and allowed nothing
	Unlisted             // nothing of the server is pending, because it could not be read
	NoHub                // no state was ever received
	Uninitialized        // a call before initialize
	Dropped              // the response was dropped because the item changed while the call ran
	Launch               // its program is not the allowed one
	LaunchUnseen         // what it runs has not been seen yet (pins.launch = block)
	Withheld             // its name is the same as another item's, or nearly
	Version              // it speaks an unsupported protocol version
	Unread               // its definition is ambiguous
)

// Subject is what a refusal is about. Name is the server's or the client's word and must go through Spoken before it is used in a sentence.
type Subject struct {
	Item    string // pin key, "" for a method that names no item
	Name    string
	Noun    string // tool, prompt, resource, request
	Ordinal int    // position of a tool in its listing, 0 if unknown
	Ran     bool   // the request reached the server: its response is refused
}

// What stands for the kind of an inbox item in a refusal that no item is behind.
const (
	kindBlocked       vocab.ItemKind = "blocked"
	kindNoVersion     vocab.ItemKind = "no_common_version"
	kindUnverified    vocab.ItemKind = "unverified"
	kindNoHub         vocab.ItemKind = "no_hub"
	kindUninitialized vocab.ItemKind = "uninitialized"
)

// Decision is the object a client finds under _meta."sallyport/decision", or as data of a JSON-RPC error.
type Decision struct {
	Code   string
	Kind   vocab.ItemKind
	Server string
	Tool   string
	Status vocab.Outcome
}

func (d Decision) Append(dst []byte) []byte {
	dst = append(dst, `{"code":`...)
	if d.Code == "" {
		dst = append(dst, "null"...)
	} else {
		dst = frame.AppendString(dst, d.Code)
	}
	dst = append(dst, `,"kind":`...)
	dst = frame.AppendString(dst, string(d.Kind))
	dst = append(dst, `,"server":`...)
	dst = frame.AppendString(dst, d.Server)
	dst = append(dst, `,"tool":`...)
	if d.Tool == "" {
		dst = append(dst, "null"...)
	} else {
		dst = frame.AppendString(dst, d.Tool)
	}
	dst = append(dst, `,"status":`...)
	dst = frame.AppendString(dst, string(d.Status))
	return append(dst, '}')
}

// Spoken is how our own words name a subject: only a plain name is quoted, so that the server never speaks through us.
func Spoken(s Subject, server string) (phrase, clean string) {
	clean = legible.Name(s.Name, "")
	switch {
	case clean != "":
		return fmt.Sprintf("The %s %q", s.Noun, clean), clean
	case s.Noun == "tool" && s.Ordinal > 0:
		clean = fmt.Sprintf("tool %d of %s", s.Ordinal, server)
		return "The " + clean, clean
	default:
		clean = fmt.Sprintf("a %s of %s", s.Noun, server)
		return "A" + clean[1:], clean
	}
}

// Of returns what the client is told: the sentence and the decision object.
func Of(why Reason, s Subject, state *control.State) (text string, d Decision) {
	server := legible.SpokenServer(state.Name, "this server")
	if why == Unreviewed {
		s.Ordinal = 0
	}
	phrase, clean := Spoken(s, server)
	d = Decision{Server: server, Status: vocab.OutcomeBlocked}
	if s.Noun == "tool" {
		d.Tool = clean
	}
	d.Code, d.Kind = state.Code, state.Kind
	// For an unreviewed server the refusal does not reveal whether the tool exists.
	if item, known := state.Items[s.Item]; known && item.Code != "" && why != Unreviewed {
		d.Code = item.Code
	}
	final := d.settle(why, s, state)
	text = sentence(why, s.Ran, server, phrase, state.Strange)
	d.Kind = cmp.Or(d.Kind, kindBlocked)
	if why == Uninitialized {
		return "[Sallyport] " + text + " " + final, d
	}
	tell := "Tell the user: open Sallyport."
	if d.Code != "" {
		tell = fmt.Sprintf("Tell the user: open Sallyport, inbox item %s.", d.Code)
	}
	return "[Sallyport] " + text + " " + tell + " " + final, d
}

// settle adjusts code and kind of a refusal where they differ from the item's, and returns the advice.
func (d *Decision) settle(why Reason, s Subject, state *control.State) (final string) {
	final = "Do not retry; retrying will not help."
	const soon = "Try again in a minute."
	switch why {
	case Unreviewed:
		d.Kind = cmp.Or(d.Kind, vocab.ItemNewServer)
	case Launch:
		d.Code, d.Kind = "", vocab.ItemLaunch
		if state.Launch != nil {
			d.Code = state.Launch.Code
		}
	case LaunchUnseen:
		d.Code, d.Kind, final = "", vocab.ItemLaunch, soon
	case Version:
		d.Code, d.Kind = "", kindNoVersion
	case Removed:
		d.Code = ""
	case Unknown:
		if _, waits := state.Items[s.Item]; !waits {
			d.Code = ""
		}
	case Unverified:
		d.Code, d.Kind, final = "", kindUnverified, soon
		if s.Ran {
			final = "The call may have had an effect."
		}
	case Unlisted:
		d.Code, d.Kind, final = "", kindUnverified, soon
	case NoHub:
		d.Code, d.Kind, final = "", kindNoHub, soon
		if state.Strange {
			final = "Do not retry before that."
		}
	case Uninitialized:
		d.Code, d.Kind, final = "", kindUninitialized, "Send initialize first."
	case None, Blocked, Changed, New, Rejected, Nothing, Dropped, Withheld, Unread: // the item's own
	}
	return final
}

// sentence says what happened. ran means that the request reached the server; strange, that the program may not be a real hub.
func sentence(why Reason, ran bool, server, phrase string, strange bool) string {
	notRun, nothingRun, notThrough := "so it was not run.", "so nothing was run.", "so this was blocked."
	if ran {
		notRun, nothingRun, notThrough = "so its response was dropped.", "so the response was dropped.", "so the response was dropped."
	}
	switch why {
	case Unreviewed:
		return fmt.Sprintf("The user has not reviewed the server %q yet, %s", server, nothingRun)
	case Blocked:
		return fmt.Sprintf("The whole server %q is blocked, %s", server, nothingRun)
	case Launch:
		return fmt.Sprintf("The program of the server %q changed since it was last allowed, %s", server, nothingRun)
	case LaunchUnseen:
		return fmt.Sprintf("Sallyport is still checking the program of the server %q, %s", server, notThrough)
	case Version:
		return fmt.Sprintf("The server %q speaks a protocol version that Sallyport does not support, %s", server, nothingRun)
	case Changed:
		return phrase + " changed since it was last allowed, " + notRun
	case Dropped:
		return phrase + " changed while it ran, so its response was dropped."
	case Withheld:
		return phrase + " has the same or nearly the same name as another item, " + notRun
	case Unread:
		return phrase + " has a definition that can be read in two ways, " + notRun
	case New:
		return phrase + " is new and has not been allowed yet, " + notRun
	case Rejected:
		return phrase + " is blocked by the user, " + notRun
	case Removed:
		return phrase + " is no longer offered by the server, " + notRun
	case Unknown:
		return phrase + " has not been allowed, " + notRun
	case Unverified:
		return fmt.Sprintf("Sallyport could not check in time whether the server %q changed, %s", server, notThrough)
	case Nothing:
		return fmt.Sprintf("Nothing from the server %q is allowed, %s", server, nothingRun)
	case Unlisted:
		return fmt.Sprintf("Sallyport can't read what the server %q declares, %s", server, nothingRun)
	case NoHub:
		if strange {
			return fmt.Sprintf("Sallyport was updated while it was running, or another program responds in its place, so the server %q is blocked until Claude is restarted.", server)
		}
		return fmt.Sprintf("Sallyport isn't responding, so the server %q is blocked.", server)
	case Uninitialized:
		return "A request before initialize is blocked."
	case None: // nothing was refused
	}
	return phrase + " is not allowed, " + notRun
}

// Summary is the reason for the timeline. ran means that the request reached the server.
func (why Reason) Summary(ran bool) string {
	if ran && why != Dropped {
		return "response dropped: " + why.summary()
	}
	return why.summary()
}

func (why Reason) summary() string {
	switch why {
	case Launch:
		return "the server's program is not the one you allowed"
	case LaunchUnseen:
		return "the server's program is still being checked"
	case Unreviewed:
		return "you haven't reviewed the server yet"
	case Blocked:
		return "the whole server is blocked"
	case Changed:
		return "it changed since you allowed it"
	case Dropped:
		return "response dropped: the tool changed while it ran"
	case New:
		return "it is new and not allowed yet"
	case Rejected:
		return "you blocked it"
	case Removed:
		return "the server no longer offers it"
	case Withheld:
		return "another item of the server has the same or nearly the same name"
	case Unread:
		return "its definition can be read in two ways"
	case Unknown:
		return "you haven't allowed anything of this name"
	case Unverified:
		return "the check took too long"
	case Nothing:
		return "nothing from this server is allowed"
	case Version:
		return "the server speaks a different protocol version"
	case Unlisted:
		return "Sallyport couldn't read what the server declares"
	case NoHub:
		return "Sallyport isn't running"
	case Uninitialized:
		return "it came before initialize"
	case None: // nothing was refused
	}
	return "not allowed"
}
