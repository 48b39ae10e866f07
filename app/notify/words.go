package notify

import (
	"fmt"
	"strings"

	"github.com/sallyport/sallyport/proxy/inspect/legible"
	"github.com/sallyport/sallyport/proxy/vocab"
)

// Subject is what a note says about an inbox item. None of it is server text: Server is the name in the client's file, shown only if it is
// harmless.
type Subject struct {
	Kind    vocab.ItemKind // of the inbox item
	Server  string         // "" if it is about a file, or about Sallyport itself
	Code    string
	Grave   bool   // Critical
	Hidden  bool   // a finding says that text is hidden from the reader
	Tools   int    // how many tools changed; 0 if unknown, or if more than tools changed
	Blocked bool   // a launch that is not started until a person decides
	Launch  string // the kind of a changed launch: "program", "loader", "secret", "address", "surroundings", "" if unknown
	Asked   bool   // a model asked for it, through a tool
	Found   bool   // a held response with a High or Critical finding
	Flow    bool   // a call that is asked about because of what it carries or does
	From    string // and the server whose response may have led to it, "" for none

	Client, Next string // a client that has not seen something yet: its name, and what helps
}

// Say is the note for an inbox item. An unknown kind gets words that are true of every kind.
func Say(s Subject) Note {
	if s.Kind == vocab.NoticeUnseen {
		next := SafeName(s.Next, "")
		if next == "" || next != s.Next { // don't show half a sentence
			next = "restart the client"
		}
		client := SafeName(s.Client, "A client")
		return Note{Key: s.Code, Route: "#/servers", Action: "Open Sallyport",
			Title: plain(client, maxTitle-len(" hasn't seen what you allowed")) + " hasn't seen what you allowed",
			Body:  "To use it there: " + next + "."}
	}
	n := Note{Key: s.Code, Route: "#/inbox/" + s.Code, Action: "Review", Later: true}
	if s.Grave {
		n.Urgency = Critical
	}
	name := SafeName(s.Server, "")
	// of puts the name into a title, cut so that the words after it are visible.
	of := func(format, nameless string) string {
		if name == "" {
			return nameless
		}
		return fmt.Sprintf(format, legible.NarrowName(name, maxTitle-len(format)+len("%s")))
	}
	who := name
	if who == "" {
		who = "a server"
	}
	switch {
	case s.Asked:
		n.Title, n.Body = "Claude asks for your review", "Claude asked you to look at "+who+". What is blocked stays blocked until you decide."
	case s.Kind == vocab.ItemNewServer:
		n.Title, n.Body = of("New server: %s", "New server"), "It's blocked until you check what it can do."
	case s.Kind == vocab.ItemChanged && s.Grave && s.Hidden && s.Tools == 0:
		n.Title, n.Body = "Blocked: hidden instructions", "What "+who+" declares now hides orders for Claude. Sallyport blocked it; nothing ran."
	case s.Kind == vocab.ItemChanged && s.Grave && s.Hidden:
		n.Title, n.Body = "Blocked: hidden instructions in a tool", "A tool from "+who+" now hides orders for Claude. Sallyport blocked it, and it hasn't run."
	case s.Kind == vocab.ItemChanged && s.Grave:
		n.Title, n.Body = "Blocked: a dangerous change", "What "+who+" declares now may act against you. It is blocked. Nothing ran."
	case s.Kind == vocab.ItemChanged && s.Tools > 1:
		n.Title, n.Body = "Tools changed and are blocked", fmt.Sprintf("%d tools from %s changed. They stay blocked until you review them.", s.Tools, who)
	case s.Kind == vocab.ItemChanged && s.Tools == 1:
		n.Title, n.Body = "A tool changed and is blocked", "A tool from "+who+" changed. It stays blocked until you review it."
	case s.Kind == vocab.ItemChanged:
		n.Title, n.Body = of("%s changed", "A server changed"), "What changed stays blocked until you review it."
	case s.Kind == vocab.ItemLaunch:
		n.Title, n.Body = of("%s starts differently", "A server starts differently"), launchWords(s)
	case s.Kind == vocab.ItemUnguarded && name != "":
		n.Title, n.Body = of("%s is not guarded", ""), "The guard was removed from Claude's settings. Claude can use it unchecked."
	case s.Kind == vocab.ItemUnguarded:
		n.Title, n.Body = "A server is not guarded", "Claude's settings changed. Claude can use a server unchecked."
	case s.Kind == vocab.ItemConfigChanged:
		n.Title, n.Body = "Claude's settings changed", "Servers were added, changed or removed. Review the changes."
	case s.Kind == vocab.ItemExtension:
		n.Title, n.Body = of("Extension %s is new or changed", "An extension is new or changed"), "Claude runs its extensions itself, so Sallyport can't block it. Review it."
	case s.Kind == vocab.ItemSettingsChanged:
		n.Title, n.Body = "A setting needs your review", "Someone made a setting less safe. It has no effect until you allow it."
	case s.Kind == vocab.ItemResponseHeld && s.Found:
		n.Title, n.Body = "Response held for review", "Something "+who+" sent looks like an order to Claude. Claude hasn't seen it."
	case s.Kind == vocab.ItemResponseHeld:
		n.Title, n.Body = "Response held for review", "Something "+who+" sent needs your review. Claude hasn't seen it."
	case s.Kind == vocab.ItemLogin:
		n.Title, n.Body = of("%s wants a sign-in", "A server wants a sign-in"), "Claude can't use it until you sign in. Sallyport opens no page by itself."
	case s.Kind == vocab.ItemCallWaiting && s.Flow && s.From != "":
		n.Title, n.Body = of("A call to %s needs your review", "A call needs your review"), "Something "+SafeName(s.From, "a server")+" said may have made Claude do it. It hasn't run."
	case s.Kind == vocab.ItemCallWaiting && s.Flow:
		n.Title, n.Body = of("A call to %s needs your review", "A call needs your review"), "It may do something you don't want. It hasn't run."
	case s.Kind == vocab.ItemCallWaiting:
		n.Title, n.Body = "A call needs your review", "Claude called a tool from "+who+" that you decide on each time. It hasn't run."
	case s.Kind == vocab.ItemInteraction:
		n.Title, n.Body = "A request was blocked", "Sallyport blocked something that "+who+" asked of Claude. See what it was."
	case s.Kind == vocab.ItemProblem && name != "":
		n.Title, n.Body, n.Action = of("%s is blocked", ""), "Sallyport couldn't start it, so Claude can't use it.", "See why"
	case s.Kind == vocab.ItemProblem:
		n.Title, n.Body, n.Action = "Sallyport has a problem", "Servers stay blocked until you fix it.", "See why"
	default:
		n.Title, n.Body = "An item needs your review", "It stays blocked until you review it."
	}
	return n
}

