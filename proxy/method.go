package proxy

import (
	"bytes"

	"github.com/sallyport/sallyport/proxy/pin"
)

// method is what the gate needs to know of a method's name: which row of the table in docs/relay.md it is in.
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

// methodOf finds the row of a method's name, as it is after unescaping (T04 in docs/relay.md).
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
	// What a later revision adds to these two is gated like the rest of them (docs/relay.md, "What a client may ask for").
	switch {
	case bytes.HasPrefix(name, []byte("tasks/")):
		return methodTask
	case bytes.HasPrefix(name, []byte("resources/")):
		return methodResource
	}
	return methodOther
}

// listing says whether the method lists definitions.
func (m method) listing() bool { return m >= methodListTools && m <= methodListTemplates }

// list is one kind of definition as the protocol lists it: the method to ask, the member of the result that holds the
// page, the kind pinned, and the capability that announces it.
type list struct {
	method     string
	member     string
	kind       pin.Kind
	capability string
	changed    string // the notification that says it changed
}

var lists = map[method]list{
	methodListTools:     {"tools/list", "tools", pin.Tool, "tools", "notifications/tools/list_changed"},
	methodListPrompts:   {"prompts/list", "prompts", pin.Prompt, "prompts", "notifications/prompts/list_changed"},
	methodListResources: {"resources/list", "resources", pin.Resource, "resources", "notifications/resources/list_changed"},
	methodListTemplates: {"resources/templates/list", "resourceTemplates", pin.ResourceTemplate, "resources", "notifications/resources/list_changed"},
}

// listMethods is the order in which a snapshot asks.
var listMethods = []method{methodListTools, methodListPrompts, methodListTemplates, methodListResources}
