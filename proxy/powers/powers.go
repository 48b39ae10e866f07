// Package powers reads what a server's tools can do: from each tool's own claims (the annotations of the MCP specification), its name, and
// the names of its inputs. Start with Of (one tool) and Sum (all of a server's).
//
// Nothing here is proof. An annotation is the server's own claim, a name is a hint that we read; Basis says which of the two a statement
// rests on and must be shown with it. Descriptions are not read: they are written to persuade. Everything here is pure and decides nothing:
// no item is allowed or blocked by it.
package powers

import (
	"slices"

	"github.com/sallyport/sallyport/proxy/frame"
	"github.com/sallyport/sallyport/proxy/vocab"
)

// Effect is what a call of a tool does to the world.
type Effect string

const (
	Changes Effect = "changes" // changes things
	Reads   Effect = "reads"
	Unsaid  Effect = "unsaid" // neither claims nor names tell
)

// Basis is what a statement rests on.
type Basis string

const (
	Claim Basis = "claim" // the server's annotations
	Names Basis = "names" // Sallyport's reading of the tool's name and inputs
)

// Answer is a tool's answer to one question.
type Answer string

const (
	Yes      Answer = "yes"
	No       Answer = "no"
	NoAnswer Answer = "unsaid"
)

// Touch is something a tool works on, read from its name and inputs.
type Touch string

const (
	Commands Touch = "commands" // runs commands or code
	Files    Touch = "files"
	Data     Touch = "data"     // databases
	Messages Touch = "messages" // mail, chat, notifications
	Browser  Touch = "browser"
	Payments Touch = "payments"
	Secrets  Touch = "secrets" // passwords, keys
	Outside  Touch = "outside" // the network, other services
)

// Dispute is a claim that contradicts the tool's own name.
type Dispute string

const (
	DeletesUnsaid  Dispute = "named_deletes" // says it only reads; its name says it deletes
	ChangesUnsaid  Dispute = "named_changes" // says it only reads; its name says it changes something
	SendsUnsaid    Dispute = "named_sends"   // says it only reads; its name says it sends something
	RunsUnsaid     Dispute = "named_runs"    // says it only reads; its name says it runs commands
	KeepsUnsaid    Dispute = "named_kept"    // says it deletes nothing; its name says it deletes
	ReachesOutside Dispute = "named_outside" // says it stays inside; its name says it goes to the network
)

// Tool is what one tool can do.
type Tool struct {
	Effect   Effect    `json:"effect"`
	Basis    Basis     `json:"basis,omitempty"`    // of the effect; "" if unsaid
	Deletes  Answer    `json:"deletes"`            // whether a tool that changes things deletes or overwrites
	Repeat   Answer    `json:"repeat"`             // whether repeating a call is claimed to be harmless
	Outside  Answer    `json:"outside"`            // whether it claims to reach outside
	Touches  []Touch   `json:"touches,omitempty"`  // by its names, most serious first
	Sends    bool      `json:"sends,omitempty"`    // by its names, it sends messages
	Disputes []Dispute `json:"disputes,omitempty"` // claims that its name contradicts
	// Classes are those for which calls are asked about where a value in them came from (flow.policy), unless tools.class says otherwise.
	Classes []vocab.CallClass `json:"class,omitempty"`
}

// Of reads one tool's definition as delivered. Anything else says nothing.
func Of(definition []byte) Tool {
	name, inputs := inputsOf(definition)
	read := readNames(name, inputs)
	t := Tool{Effect: read.effect, Deletes: NoAnswer, Repeat: NoAnswer, Outside: NoAnswer, Touches: read.touches, Sends: read.sends}
	if t.Effect != Unsaid {
		t.Basis = Names
	}
	if t.Effect == Changes && read.deletes {
		t.Deletes = Yes
	}
	t.claim(claimsOf(definition), read)
	t.Classes = ClassesOf(definition).Names()
	return t
}

// claims are the four hints of the specification. A missing hint, or one that is not a boolean, is NoAnswer.
type claims struct{ readOnly, destructive, idempotent, openWorld Answer }

func claimsOf(definition []byte) claims {
	answer := func(key string) Answer {
		v, ok := frame.Find(definition, frame.Root(definition), "annotations", key)
		if !ok {
			return NoAnswer
		}
		switch string(v.Of(definition)) {
		case "true":
			return Yes
		case "false":
			return No
		}
		return NoAnswer
	}
	return claims{answer("readOnlyHint"), answer("destructiveHint"), answer("idempotentHint"), answer("openWorldHint")}
}

// claim combines the annotations with what the names say. Where a tool is silent, the specification (2025-06-18, schema, ToolAnnotations)
// assumes readOnlyHint false, destructiveHint true, idempotentHint false and openWorldHint true, and it gives destructive and idempotent a
// meaning only if a tool is not read-only. We show silence as silence, so only the second rule is applied: a tool that changes things
// without saying whether it deletes has Deletes unsaid, which Sum takes for "perhaps". A name that contradicts a harmless claim wins, and
// the dispute is shown; one that contradicts a grave claim loses.
func (t *Tool) claim(c claims, read reading) {
	t.Outside = c.openWorld
	switch {
	case c.readOnly == Yes && read.strong == "":
		t.Effect, t.Basis, t.Deletes = Reads, Claim, NoAnswer
	case c.readOnly == Yes:
		t.Disputes = append(t.Disputes, read.strong)
	case c.readOnly == No, c.destructive == Yes:
		t.Effect, t.Basis, t.Repeat = Changes, Claim, c.idempotent
		switch {
		case c.destructive == No && read.deletes && read.effect == Changes:
			t.Disputes = append(t.Disputes, KeepsUnsaid)
		case c.destructive != NoAnswer:
			t.Deletes = c.destructive
		case read.effect == Changes && read.deletes:
			t.Deletes = Yes
		default:
			t.Deletes = NoAnswer
		}
	}
	if c.openWorld == No && read.outside {
		t.Disputes = append(t.Disputes, ReachesOutside)
	}
}

func (t Tool) touches(what Touch) bool { return slices.Contains(t.Touches, what) }