// launchWords say what differs at a start, and mention the program only if it differs.
func launchWords(s Subject) string {
	what := "Sallyport can't tell which program it would start."
	switch s.Launch {
	case "program":
		what = "It would start a different program than the one you allowed."
	case "loader":
		what = "It's the same command, but a variable can now load other code."
	case "secret":
		what = "It's the same command, but it would get one of your stored secrets."
	case "address":
		what = "Its name leads to another kind of address, or it is spoken to in another way."
	case "surroundings":
		what = "It's the same program, in a different folder or with different variables."
	}
	if s.Blocked {
		return what + " Blocked until you review it."
	}
	return what + " It is still running."
}

// Lengths that every desktop shows uncut. A body of ours is one or two sentences; anything longer did not come from Say.
const (
	maxTitle = 45
	maxBody  = 120
	maxName  = legible.MaxNarrowName
)

// The buttons of a note, as named to the system.
const (
	actionOpen  = "open"
	actionLater = "later"
)

const maxShown = 256 // notes remembered; a daemon reports when one is gone, other systems do not

// SafeName is a server's name for our own sentences, cut in the middle with its mark kept, or otherwise ("a server") if it could be read as
// something other than a name: it must be clean, without markup and quotes.
func SafeName(name, otherwise string) string {
	if name == "" || legible.PersonName(name) != name || strings.ContainsAny(name, "<>&\"'`[](){};:/\\“”„‘’«»") {
		return otherwise
	}
	return legible.NarrowName(name, maxName)
}

// plain cleans text: it drops characters that are invisible or change how others are drawn, collapses white space, isolates right-to-left
// names, and cuts to at most most characters as a reader counts them.
func plain(text string, most int) string {
	return legible.Isolated(legible.FirstOf(legible.PersonName(text), most))
}
