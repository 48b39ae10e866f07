package declared

import (
	"strings"

	"github.com/sallyport/sallyport/proxy/pin"
)

// uriTemplate is a resource template cut into the literals between its expressions (RFC 6570). Matching is wider than
// expansion by one rule only: a simple expression stands for a run without "/", a reserved one ({+x}, {#x}) and everything
// with an operator for any run.
type uriTemplate struct {
	literals []string // one more than expressions
	anyRun   []bool   // per expression: may contain "/"
}

func templateOf(key string) (uriTemplate, bool) {
	if !HasKind(key, pin.ResourceTemplate) {
		return uriTemplate{}, false
	}
	return parseTemplate(key[len(pin.ResourceTemplate)+1:])
}

func parseTemplate(s string) (uriTemplate, bool) {
	var t uriTemplate
	for {
		open := strings.IndexByte(s, '{')
		if open < 0 {
			t.literals = append(t.literals, s)
			return t, true
		}
		end := strings.IndexByte(s[open:], '}')
		if end < 0 {
			return uriTemplate{}, false
		}
		t.literals = append(t.literals, s[:open])
		expression := s[open+1 : open+end]
		t.anyRun = append(t.anyRun, expression != "" && strings.ContainsRune("+#./;?&", rune(expression[0])))
		s = s[open+end+1:]
	}
}

// matches reports whether uri could be an expansion of the template. The work is limited to len(uri) times the expressions.
func (t uriTemplate) matches(uri string) bool {
	rest, ok := strings.CutPrefix(uri, t.literals[0])
	if !ok {
		return false
	}
	// reach[i]: the template up to here can end at byte i of rest.
	reach := make([]bool, len(rest)+1)
	reach[0] = true
	for e, anyRun := range t.anyRun {
		literal := t.literals[e+1]
		next := make([]bool, len(rest)+1)
		inRun := false
		for i := 0; i <= len(rest); i++ {
			inRun = inRun || reach[i]
			if inRun && strings.HasPrefix(rest[i:], literal) {
				next[i+len(literal)] = true
			}
			if i < len(rest) && !anyRun && rest[i] == '/' {
				inRun = false
			}
		}
		reach = next
	}
	return reach[len(rest)]
}
