package proxy

import (
	"github.com/sallyport/sallyport/proxy/declared"
	"github.com/sallyport/sallyport/proxy/frame"
	"github.com/sallyport/sallyport/proxy/pin"
	"github.com/sallyport/sallyport/proxy/refusal"
)

// subjectOf reads the unescaped name in a request into r.
func (x *exchange) subjectOf(r *request, line []byte, m *frame.Message) {
	text := func(path ...string) string {
		span, ok := frame.Find(line, m.Params, path...)
		if !ok {
			return ""
		}
		name, wellFormed := frame.String(line, span)
		if !wellFormed {
			return ""
		}
		return name
	}
	switch r.method {
	case methodCall:
		if !m.Name.Empty() {
			name, wellFormed := frame.StringBytes(line, m.Name)
			if t, known := x.view().Tool(name); known && wellFormed {
				r.name, r.item = t.Name, t.Key
				return
			}
		}
		r.name = text("name")
		r.item = pin.Key(pin.Tool, r.name)
	case methodGetPrompt:
		r.name = text("name")
		r.item = pin.Key(pin.Prompt, r.name)
	case methodComplete:
		if text("ref", "type") == "ref/prompt" {
			r.name = text("ref", "name")
			r.item = pin.Key(pin.Prompt, r.name)
		} else {
			r.name = text("ref", "uri")
			r.item = pin.Key(pin.ResourceTemplate, r.name)
		}
	case methodResource:
		r.name = text("uri")
		r.item = pin.Key(pin.Resource, r.name)
	case methodTask:
		r.name = text("taskId")
		r.item = x.tasks.of(r.name)
	case methodListTools, methodListPrompts, methodListResources, methodListTemplates:
		r.cursor = text("cursor")
	}
}

func (x *exchange) subjectIn(v *declared.View, r *request) refusal.Subject {
	sub := refusal.Subject{Item: r.item, Name: r.name, Noun: "request"}
	switch r.method {
	case methodCall:
		sub.Noun = "tool"
		sub.Ordinal = v.Ordinal(r.item)
	case methodGetPrompt:
		sub.Noun = "prompt"
	case methodResource:
		sub.Noun = "resource"
	case methodComplete:
		sub.Noun = "resource"
		if declared.HasKind(r.item, pin.Prompt) {
			sub.Noun = "prompt"
		}
	case methodTask:
		sub.Noun = "task"
	}
	return sub
}
