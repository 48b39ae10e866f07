package proxy

import (
	"strings"

	"github.com/sallyport/sallyport/proxy/frame"
)

// elicits visits what an error wants the client to ask the user before it tries again: the parameters of elicitation/create, one by one,
// until visit returns false. A client looks for them in error -32042 (URLElicitationRequiredError, specification of 2025-11-25); we do so
// under any code.
func elicits(line []byte, failure frame.Span, visit func(params []byte) bool) {
	under(line, failure, "data", func(data frame.Span) bool {
		return under(line, data, "elicitations", func(list frame.Span) bool {
			goes := true
			frame.Elements(line, list, func(_ int, value frame.Span) bool {
				goes = visit(value.Of(line))
				return goes
			})
			return goes
		})
	})
}

// under visits the members that a parser may read under that key, also one that ignores case, and reports whether it reached the end.
func under(line []byte, object frame.Span, key string, visit func(value frame.Span) bool) bool {
	goes := true
	frame.Members(line, object, func(name string, m frame.Member) bool {
		if strings.EqualFold(name, key) {
			goes = visit(m.Value)
		}
		return goes
	})
	return goes
}

func elicitsNothing(line []byte, failure frame.Span) bool {
	nothing := true
	elicits(line, failure, func([]byte) bool {
		nothing = false
		return false
	})
	return nothing
}
