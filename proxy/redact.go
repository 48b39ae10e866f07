package proxy

import (
	"strings"

	"github.com/sallyport/sallyport/proxy/inspect"
	"github.com/sallyport/sallyport/proxy/inspect/secrets"
	"github.com/sallyport/sallyport/proxy/policy"
	"github.com/sallyport/sallyport/proxy/sanitize"
)

// secretsUnder is the mode of the search for secrets under a policy.
func secretsUnder(p policy.Wrapper) string {
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
func redact(p policy.Wrapper, line []byte, found []inspect.Finding) ([]byte, redaction, error) {
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
func secretsIn(p policy.Wrapper, answer []byte) []inspect.Finding {
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
