package proxy

import (
	"strings"

	"github.com/sallyport/sallyport/proxy/inspect"
	"github.com/sallyport/sallyport/proxy/inspect/secrets"
	"github.com/sallyport/sallyport/proxy/policy"
	"github.com/sallyport/sallyport/proxy/sanitize"
)

// secretsUnder is how secrets are looked for under a policy.
func secretsUnder(p policy.Wrapper) string {
	switch {
	case p.Redact == "off":
		return secrets.Off
	case p.RedactStrict:
		return secrets.Strict
	}
	return secrets.Precise
}

// redaction is what became of the secrets of an answer.
type redaction struct {
	rules  []string // by which they were found
	places int
	marked bool // marks stand in their place
}

// redact puts marks in the place of secrets, where the policy of the server whose text it is says so. It comes after inspecting, which
// sees the server's own words, and before hygiene. found are the secrets of it that are known already.
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

// secretsIn are the secrets of an answer that nobody looked at for this hand-over.
func secretsIn(p policy.Wrapper, answer []byte) []inspect.Finding {
	secrets, _ := inspect.Secrets(answer, secretsUnder(p))
	findings := make([]inspect.Finding, len(secrets))
	for i := range secrets {
		findings[i] = secrets[i].Finding
	}
	return findings
}

// maxRules is how many names of rules one record lists.
const maxRules = 16

// secretWords names what was found as a person would: "a password and an API key".
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
