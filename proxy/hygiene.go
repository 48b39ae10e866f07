package proxy

import (
	"bytes"
	"strings"

	"github.com/sallyport/sallyport/proxy/control"
	"github.com/sallyport/sallyport/proxy/declared"
	"github.com/sallyport/sallyport/proxy/frame"
	"github.com/sallyport/sallyport/proxy/inspect"
	"github.com/sallyport/sallyport/proxy/inspect/secrets"
	"github.com/sallyport/sallyport/proxy/policy"
	"github.com/sallyport/sallyport/proxy/sanitize"
	"github.com/sallyport/sallyport/proxy/vocab"
)

// toClient writes a line with server text. Every such line leaves through here, or through change if it is a response; nothing edits it
// afterwards. The client's writer writes our own lines itself.
func (s *exchange) toClient(line []byte) error {
	mode := s.view().Policy.ANSI
	clean, changed, err := sanitize.Line(line, mode)
	if err != nil {
		return s.unclean(line, unfit{whyUnclean, mode})
	}
	if changed > 0 {
		s.journal.counted(mode, obeyed(mode), vocab.StatusWarned, "ansi")
	}
	values := s.saidBeside(line)
	if values == nil && !s.order.waits() {
		return s.client.Write(clean)
	}
	own := bytes.Clone(clean) // the reader's
	s.order.add(delivery{values: values, bytes: len(own), deliver: func() { _ = s.client.Write(own) }})
	return nil
}

// saidBeside are the new values of a line that is no response to a call: a notification, or a request of the server. nil for none.
func (s *exchange) saidBeside(line []byte) *control.Values {
	if !s.came.on(&s.view().Policy) {
		return nil
	}
	root := frame.Root(line)
	params, found := frame.Find(line, root, "params")
	if !found {
		return nil
	}
	name, _ := frame.Find(line, root, "method")
	method, _ := frame.String(line, name)
	v, news := s.came.values(method, params.Of(line), false)
	if !news {
		return nil
	}
	return &v
}

// obeyed says what was done to what a terminal would obey.
func obeyed(mode string) string {
	if mode == sanitize.Strip {
		return "terminal escape sequences or control characters were removed"
	}
	return "terminal escape sequences or control characters were made visible"
}

// unnameable reports whether hygiene would change an item's name: the client would call it by a name that is not approved. Such an item is
// not listed.
func (s *exchange) unnameable(v *declared.View, name string) bool {
	if v.Policy.ANSI == sanitize.Off || !sanitize.Holds(name) {
		return false
	}
	s.journal.counted(v.Policy.ANSI, "left an item out of a listing: its name has control characters", vocab.StatusBlocked, "ansi")
	return true
}

// unspeakable reports whether the method of a request or notification has control characters. The envelope is never changed, and no known
// method has any.
func (s *exchange) unspeakable(v *declared.View, m *frame.Message) bool {
	if v.Policy.ANSI == sanitize.Off || !sanitize.Holds(m.Method) {
		return false
	}
	s.journal.refusedLine(v.Policy.ANSI, "server", whyUnspeakable)
	return true
}

const (
	whyUnspeakable = "its method has control characters"
	whySecrets     = "it has too many places that may hold a secret"
	whyTriggers    = "too many of its names hold trigger words"
	whyTexts       = "it has too many texts to put each between tags"
	whyUnclean     = "its names have too many control characters"
)

// messageLimit is limits.message as it is set.
func (s *exchange) messageLimit() string {
	return policy.Values(s.view().State.Settings).Value("limits.message")
}

// unfit is why a line can't be made fit for the client, and the value of the setting that wants it so; its zero value is a line that can.
type unfit struct{ why, mode string }

// unclean blocks a line of the server, and reports that in our own words to the side that waits for it.
func (s *exchange) unclean(line []byte, u unfit) error {
	s.journal.refusedLine(u.mode, "server", u.why)
	var m frame.Message
	if frame.Scan(line, frame.FromServer, &m) != nil {
		return nil
	}
	id := bytes.Clone(m.ID.Of(line))
	switch m.Kind {
	case frame.Notification:
		return nil
	case frame.Request:
		s.asks.take(id)
		s.answerServer(errorLine(id, -32600, "[Sallyport] the message was blocked: "+u.why, nil))
		return nil
	default:
		return s.client.Write(errorLine(id, -32603, "[Sallyport] the server's response was blocked: "+u.why, nil))
	}
}

// withoutOurs cuts members that only we may write ("sallyport/…"): a server that imitates us is a finding.
func (s *exchange) withoutOurs(line []byte, m *frame.Message) []byte {
	if len(m.Ours) == 0 {
		return line
	}
	s.journal.impersonated()
	return frame.Splice(nil, line, m.CutOurs())
}

// cutOurs removes every member whose key starts with "sallyport/" from a line of the server, at any depth.
func cutOurs(line []byte) []byte {
	var m frame.Message
	if frame.Scan(line, frame.FromServer, &m) != nil || len(m.Ours) == 0 {
		return line
	}
	return frame.Splice(nil, line, m.CutOurs())
}

// secretsUnder is the mode of the search for secrets under a policy.
func secretsUnder(p *policy.Wrapper) string {
	switch {
	case p.Redact == "off":
		return secrets.Off
	case p.RedactStrict:
		return secrets.Strict
	}
	return secrets.Precise
}

// redaction is what was done about the secrets of a response.
type redaction struct {
	rules  []string // rules that matched
	places int
	marked bool // replaced by marks
}

// redact replaces secrets with marks, if the policy of the server that sent the text says so. It runs after inspection, which needs the
// server's own words, and before hygiene. found are its secrets already known.
func redact(p *policy.Wrapper, line []byte, found []inspect.Finding) ([]byte, redaction, error) {
	done := redaction{rules: rulesOf(found), places: len(found)}
	if p.Redact != "redact" || len(found) == 0 {
		return line, done, nil
	}
	out, places, rules, err := sanitize.Redact(line, secretsUnder(p))
	if err != nil {
		return nil, done, err
	}
	return out, redaction{rules, places, true}, nil
}

// secretsIn are the secrets of a response that was not searched yet.
func secretsIn(p *policy.Wrapper, answer []byte) []inspect.Finding {
	secrets, _ := inspect.Secrets(answer, secretsUnder(p))
	findings := make([]inspect.Finding, len(secrets))
	for i := range secrets {
		findings[i] = secrets[i].Finding
	}
	return findings
}

const maxRules = 16

// secretWords names what was found: "a password and an API key".
func secretWords(rules []string) string {
	var words []string
	for _, rule := range rules {
		if w := secrets.Words(rule); !strings.Contains(strings.Join(words, "|"), w) {
			words = append(words, w)
		}
	}
	if n := len(words); n > 1 {
		return strings.Join(words[:n-1], ", ") + " and " + words[n-1]
	}
	return strings.Join(words, "")
}
