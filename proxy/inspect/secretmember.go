package inspect

import (
	"strings"

	"github.com/sallyport/sallyport/proxy/inspect/decode"
	"github.com/sallyport/sallyport/proxy/inspect/rules"
	"github.com/sallyport/sallyport/proxy/inspect/secrets"
)

// named is the name of the JSON member whose text is being read.
type named struct {
	name  string // valid while the value is read
	kind  int    // secretKind + 1; 0 if the name is of nothing secret
	pair  int    // the same for a pair of members: {"name": "DB_PASSWORD", "value": …}
	depth int    // depth of the pair's object
	start int
}

// take records the name of the current string. A key has none.
func (n *named) take(r *reading, text string, isKey bool) {
	n.kind = 0
	top := len(r.stack) - 1
	if isKey || top < 0 || r.stack[top].array {
		return
	}
	c := &r.stack[top]
	size := c.to - c.from - 2
	if size < 3 || size > secrets.MaxName {
		return
	}
	key := r.raw[c.from+1 : c.to-1]
	switch {
	case size == 3 && string(key) == "key", size == 4 && string(key) == "name":
		n.pair, n.depth, n.start = 0, top, c.start
		if kind, ok := secrets.KindOfName(text); ok {
			n.pair = int(kind) + 1
		}
	case size == 5 && string(key) == "value":
		if n.depth == top && n.start == c.start {
			n.kind = n.pair
		}
	default:
		if !secrets.MayEndName(key[:size]) {
			return
		}
		name := r.text(c.from, c.to)
		if kind, ok := secrets.KindOfName(name); ok {
			n.name, n.kind = name, int(kind)+1
		}
	}
}

// spotsOf returns the secrets in a text that m has matched.
func (w *weigher) spotsOf(m *rules.Matcher, text string, v *decode.View) []secrets.Found {
	if v.Parts != nil {
		for i := range m.Places {
			at, _ := v.Span(int(m.Places[i].At), int(m.Places[i].At)+1)
			m.Places[i].At = int32(at)
		}
	}
	found := w.secret.Find(text, m.Places)
	if kind := w.member.kind - 1; kind >= 0 && len(found) == 0 {
		if s, ok := secrets.Assigned(text, w.member.name, secrets.Kind(kind)); ok {
			found = append(found, s)
		}
	}
	return found
}

// hold records the secrets in a text that m has matched, and reports whether there are any.
func (w *weigher) hold(m *rules.Matcher, text string, v *decode.View, where placer) bool {
	spots := w.spotsOf(m, text, v)
	for _, s := range spots {
		if len(w.secrets) == maxSecrets {
			w.secret.Short = true
			break
		}
		at := ""
		if r, ok := where.(*reading); ok {
			at = w.unsaid(r)
		} else {
			at = w.path(where)
		}
		w.secrets = append(w.secrets, secretFinding(text, s, at))
	}
	return len(spots) > 0
}

// unsaid is the path of the current value, with marks instead of secrets in its keys. Each key is checked once.
func (w *weigher) unsaid(r *reading) string {
	return r.path(func(c container) string {
		said, known := w.said[c.from]
		if !known {
			said = withMarks(r.text(c.from, c.to), w.secret.Strict)
			if w.said == nil {
				w.said = map[int]string{}
			}
			w.said[c.from] = said
		}
		return said
	})
}

// withMarks replaces the secrets in a name with marks.
func withMarks(name string, strict bool) string {
	w := newWeigher(rules.Standard(), Answer)
	defer w.release()
	w.secret.Begin(secrets.Precise)
	w.secret.Strict = strict
	var b strings.Builder
	done := 0
	for _, s := range w.secretsIn(name) {
		b.WriteString(name[done:s.Start] + secrets.Mark(s.Rule()))
		done = s.End
	}
	return b.String() + name[done:]
}

// secretsIn returns the secrets in a text that needs no other check.
func (w *weigher) secretsIn(text string) []secrets.Found {
	w.asIs = decode.View{Text: text}
	v := decode.Fold(&w.asIs)
	w.plain.Begin()
	w.plain.Seeks = true
	w.plain.Match(v.Text, 0)
	return w.spotsOf(w.plain, text, v)
}
