// Package refusal has the words for everything that is not let through: why (Reason), what a client is told, as a sentence of ours and a
// decision object (Of), and what the timeline says (Reason.Summary).
//
// The only server text in these words is a plain name, by way of Spoken. The package is pure: it knows no session and no hub.
package refusal

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

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
	TurnedOff            // the person turned the tool off; the client is told what it is told of an unknown one
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
	Renamed              // the client knew another item by its name earlier in the session
	Events               // it is about events of the server, which are not passed yet
	NoTask               // no allowed tool started this task, or it is forgotten
	AnotherPage          // the page that was read is not the one that was approved

	DescribedCritical // inspect.descriptions withholds it for a Critical rule
	DescribedHigh     // and for a High one, in a name

	SkillFile     // none of the files of an approved skill
	SkillMismatch // not what its skill lists
	Uncallable    // no request for it can be sent to the server

	SignIn // the server wants the person to sign in, or to allow more than before
)

// Subject is what a refusal is about. Name is the server's or the client's word and must go through Spoken before it is used in a sentence.
type Subject struct {
	Item    string // pin key, "" for a method that names no item
	Name    string
	Noun    string // tool, prompt, resource, request
	Ordinal int    // position of a tool in its listing, 0 if unknown
	Ran     bool   // the request reached the server: its response is refused
}

// Kinds of refusals that no inbox item is behind.
const (
	kindBlocked       vocab.ItemKind = "blocked"
	kindNoVersion     vocab.ItemKind = "no_common_version"
	kindUnverified    vocab.ItemKind = "unverified"
	kindNoHub         vocab.ItemKind = "no_hub"
	kindUninitialized vocab.ItemKind = "uninitialized"
	kindOutputSchema  vocab.ItemKind = "output_schema"
	kindEvents        vocab.ItemKind = "events"
	kindDescriptions  vocab.ItemKind = "descriptions"
)

// Codes of docs/problems.md.
const (
	codeUnlisted = "SP-224"
	codeEvents   = "SP-225"
)

const (
	never = "Do not retry; retrying will not help."
	soon  = "Try again in a minute."
)

// words are what is said about each reason. In text, {it} is the subject and {server} the quoted server; the others are in effects.
var words = [...]struct {
	summary, text, advice string
	kind                  vocab.ItemKind // instead of the item's; then the refusal has no code
}{
	None:          {"not allowed", "{it} is not allowed, {not run}", never, ""},
	Unreviewed:    {"you haven't reviewed the server yet", "The user has not reviewed the server {server} yet, {nothing run}", never, ""},
	Blocked:       {"the whole server is blocked", "The whole server {server} is blocked, {nothing run}", never, ""},
	Changed:       {"it changed since you allowed it", "{it} changed since it was last allowed, {not run}", never, ""},
	New:           {"it is new and not allowed yet", "{it} is new and has not been allowed yet, {not run}", never, ""},
	Rejected:      {"you blocked it", "{it} is blocked by the user, {not run}", never, ""},
	Removed:       {"the server no longer offers it", "{it} is no longer offered by the server, {not run}", never, ""},
	Unknown:       {"you haven't allowed anything of this name", "{it} has not been allowed, {not run}", never, ""},
	TurnedOff:     {"you turned this tool off", "{it} has not been allowed, {not run}", never, ""},
	Unverified:    {"the check took too long", "Sallyport could not check in time whether the server {server} changed, {blocked}", soon, kindUnverified},
	Nothing:       {"nothing from this server is allowed", "Nothing from the server {server} is allowed, {nothing run}", never, ""},
	Unlisted:      {"Sallyport couldn't read what the server declares", "Sallyport can't read what the server {server} declares, {nothing run}", soon, kindUnverified},
	NoHub:         {"Sallyport isn't running", "Sallyport isn't responding, so the server {server} is blocked.", soon, kindNoHub},
	Uninitialized: {"it came before initialize", "A request before initialize is blocked.", "Send initialize first.", kindUninitialized},
	Dropped:       {"response dropped: the tool changed while it ran", "{it} changed while it ran, so its response was dropped.", never, ""},
	Launch:        {"the server's program is not the one you allowed", "The program of the server {server} changed since it was last allowed, {nothing run}", never, vocab.ItemLaunch},
	LaunchUnseen:  {"the server's program is still being checked", "Sallyport is still checking the program of the server {server}, {blocked}", soon, vocab.ItemLaunch},
	Withheld:      {"another item of the server has the same or nearly the same name", "{it} has the same or nearly the same name as another item, {not run}", never, ""},
	Version:       {"the server speaks a different protocol version", "The server {server} speaks a protocol version that Sallyport does not support, {nothing run}", never, kindNoVersion},
	Renamed:       {"another item had this name earlier in the session", "{it} is not the one that had this name earlier in this session, {not run}", "Use the name in a new listing of what the server offers.", kindBlocked},
	Events:        {"events of servers are not supported yet", "Sallyport does not pass events of servers yet (" + codeEvents + "), {blocked}", never, kindEvents},
	NoTask:        {"no allowed tool started this task, or it is too old", "{it} was not started by a tool that the user allowed, or it is too old, {blocked}", never, kindBlocked},
	Unread:        {"its definition can be read in two ways", "{it} has a definition that can be read in two ways, {not run}", never, ""},

	AnotherPage: {"it is not the page you allowed", "{it} is not the page that was last allowed, {not run}", never, vocab.ItemChanged},

	DescribedCritical: {"its definition matches a Critical rule (inspect.descriptions)", "{it} has a definition that matches a Critical rule, which the user blocks, {not run}", never, kindDescriptions},
	DescribedHigh:     {"its name matches a High rule (inspect.descriptions)", "{it} has a name that matches a High rule, which the user blocks, {not run}", never, kindDescriptions},

	SkillFile: {"it is none of the files of a skill you allowed", "{it} is none of the files of a skill that the user allowed, {not run}", never, ""},
	SignIn:    {"the server wants you to sign in", "The server {server} wants the user to sign in, {not run}", "Try again after the user has signed in.", vocab.ItemLogin},

	Uncallable:    {"it wants arguments in HTTP headers in a way that can't be sent", "{it} wants arguments in HTTP headers in a way that can't be sent, {not run}", never, ""},
	SkillMismatch: {"it is not what its skill lists", "{it} is not what its skill lists, {not run}", never, ""},
}

