package proxy

import (
	"bytes"

	"github.com/sallyport/sallyport/proxy/declared"
	"github.com/sallyport/sallyport/proxy/refusal"
)

// method is a row of the table in docs/relay.md.
type method uint8

const (
	methodOther method = iota // forwarded on an open server, refused on a new one
	methodInitialize
	methodModern // server/discover, subscriptions/listen: not spoken in the legacy eras
	methodPlain  // ping, logging/setLevel
	methodListTools
	methodListPrompts
	methodListResources
	methodListTemplates
	methodCall
	methodGetPrompt
	methodComplete
	methodResource // resources/read, resources/subscribe, resources/unsubscribe
	methodTask     // tasks/get, tasks/result, tasks/cancel
	methodListTasks
)

// methodOf returns the row of an unescaped method name (T04 in docs/relay.md).
func methodOf(name []byte) method {
	switch string(name) {
	case "tools/call":
		return methodCall
	case "tools/list":
		return methodListTools
	case "initialize":
		return methodInitialize
	case "ping", "logging/setLevel":
		return methodPlain
	case "prompts/list":
		return methodListPrompts
	case "resources/list":
		return methodListResources
	case "resources/templates/list":
		return methodListTemplates
	case "prompts/get":
		return methodGetPrompt
	case "completion/complete":
		return methodComplete
	case "resources/read", "resources/subscribe", "resources/unsubscribe":
		return methodResource
	case "tasks/get", "tasks/result", "tasks/cancel":
		return methodTask
	case "tasks/list":
		return methodListTasks
	case "server/discover", "subscriptions/listen":
		return methodModern
	}
	// Future methods of these two families are gated like the rest (docs/relay.md, "What a client can ask for").
	switch {
	case bytes.HasPrefix(name, []byte("tasks/")):
		return methodTask
	case bytes.HasPrefix(name, []byte("resources/")):
		return methodResource
	}
	return methodOther
}

func (m method) listing() bool { return m >= methodListTools && m <= methodListTemplates }

// list is what the method lists, nil for none.
func (m method) list() *declared.List {
	switch m {
	case methodListTools:
		return declared.Tools
	case methodListPrompts:
		return declared.Prompts
	case methodListResources:
		return declared.Resources
	case methodListTemplates:
		return declared.Templates
	}
	return nil
}

// judge decides on a client's request that is neither a listing nor plain: docs/relay.md, "What a client can ask for".
func judge(v *declared.View, r *request) refusal.Reason {
	switch {
	case v.State.Revision == 0:
		return refusal.NoHub
	case v.State.Blocked:
		return refusal.Blocked
	case !v.Open():
		return v.Shut()
	case !v.Verified:
		return refusal.Unverified
	case r.unclear:
		return refusal.Renamed
	}
	allowed := false
	switch r.method {
	case methodCall, methodGetPrompt, methodComplete, methodTask: // a task of no allowed tool has no item
		allowed = v.Allows(r.item)
	case methodResource:
		allowed = v.AllowsResource(r.name)
	case methodListTasks, methodOther:
		allowed = true
	}
	if allowed {
		return refusal.None
	}
	return v.WhyNot(r.item)
}

// stillAllowed asks the gate again before a response is delivered: an approval may have been taken back while the call ran.
func stillAllowed(v *declared.View, r *request) refusal.Reason {
	why := judge(v, r)
	if why == refusal.Changed || why == refusal.New {
		return refusal.Dropped
	}
	return why
}
