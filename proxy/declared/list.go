package declared

import (
	"github.com/sallyport/sallyport/proxy/frame"
	"github.com/sallyport/sallyport/proxy/pin"
)

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
	Skills    = &List{"skills/list", "skills", pin.Skill, pin.SkillsExtension, "notifications/resources/list_changed"}
)

// lists is the order in which a snapshot asks.
var lists = []*List{Tools, Prompts, Templates, Resources, Skills}

// NameOf reads the name a definition is pinned under.
func NameOf(kind pin.Kind, raw []byte, value frame.Span) (string, bool) {
	var member string
	switch kind {
	case pin.ResourceTemplate:
		member = "uriTemplate"
	case pin.Resource, pin.Skill:
		member = "uri"
	default:
		member = "name"
	}
	span, ok := frame.Find(raw, value, member)
	if !ok {
		return "", false
	}
	return frame.String(raw, span)
}

// ItemsOf reads the definitions on one page, and those that were cut out of it. Nameless ones are left out: they are never served either.
func ItemsOf(line []byte, unread [][]byte, l *List) ([]pin.Item, error) {
	array, ok := frame.Find(line, frame.Root(line), "result", l.Member)
	if !ok || frame.Type(line, array) != '[' {
		return nil, errNoPage
	}
	var items []pin.Item
	add := func(raw []byte) {
		if item, err := pin.Declared(l.Kind, raw); err == nil {
			items = append(items, item)
		}
	}
	frame.Elements(line, array, func(_ int, value frame.Span) bool {
		add(value.Of(line))
		return true
	})
	for _, raw := range unread {
		add(raw)
	}
	return items, nil
}