// effects are what the refusal did, by whether the request had reached the server.
var effects = map[bool][]string{
	false: {"{not run}", "so it was not run.", "{nothing run}", "so nothing was run.", "{blocked}", "so this was blocked."},
	true:  {"{not run}", "so its response was dropped.", "{nothing run}", "so the response was dropped.", "{blocked}", "so the response was dropped."},
}

// Decision is the object a client finds under _meta."sallyport/decision", or as data of a JSON-RPC error.
type Decision struct {
	Code   string
	Kind   vocab.ItemKind
	Server string
	Tool   string
	Status vocab.Outcome
}

// Append appends the object as JSON.
func (d Decision) Append(dst []byte) []byte {
	dst = appendOrNull(append(dst, `{"code":`...), d.Code)
	dst = frame.AppendString(append(dst, `,"kind":`...), string(d.Kind))
	dst = frame.AppendString(append(dst, `,"server":`...), d.Server)
	dst = appendOrNull(append(dst, `,"tool":`...), d.Tool)
	dst = frame.AppendString(append(dst, `,"status":`...), string(d.Status))
	return append(dst, '}')
}

func appendOrNull(dst []byte, s string) []byte {
	if s == "" {
		return append(dst, "null"...)
	}
	return frame.AppendString(dst, s)
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
	item, known := state.Items[s.Item]
	if why == TurnedOff {
		why, item, known, s.Ordinal = Unknown, control.ItemState{}, false, 0
	}
	phrase, clean := Spoken(s, server)
	d = Decision{Server: server, Status: vocab.OutcomeBlocked}
	if s.Noun == "tool" {
		d.Tool = clean
	}
	said := words[why]
	advice := said.advice
	d.Code, d.Kind = state.Code, state.Kind
	// For an unreviewed server the refusal does not reveal whether the tool exists.
	if known && item.Code != "" && why != Unreviewed {
		d.Code = item.Code
	}
	if said.kind != "" {
		d.Code, d.Kind = "", said.kind
	}
	if why == AnotherPage {
		d.Code = item.Code
	}
	switch {
	case why == Unreviewed:
		d.Kind = cmp.Or(d.Kind, vocab.ItemNewServer)
	case why == Launch && state.Launch != nil:
		d.Code = state.Launch.Code
	case why == SignIn:
		d.Code = state.SignIn.Code
	case why == Unknown && !known:
		d.Code = ""
		advice = "Only what a listing of the server names can be allowed (" + codeUnlisted + "). " + advice
	case why == Removed:
		d.Code = ""
	case why == Unverified && s.Ran:
		advice = "The call may have had an effect."
	case why == NoHub && state.Strange: // it may not be the real hub
		said.text = "Sallyport was updated while it was running, or another program responds in its place, so the server {server} is blocked until Claude is restarted."
		advice = "Do not retry before that."
	}
	d.Kind = cmp.Or(d.Kind, kindBlocked)
	tell := " Tell the user: open Sallyport."
	switch {
	case why == Uninitialized, why == Events:
		tell = ""
	case d.Code != "":
		tell = fmt.Sprintf(" Tell the user: open Sallyport, inbox item %s.", d.Code)
	}
	fill := strings.NewReplacer(append([]string{"{it}", phrase, "{server}", strconv.Quote(server)}, effects[s.Ran]...)...)
	return "[Sallyport] " + fill.Replace(said.text) + tell + " " + advice, d
}

