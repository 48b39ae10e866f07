package declared

import "github.com/sallyport/sallyport/proxy/pin"

// List is one kind of definition in the protocol: the method that lists it, the result's member that holds the page, the kind pinned, and
// the capability that announces it.
type List struct {
	Method     string
	Member     string
	Kind       pin.Kind
	Capability string
	Changed    string // the notification that says it changed
}

var (
	Tools     = &List{"tools/list", "tools", pin.Tool, "tools", "notifications/tools/list_changed"}
	Prompts   = &List{"prompts/list", "prompts", pin.Prompt, "prompts", "notifications/prompts/list_changed"}
	Resources = &List{"resources/list", "resources", pin.Resource, "resources", "notifications/resources/list_changed"}
	Templates = &List{"resources/templates/list", "resourceTemplates", pin.ResourceTemplate, "resources", "notifications/resources/list_changed"}
)

// lists is the order in which a snapshot asks.
var lists = []*List{Tools, Prompts, Templates, Resources}
