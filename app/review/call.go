package review

import (
	"encoding/json"
	"slices"
	"time"

	"github.com/sallyport/sallyport/app/identity"
	"github.com/sallyport/sallyport/proxy/control"
	"github.com/sallyport/sallyport/proxy/pin"
	"github.com/sallyport/sallyport/proxy/vocab"
	"github.com/sallyport/sallyport/store"
)

// CallOf is what an item is about that asks for a call.
func CallOf(it store.Item) (call store.Call) {
	_ = json.Unmarshal(it.Detail, &call)
	return call
}

// CallItem is the item about a call. arguments are shown as they are: secrets are masked already.
func CallItem(server store.Server, code, digest string, call store.Call, arguments []byte, now time.Time) store.Item {
	title := identity.ShortName(server) + " has a call that needs your review"
	if tool := ToolOf(call.Item); tool != "" {
		title = identity.ShortName(server) + ": a call of " + tool + " needs your review"
	}
	detail, _ := json.Marshal(call)
	it := store.Item{
		Code: code, Kind: vocab.ItemCallWaiting, ServerID: server.ID, Severity: vocab.SeverityReview, Title: title, Digest: digest, Created: now, Updated: now, Detail: detail,
		Parts: []store.Part{{Item: call.Item, State: vocab.PartNew, Digest: digest, Definition: arguments}},
	}
	if call.Grave {
		it.Severity = vocab.SeverityHigh
	}
	if call.Client != "" {
		it.Clients = []string{call.Client}
	}
	return it
}

// reasonOf is what a person is told of a reason.
func reasonOf(r store.CallReason) control.CallReason {
	told := control.CallReason{Check: r.Check, Rule: r.Rule, At: r.At, Value: r.Value, Kind: r.Kind, Overflowed: r.Overflowed}
	for _, from := range r.From {
		tool := from.Item
		if name, is := pin.ToolName(from.Item); is {
			tool = name
		}
		told.From = append(told.From, control.CallEnd{Server: from.Server, Tool: tool, Request: from.Request, Time: from.Time.UTC(), As: from.As, Member: from.Member})
	}
	return told
}

// allows reports whether something that is allowed for good is what a decision about this call allowed, whichever item it was allowed from last.
func allows(a store.AllowedCall, server string, call store.Call) bool {
	if a.ServerID != server || a.Item != call.Item {
		return false
	}
	if a.FlowRule == 0 {
		return call.Check == vocab.CheckAsk && a.Same == call.Same
	}
	return slices.ContainsFunc(call.Reasons, func(r store.CallReason) bool { return r.Same == a.Same })
}

// tellCall fills in what a list says of a call.
func tellCall(out *control.InboxItem, it store.Item) {
	call := CallOf(it)
	name, _ := pin.ToolName(call.Item)
	out.Client, out.Expires = call.Client, call.Expires.UTC()
	if call.Check == vocab.CheckAsk {
		out.Reasons = append(out.Reasons, control.CallReason{Check: call.Check})
	}
	for _, r := range call.Reasons {
		out.Reasons = append(out.Reasons, reasonOf(r))
	}
	out.Call = &control.WaitingCall{Tool: name, Digest: pin.Digest(it.Digest), ToolDigest: pin.Digest(call.Defined), More: call.More, Used: !call.Used.IsZero(), Always: call.Always, Classes: call.Classes}
	if it.Decided == vocab.DecidedApproved && !call.Always {
		out.Call.Until = call.Until.UTC()
	}
}

// CallDetails are the parts of an item about a call: its arguments. allowed are the calls that are allowed for good.
func CallDetails(out *control.ItemDetail, it store.Item, allowed []store.AllowedCall) {
	if call := CallOf(it); call.Always && out.Call != nil {
		out.Call.TakenBack = !slices.ContainsFunc(allowed, func(a store.AllowedCall) bool { return allows(a, it.ServerID, call) })
	}
	for _, p := range it.Parts {
		part := PartDetail(p)
		part.Definition = p.Definition
		if out.Call != nil {
			out.Call.Arguments = p.Definition
		}
		out.Details = append(out.Details, part)
	}
}