// Mismatch is what the client is told about a response that does not match its tool's output schema: the keyword that it breaks, and where
// in the schema that is, "" if the place may not be told. Nothing of the response is in it.
func Mismatch(keyword, place string, s Subject, state *control.State) (text string, d Decision) {
	server := legible.SpokenServer(state.Name, "this server")
	phrase, clean := Spoken(s, server)
	if place != "" {
		keyword += " at " + place
	}
	text = fmt.Sprintf("[Sallyport] The answer of %s does not match its output schema (%s), so it was not delivered. The tool was run, so the call may have had an effect. "+
		"Tell the user: open Sallyport and see Activity. %s", strings.ToLower(phrase[:1])+phrase[1:], keyword, never)
	return text, Decision{Kind: kindOutputSchema, Server: server, Tool: clean, Status: vocab.OutcomeBlocked}
}

// Asked is what the client is told about a call that only a person's decision lets through. most is how many calls may wait.
func Asked(call control.CallAnswer, check vocab.CallCheck, most int, s Subject, state *control.State) (text string, d Decision) {
	server := legible.SpokenServer(state.Name, "this server")
	phrase, clean := Spoken(s, server)
	d = Decision{Code: call.Code, Kind: vocab.ItemCallWaiting, Server: server, Tool: clean, Status: vocab.OutcomeBlocked}
	tell := fmt.Sprintf(" Tell the user: open Sallyport, inbox item %s.", call.Code)
	switch call.State {
	case vocab.CallRefused:
		text = fmt.Sprintf("%s was not run, because the user refused this call.%s %s", phrase, tell, never)
	case vocab.CallFull:
		text = fmt.Sprintf("%s was not run, because %d calls already wait for the user.%s Call it again once the user has decided on some of them.", phrase, most, tell)
	default:
		why := "the user decides on each of its calls"
		if check == vocab.CheckFlow {
			why = flowWords(call.Rules) + ", and the user has to see it first"
		}
		text = fmt.Sprintf("%s was not run, because %s.%s Once the user has allowed this call, make it again with the same arguments, and it will run.", phrase, why, tell)
	}
	return "[Sallyport] " + text, d
}

// flowWords say why a call is asked about whose tool's mode doesn't say so, by rules of docs/flow.md.
func flowWords(rules []int) string {
	switch {
	case slices.Equal(rules, []int{3}):
		return "a server's response ordered it"
	case slices.Equal(rules, []int{4}), slices.Equal(rules, []int{3, 4}):
		return "it changes a password, a key, a role or a permission"
	}
	return "something in it came out of a server's response"
}

// TooLarge is what the client is told about such a call whose arguments nobody would read, or can read in only one way.
func TooLarge(rules []int, check vocab.CallCheck, s Subject, state *control.State) (text string, d Decision) {
	server := legible.SpokenServer(state.Name, "this server")
	phrase, clean := Spoken(s, server)
	why := "the user decides on each of its calls"
	if check == vocab.CheckFlow {
		why = flowWords(rules)
	}
	return "[Sallyport] " + phrase + " was not run, because " + why + " and Sallyport can't show these arguments. Make them shorter (at most 1 MiB), with each name once in an object.",
		Decision{Kind: vocab.ItemCallWaiting, Server: server, Tool: clean, Status: vocab.OutcomeBlocked}
}

// Summary is the reason for the timeline. ran means that the request reached the server.
func (why Reason) Summary(ran bool) string {
	if ran && why != Dropped {
		return "response dropped: " + words[why].summary
	}
	return words[why].summary
}
