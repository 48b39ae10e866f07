package inspect

import (
	"slices"
	"strings"

	"github.com/sallyport/sallyport/proxy/inspect/decode"
	"github.com/sallyport/sallyport/proxy/inspect/rules"
	"github.com/sallyport/sallyport/proxy/inspect/secrets"
)

// CategorySecret marks a finding that is not a threat: it changes no verdict.
const CategorySecret = "secret"

const maxSecrets = 256 // of one JSON value

// secretFinding is the finding about a secret. where must not contain one.
func secretFinding(text string, found secrets.Found, where string) Finding {
	level := Medium
	if !found.Sure() {
		level = Low
	}
	return Finding{
		Rule: found.Rule(), Level: level, Category: CategorySecret, Title: "It holds " + secrets.Words(found.Rule()), Where: where,
		Start: found.Start, End: found.End, Match: found.Shown(text),
	}
}

// Secret is a secret in a JSON value: the finding, and its raw bytes' range.
type Secret struct {
	Finding
	From, To int
}

// Secrets finds secrets in the strings of a JSON value, keys included. raw must have passed frame.Scan or frame.Validate. whole is false if
// not everything was examined or reported.
func Secrets(raw []byte, profile string) (found []Secret, whole bool) {
	whole = EachSecret(raw, profile, func(s Spot) bool {
		if len(found) == maxSecrets {
			return false
		}
		found = append(found, Secret{Finding: s.finding(), From: s.From, To: s.To})
		return true
	})
	return found, whole
}

// Spot is the place of a secret in a JSON value. It is valid during the visit.
type Spot struct {
	From, To int    // range of raw bytes
	Rule     string // from the catalogue
	Mark     string // its replacement
	Key      bool   // it is part of a member's name

	text string
	spot secrets.Found
	of   *weigher
}

func (s *Spot) finding() Finding {
	return secretFinding(s.text, s.spot, s.of.unsaid(&s.of.value))
}

// Envelope reports whether the secret is in a member of the outermost object with one of these names.
func (s *Spot) Envelope(names ...string) bool {
	return len(s.of.value.stack) == 1 && slices.Contains(names, s.of.value.at())
}

// EachSecret visits every secret in the strings of a JSON value in order, until visit returns false. whole is false if not everything was
// examined.
func EachSecret(raw []byte, profile string, visit func(Spot) bool) (whole bool) {
	if profile == secrets.Off {
		return true
	}
	w := newWeigher(rules.Standard(), Answer)
	defer w.release()
	w.secret.Begin(profile)
	w.seek = secretReader{w: w, visit: visit}
	whole = w.value.strings(raw, &w.seek)
	return whole && !w.seek.ended && !w.secret.Short
}

func SecretsInText(text, profile string) (found []Finding, whole bool) {
	if profile == secrets.Off {
		return nil, true
	}
	w := newWeigher(rules.Standard(), Answer)
	defer w.release()
	w.secret.Begin(profile)
	spots := w.secretsIn(text)
	for _, s := range spots[:min(len(spots), maxSecrets)] {
		found = append(found, secretFinding(text, s, ""))
	}
	return found, len(found) == len(spots) && !w.secret.Short
}

// secretReader reads a value for its secrets only.
type secretReader struct {
	w     *weigher
	visit func(Spot) bool // nil: collect them in found, up to the limit of a text
	found []Finding
	ended bool
}

func (s *secretReader) show(one Spot) (more bool) {
	if s.visit != nil {
		return s.visit(one)
	}
	s.found = append(s.found, one.finding())
	return len(s.found) < maxFindings
}

func (s *secretReader) read(r *reading, text string, key bool) {
	if s.ended {
		return
	}
	w := s.w
	w.member.take(r, text, key)
	if len(text) < minText || key && len(text) < secrets.MinForm && word(text) {
		return
	}
	spots := w.secretsIn(text)
	if len(spots) == 0 || w.secret.Strict && !key && r.blob(text) {
		return
	}
	at := escapedAt{raw: r.raw[r.from+1 : r.to-1]}
	for _, one := range spots {
		start := at.offset(one.Start)
		end := at.offset(one.End)
		if !s.show(Spot{r.from + 1 + start, r.from + 1 + end, one.Rule(), secrets.Mark(one.Rule()), key, text, one, w}) {
			s.ended = true
			return
		}
	}
}

// blob reports whether a string is a base64 file, which a mark would corrupt.
func (r *reading) blob(text string) bool {
	return (r.key("blob") || r.key("data")) && decode.IsBase64(text)
}

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
	if w.decodes {
		spots = w.underEncodings(text, spots)
	}
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
	return w.underEncodings(text, w.spotsOf(w.plain, text, v))
}

const (
	minEncoded  = 24       // letters of a run under which a secret is looked for
	maxEncoded  = 8 << 10  // longer ones are files
	maxDecoding = 64 << 10 // of the runs of one text together
)

// underEncodings adds the runs of base64 and of hexadecimal digits under which a secret is. found are the others, in order.
func (w *weigher) underEncodings(text string, found []secrets.Found) []secrets.Found {
	if w.within || len(text) < minEncoded {
		return found
	}
	known, decoded := len(found), 0
	var inner *weigher
	for i := decode.NextRun(text, 0, minEncoded, &decode.Base64Letters); i < len(text); {
		end := i + minEncoded
		for end < len(text) && decode.Base64Letters[text[end]] {
			end++
		}
		run := text[i:end]
		at := i
		i = decode.NextRun(text, end, minEncoded, &decode.Base64Letters)
		if decoded += len(run); len(run) > maxEncoded || decoded > maxDecoding || slices.ContainsFunc(found[:known], func(f secrets.Found) bool { return f.Start < end && f.End > at }) {
			continue
		}
		plain, ok := decode.PlainText(run)
		if !ok {
			continue
		}
		if inner == nil {
			inner = newWeigher(rules.Standard(), Answer)
			inner.within = true
			defer func() { inner.within = false; inner.release() }()
			inner.secret.Begin(secrets.Precise)
		}
		for _, s := range inner.secretsIn(plain) {
			found = append(found, s.Under(at, end))
			break
		}
	}
	if len(found) > known {
		slices.SortFunc(found, func(a, b secrets.Found) int { return a.Start - b.Start })
	}
	return found
}
