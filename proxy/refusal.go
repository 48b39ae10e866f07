package proxy

import (
	"fmt"

	"github.com/sallyport/sallyport/proxy/control"
	"github.com/sallyport/sallyport/proxy/frame"
	"github.com/sallyport/sallyport/proxy/inspect/legible"
	"github.com/sallyport/sallyport/proxy/pin"
)

// CodeRefused is the JSON-RPC error code of a refused request that is no tools/call.
const CodeRefused = 4030

// reason is why something was not let through. Each has one sentence in why.
type reason uint8

const (
	reasonNone          reason = iota
	reasonUnreviewed           // nobody has looked at the server yet
	reasonBlocked              // the server is blocked whole
	reasonChanged              // declared otherwise than approved
	reasonNew                  // declared, never approved
	reasonRejected             // a person said no, or took the approval back
	reasonRemoved              // was approved, is not declared now
	reasonUnknown              // names nothing that is approved
	reasonUnverified           // the check that must come first did not come to an end
	reasonNothing              // somebody looked, and allowed nothing of it
	reasonUnlisted             // the same of a server of which nothing waits: nobody can look at what could not be read
	reasonNoHub                // no state was ever received
	reasonUninitialized        // a call before initialize
	reasonDropped              // the answer was dropped because the item changed while it ran
	reasonLaunch               // what it runs is not what was allowed to run
	reasonLaunchUnseen         // what it runs has not been seen yet (pins.launch = block)
	reasonWithheld             // declared under a name that another item has too, or nearly
	reasonVersion              // it speaks a protocol version that we do not
	reasonUnread               // declared in a text that has no one reading
)

// subject is what a refusal speaks about. Name is the server's or the client's word and goes through spoken before it
// stands in a sentence.
type subject struct {
	item    string // pin key, "" for a method that names nothing
	name    string
	noun    string // tool, prompt, resource, request
	ordinal int    // place of a tool in its listing, 0 where unknown
	ran     bool   // the request reached the server: what is refused is its answer
}

// decision is the object a client finds under _meta."sallyport/decision", or as data of a JSON-RPC error.
type decision struct {
	code   string
	kind   string
	server string
	tool   string
	status string
}

func (d decision) append(dst []byte) []byte {
	dst = append(dst, `{"code":`...)
	if d.code == "" {
		dst = append(dst, "null"...)
	} else {
		dst = frame.AppendString(dst, d.code)
	}
	dst = append(dst, `,"kind":`...)
	dst = frame.AppendString(dst, d.kind)
	dst = append(dst, `,"server":`...)
	dst = frame.AppendString(dst, d.server)
	dst = append(dst, `,"tool":`...)
	if d.tool == "" {
		dst = append(dst, "null"...)
	} else {
		dst = frame.AppendString(dst, d.tool)
	}
	dst = append(dst, `,"status":`...)
	dst = frame.AppendString(dst, d.status)
	return append(dst, '}')
}

// spoken is how a subject is named in our own words: the server never speaks through us, so only a plain name is quoted.
func spoken(s subject, server string) (phrase, clean string) {
	clean = legible.Name(s.name, "")
	switch {
	case clean != "":
		return fmt.Sprintf("The %s %q", s.noun, clean), clean
	case s.noun == "tool" && s.ordinal > 0:
		clean = fmt.Sprintf("tool %d of %s", s.ordinal, server)
		return "The " + clean, clean
	default:
		clean = fmt.Sprintf("a %s of %s", s.noun, server)
		return "A" + clean[1:], clean
	}
}

