package proxy

import (
	"bytes"
	"fmt"

	"github.com/sallyport/sallyport/proxy/control"
	"github.com/sallyport/sallyport/proxy/declared"
	"github.com/sallyport/sallyport/proxy/frame"
	"github.com/sallyport/sallyport/proxy/inspect/legible"
	"github.com/sallyport/sallyport/proxy/refusal"
	"github.com/sallyport/sallyport/proxy/vocab"
)

// maySaySanitize reports whether a call may have the argument: its letters, or an escape that could spell one of them.
func maySaySanitize(line []byte) bool {
	return bytes.Contains(line, []byte(declared.SanitizeArgument)) || bytes.Contains(line, []byte(`\u00`))
}

// takeWish takes the argument out of a call that will be forwarded, so that nothing after it sees it: the comparison with a released
// response, the record, the server. It returns nil if the call was refused. A tool that has a parameter of that name gets it.
func (x *exchange) takeWish(v *declared.View, r *request, line []byte) []byte {
	if !v.Served[r.item] || v.TakesSanitize(r.item) {
		return line
	}
	return x.readWish(r, line)
}

func (x *exchange) readWish(r *request, line []byte) []byte {
	arguments, _ := frame.Find(line, frame.Root(line), "params", "arguments")
	value, said := frame.Find(line, arguments, declared.SanitizeArgument)
	if !said {
		return line
	}
	switch string(value.Of(line)) {
	case "true":
		r.wish = wishOn
	case "false":
		r.wish = wishOff
	default:
		x.refuseWish(r)
		return nil
	}
	if !r.cut {
		kept, _ := frame.Find(r.params, frame.Root(r.params), "arguments")
		r.params = withoutWish(r.params, kept)
	}
	return withoutWish(line, arguments)
}

func withoutWish(raw []byte, arguments frame.Span) []byte {
	return frame.Splice(nil, raw, frame.CutMembers(raw, arguments, func(key string, _ frame.Member) bool { return key == declared.SanitizeArgument }))
}

// refuseWish answers a call whose argument is neither true nor false.
func (x *exchange) refuseWish(r *request) {
	v := x.view()
	phrase, clean := refusal.Spoken(x.subjectIn(v, r), legible.SpokenServer(v.State.Name, "this server"))
	x.client.Enqueue(errorLine(r.id, -32602, fmt.Sprintf("[Sallyport] %s was not run: the argument __sanitize__ must be true or false. Call it again with one of them, or without the argument.", phrase), nil))
	if r.delivered != "" {
		clean = r.called()
	}
	x.journal.about(r, byCall, vocab.StatusBlocked, control.Record{
		Tool: clean, Summary: "its argument __sanitize__ was neither true nor false", Detail: r.detail(facts{"check": "spotlight"}),
	})
}
