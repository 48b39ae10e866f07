package clientconfig

import (
	"strings"

	"github.com/aymanbagabas/go-udiff"
	"github.com/tailscale/hujson"
)

// dots stand for what is not shown.
const dots = "••••"

// Diff is the change from one text of a file to another, as a unified diff with two lines around each change, or "" where
// they are equal. Values of env and headers, and secrets among arguments and in URLs, are dots on both sides.
func Diff(path string, was, now []byte, format Format) (string, error) {
	before, err := maskFile(was, format)
	if err != nil {
		return "", err
	}
	after, err := maskFile(now, format)
	if err != nil {
		return "", err
	}
	text, err := udiff.ToUnified(path, path, before, udiff.Lines(before, after), 2)
	if err != nil {
		return "", err
	}
	return text, nil
}

// maskFile is a file's text with its secrets as dots, its line ends as LF and without a byte order mark: for people only.
func maskFile(raw []byte, format Format) (string, error) {
	f, err := Parse(raw, format)
	if err != nil {
		return "", err
	}
	var m fileMasker
	m.f = f
	m.value(&f.root, "")
	text := strings.TrimPrefix(string(apply(raw, m.splices)), "\ufeff")
	return strings.ReplaceAll(text, "\r\n", "\n"), nil
}

type fileMasker struct {
	f       *File
	splices []splice
}

// value masks below one value; key is the name under which it stands. Rules are by name and form at any depth, not by
// place: a file has more in it than servers, and each of it may stand beside a change.
func (m *fileMasker) value(v *hujson.Value, key string) {
	switch t := v.Value.(type) {
	case *hujson.Object:
		for i := range t.Members {
			name := literal(t.Members[i].Name)
			if hidden(key) {
				m.hide(&t.Members[i].Value)
				continue
			}
			m.value(&t.Members[i].Value, name)
		}
	case *hujson.Array:
		if hidden(key) {
			m.hide(v)
			return
		}
		shown := make([]string, len(t.Elements))
		for i := range t.Elements {
			shown[i] = literal(t.Elements[i])
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
		case hidden(key), secretName(key) && t.Kind() != 'n' && t.Kind() != 't' && t.Kind() != 'f':
			m.hide(v)
		case t.Kind() == '"':
			m.show(v, maskText(t.String()))
		}
	}
}

func hidden(key string) bool {
	switch strings.ToLower(key) {
	case "env", "headers", "requestinit", "userconfig", "user_config":
		return true
	}
	return false
}

func (m *fileMasker) hide(v *hujson.Value) {
	m.splices = append(m.splices, splice{m.f.span(v), quote(dots)})
}

func (m *fileMasker) show(v *hujson.Value, text string) {
	if text != literal(*v) {
		m.splices = append(m.splices, splice{m.f.span(v), quote(text)})
	}
}