// refusal is what the client is told: the sentence and the decision object.
func refusal(why reason, s subject, state *control.State) (text string, d decision) {
	server := legible.SpokenServer(state.Name, "this server")
	if why == reasonUnreviewed {
		s.ordinal = 0
	}
	phrase, clean := spoken(s, server)
	d = decision{kind: "blocked", server: server, status: "blocked"}
	if s.noun == "tool" {
		d.tool = clean
	}
	d.code, d.kind = state.Code, state.Kind
	// Of a server nobody has reviewed the refusal is the same whether the tool exists or not.
	if item, known := state.Items[s.item]; known && item.Code != "" && why != reasonUnreviewed {
		d.code = item.Code
	}
	final := "Do not retry; retrying will not help."
	notRun, nothingRun, notThrough := "so it was not run.", "so nothing was run.", "so this was blocked."
	if s.ran {
		notRun, nothingRun, notThrough = "so its response was dropped.", "so the response was dropped.", "so the response was dropped."
	}
	switch why {
	case reasonUnreviewed:
		text = fmt.Sprintf("The user has not reviewed the server %q yet, %s", server, nothingRun)
		d.kind = orElse(d.kind, "new_server")
	case reasonBlocked:
		text = fmt.Sprintf("The whole server %q is blocked, %s", server, nothingRun)
	case reasonLaunch:
		text = fmt.Sprintf("The program of the server %q changed since it was last allowed, %s", server, nothingRun)
		d.code, d.kind = "", "launch"
		if state.Launch != nil {
			d.code = state.Launch.Code
		}
	case reasonLaunchUnseen:
		text = fmt.Sprintf("Sallyport is still checking the program of the server %q, %s", server, notThrough)
		d.code, d.kind, final = "", "launch", "Try again in a minute."
	case reasonVersion:
		text = fmt.Sprintf("The server %q speaks a protocol version that Sallyport does not support, %s", server, nothingRun)
		d.code, d.kind = "", "no_common_version"
	case reasonChanged:
		text = phrase + " changed since it was last allowed, " + notRun
	case reasonDropped:
		text = phrase + " changed while it ran, so its response was dropped."
	case reasonWithheld:
		text = phrase + " has the same or nearly the same name as another item, " + notRun
	case reasonUnread:
		text = phrase + " has a definition that can be read in two ways, " + notRun
	case reasonNew:
		text = phrase + " is new and has not been allowed yet, " + notRun
	case reasonRejected:
		text = phrase + " is blocked by the user, " + notRun
	case reasonRemoved:
		text = phrase + " is no longer offered by the server, " + notRun
		d.code = ""
	case reasonUnknown:
		text = phrase + " has not been allowed, " + notRun
		if _, waits := state.Items[s.item]; !waits {
			d.code = ""
		}
	case reasonUnverified:
		text = fmt.Sprintf("Sallyport could not check in time whether the server %q changed, %s", server, notThrough)
		d.code, d.kind, final = "", "unverified", "Try again in a minute."
		if s.ran {
			final = "The call may have had an effect."
		}
	case reasonNothing:
		text = fmt.Sprintf("Nothing from the server %q is allowed, %s", server, nothingRun)
	case reasonUnlisted:
		text = fmt.Sprintf("Sallyport can't read what the server %q declares, %s", server, nothingRun)
		d.code, d.kind, final = "", "unverified", "Try again in a minute."
	case reasonNoHub:
		text = fmt.Sprintf("Sallyport isn't responding, so the server %q is blocked.", server)
		d.code, d.kind, final = "", "no_hub", "Try again in a minute."
		if state.Strange {
			text = fmt.Sprintf("Sallyport was updated while it was running, or another program responds in its place, so the server %q is blocked until Claude is restarted.", server)
			final = "Do not retry before that."
		}
	case reasonUninitialized:
		text = "A request before initialize is blocked."
		d.code, d.kind, final = "", "uninitialized", "Send initialize first."
	default:
		text = phrase + " is not allowed, " + notRun
	}
	d.kind = orElse(d.kind, "blocked")
	tell := "Tell the user: open Sallyport."
	if d.code != "" {
		tell = fmt.Sprintf("Tell the user: open Sallyport, inbox item %s.", d.code)
	}
	if why == reasonUninitialized {
		return "[Sallyport] " + text + " " + final, d
	}
	return "[Sallyport] " + text + " " + tell + " " + final, d
}

// refuse builds the answer line for a request: a tool result for tools/call, a JSON-RPC error for any other method.
func refuse(id []byte, m method, text string, d decision) []byte {
	if m != methodCall {
		return errorLine(id, CodeRefused, text, d.append(nil))
	}
	line := appendHead(make([]byte, 0, 512), id)
	line = append(line, `,"result":{"content":[{"type":"text","text":`...)
	line = frame.AppendString(line, text)
	line = append(line, `}],"isError":true,"_meta":{"sallyport/decision":`...)
	line = d.append(line)
	return append(line, "}}}\n"...)
}

// errorLine is a JSON-RPC error of ours. data is JSON or nil.
func errorLine(id []byte, code int, message string, data []byte) []byte {
	line := appendHead(make([]byte, 0, 256), id)
	line = fmt.Appendf(line, `,"error":{"code":%d,"message":`, code)
	line = frame.AppendString(line, message)
	if data != nil {
		line = append(line, `,"data":`...)
		line = append(line, data...)
	}
	return append(line, "}}\n"...)
}

// resultLine is an answer of ours. result is JSON.
func resultLine(id []byte, result []byte) []byte {
	line := appendHead(make([]byte, 0, 64+len(result)), id)
	line = append(line, `,"result":`...)
	line = append(line, result...)
	return append(line, "}\n"...)
}

func appendHead(dst, id []byte) []byte {
	dst = append(dst, `{"jsonrpc":"2.0","id":`...)
	if len(id) == 0 {
		return append(dst, "null"...)
	}
	return append(dst, id...)
}

func orElse(s, otherwise string) string {
	if s == "" {
		return otherwise
	}
	return s
}

// itemNoun is how a kind of item is called in a sentence.
func itemNoun(kind pin.Kind) string {
	switch kind {
	case pin.Tool:
		return "tool"
	case pin.Prompt:
		return "prompt"
	case pin.Resource, pin.ResourceTemplate:
		return "resource"
	}
	return "request"
}
