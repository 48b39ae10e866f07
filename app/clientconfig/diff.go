package clientconfig

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/rogpeppe/go-internal/diff"
	"github.com/tailscale/hujson"

	"github.com/sallyport/sallyport/proxy/cut"
)

// dots replace what is not shown.
const dots = "••••"

const (
	diffContext = 3 // as package diff has it
	// A longer text is cut: a file on one line may contain a client's whole memory.
	maxShownText = 512
)

// Diff is a unified diff of two texts of a file with three lines of context, or "" if they are equal. Values of env and headers, and secrets
// among arguments and in URLs, are dots on both sides, and long texts are cut.
func Diff(path string, was, now []byte, format Format) (string, error) {
	old, new := changedLines(was, now)
	before, err := maskFile(was, format, old)
	if err != nil {
		return "", err
	}
	after, err := maskFile(now, format, new)
	if err != nil {
		return "", err
	}
	text := diff.Diff(path, []byte(before), path, []byte(after))
	_, text, _ = bytes.Cut(text, []byte("\n")) // the line above the names of both sides
	return string(text), nil
}

// changedLines are the lines of both texts from the first difference to the last, with their context. Only they are searched for secrets:
// searching all of ten megabytes takes half a minute.
func changedLines(was, now []byte) (old, new span) {
	most := min(len(was), len(now))
	head := 0
	for head < most && was[head] == now[head] {
		head++
	}
	tail := 0
	for tail < most-head && was[len(was)-1-tail] == now[len(now)-1-tail] {
		tail++
	}
	from := head
	for range diffContext + 2 { // to the start of the line, and over those before it, with one to spare
		from = bytes.LastIndexByte(was[:max(from-1, 0)], '\n') + 1
	}
	end := was[len(was)-tail:]
	skip := 0
	for range diffContext + 2 {
		at := bytes.IndexByte(end[skip:], '\n')
		if at < 0 {
			skip = len(end)
			break
		}
		skip += at + 1
	}
	return span{from, len(was) - tail + skip}, span{from, len(now) - tail + skip}
}

// maskFile is a part of a file's text for people: secrets are dots, line ends are LF, and there is no byte order mark. The text around the
// part is replaced with as many empty lines.
func maskFile(raw []byte, format Format, part span) (string, error) {
	f, err := Parse(raw, format)
	if err != nil {
		return "", err
	}
	m := fileMasker{f: f, part: part}
	m.value(&f.root, "")
	m.splices = apart(m.splices)
	shown := apply(raw[part.from:part.to], m.splices)
	if part.from == 0 {
		shown = bytes.TrimPrefix(shown, []byte("\ufeff"))
	}
	lines := func(around []byte) string { return strings.Repeat("\n", bytes.Count(around, []byte("\n"))) }
	return lines(raw[:part.from]) + strings.ReplaceAll(string(shown), "\r\n", "\n") + lines(raw[part.to:]), nil
}

// apart joins masks that overlap, as those of two tables in pieces do.
func apart(masks []splice) (joined []splice) {
	slices.SortStableFunc(masks, func(a, b splice) int { return a.at.from - b.at.from })
	for _, m := range masks {
		if last := len(joined) - 1; last >= 0 && m.at.from < joined[last].at.to {
			joined[last].at.to = max(joined[last].at.to, m.at.to)
			continue
		}
		joined = append(joined, m)
	}
	return joined
}

type fileMasker struct {
	f       *File
	part    span
	splices []splice // offsets count from the start of the part
}

// value masks secrets in a value; key is its name. The rules go by name and form at any depth, not by place: a file contains more than
// servers, and any of it may be next to a change.
func (m *fileMasker) value(v *hujson.Value, key string) {
	if at := m.f.span(v); at.to <= m.part.from || at.from >= m.part.to {
		return
	}
	switch t := v.Value.(type) {
	case *hujson.Object:
		for i := range t.Members {
			name, member := literal(t.Members[i].Name), &t.Members[i].Value
			if hidden(key) || key == m.f.Format.key() && member.Value.Kind() != '{' { // not an entry: perhaps a pasted key
				m.hide(member)
				continue
			}
			m.value(member, name)
		}
	case *hujson.Array:
		if hidden(key) {
			m.hide(v)
			return
		}
		shown := make([]string, len(t.Elements))
		for i := range t.Elements {
			shown[i] = cut.Bytes(literal(t.Elements[i]), 4*maxShownText)
		}
		shown = maskArgs(shown)
		for i := range t.Elements {
			if t.Elements[i].Value.Kind() == '"' {
				m.show(&t.Elements[i], shown[i])
			} else {
				m.value(&t.Elements[i], key)
			}
		}
	case hujson.Literal:
		switch {
		case hidden(key), key == "args", secretName(key) && t.Kind() != 'n' && t.Kind() != 't' && t.Kind() != 'f':
			m.hide(v)
		case t.Kind() == '"' && slices.Contains(m.f.Format.spelling().addresses(), key):
			m.show(v, maskAddress(cut.Bytes(t.String(), 4*maxShownText)))
		case t.Kind() == '"':
			m.show(v, maskText(cut.Bytes(t.String(), 4*maxShownText)))
		}
	}
}

func hidden(key string) bool {
	switch strings.ToLower(key) {
	case "env", "envs", "environment", "headers", "http_headers", "env_http_headers", "requestinit", "userconfig", "user_config":
		return true
	}
	return false
}

func (m *fileMasker) hide(v *hujson.Value) { m.put(v, dots) }

// show replaces a text with its masked form, cut if it is long.
func (m *fileMasker) show(v *hujson.Value, masked string) {
	whole := literal(*v)
	if len(whole) > 4*maxShownText || len(masked) > maxShownText {
		masked = fmt.Sprintf("%s… (%d characters)", cut.Bytes(masked, maxShownText), utf8.RuneCountInString(whole))
	}
	if masked != whole {
		m.put(v, masked)
	}
}

func (m *fileMasker) put(v *hujson.Value, text string) {
	at := m.f.span(v)
	at = span{max(at.from, m.part.from) - m.part.from, min(at.to, m.part.to) - m.part.from}
	if at.from < at.to {
		m.splices = append(m.splices, splice{at, quote(text)})
	}
}
