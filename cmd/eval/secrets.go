package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"strings"

	"github.com/sallyport/sallyport/proxy/inspect"
	"github.com/sallyport/sallyport/proxy/inspect/secrets"
)

// secretRow is one line of the corpora of secrets: a line of a file, and the scanner rule it was taken from.
type secretRow struct {
	Family string `json:"family"`
	Rule   string `json:"rule"`
	Text   string `json:"text"`
}

// secretKinds are the topics of the scanner's rules, by a part of their names. The first match counts.
var secretKinds = []struct{ name, parts string }{
	{"private keys", "private-key|age-secret|pkcs12"},
	{"tokens of JSON (JWT)", "jwt"},
	{"command lines", "curl-auth"},
	{"passwords, and what is kept in manifests", "password|nuget|kubernetes|sidekiq"},
	{"addresses that are secret", "webhook|sensitive-url"},
	{"identifiers of clients", "client-id|access-id|api-id"},
	{"tokens", "token|-pat|cookie"},
	{"keys", ""},
}

func secretKind(rule string) string {
	for _, k := range secretKinds {
		for part := range strings.SplitSeq(k.parts, "|") {
			if strings.Contains(rule, part) {
				return k.name
			}
		}
	}
	return ""
}

// hits counts lines, and those in which something was found.
type hits struct{ lines, found int }

func (h hits) with(found []inspect.Finding) hits {
	return hits{h.lines + 1, h.found + min(len(found), 1)}
}

// secretsFound measures which secrets are found, and which lines are mistaken for one.
func secretsFound(dir string, all []*corpus) (string, error) {
	kinds := map[string]hits{}
	var total, lines, honest hits
	err := eachSecret(dir, "secrets_positive", func(r secretRow, found []inspect.Finding) {
		kinds[secretKind(r.Rule)] = kinds[secretKind(r.Rule)].with(found)
		total = total.with(found)
	})
	if errors.Is(err, fs.ErrNotExist) {
		return "", nil // these corpora hold no secrets
	}
	if err != nil {
		return "", err
	}
	var out strings.Builder
	fmt.Fprint(&out, "\n**Secrets**\n\nLines that hold one, of the tests of a public scanner, by what its rules are about; and what is taken for one in lines that the scanner leaves and in honest text.\n\n| | lines | found |\n|---|---|---|\n")
	fmt.Fprintf(&out, "| all | %d | %s |\n", total.lines, percent(total.found, total.lines))
	for _, k := range secretKinds {
		if n, some := kinds[k.name]; some {
			fmt.Fprintf(&out, "| %s | %d | %s |\n", k.name, n.lines, percent(n.found, n.lines))
		}
	}
	fmt.Fprint(&out, "\n| | texts | with a finding |\n|---|---|---|\n")
	err = eachSecret(dir, "secrets_negative", func(r secretRow, found []inspect.Finding) {
		if strings.HasPrefix(r.Family, "benign") {
			honest = honest.with(found)
		} else {
			lines = lines.with(found)
		}
	})
	if err != nil {
		return "", err
	}
	fmt.Fprintf(&out, "| lines that look like a secret to one rule of the scanner | %d | %d |\n| honest text | %d | %d |\n", lines.lines, lines.found, honest.lines, honest.found)
	for _, name := range []string{"responses_benign", "metadata_benign"} {
		c, n := named(all, name), 0
		for i := range c.rows {
			if r := &c.rows[i]; len(secretsOf(r)) > 0 {
				n++
			}
		}
		fmt.Fprintf(&out, "| %s | %d | %d |\n", strings.ToLower(titles[name]), len(c.rows), n)
	}
	return out.String(), nil
}

func secretsOf(r *row) []inspect.Finding {
	if r.Tool == nil {
		found, _ := inspect.SecretsInText(r.Text, secrets.Precise)
		return found
	}
	var found []inspect.Finding
	inSecrets, _ := inspect.Secrets(r.Tool, secrets.Precise)
	for _, s := range inSecrets {
		found = append(found, s.Finding)
	}
	return found
}

func eachSecret(dir, name string, row func(secretRow, []inspect.Finding)) error {
	return each(dir, name, func(raw []byte) error {
		var r secretRow
		if err := json.Unmarshal(raw, &r); err != nil {
			return err
		}
		found, _ := inspect.SecretsInText(r.Text, secrets.Precise)
		row(r, found)
		return nil
	})
}

// missed prints the secrets that are not found, or with "false" the findings in lines without any.
func missed(out io.Writer, dir, which string) error {
	name, want := "secrets_positive", 0
	if which == "false" {
		name, want = "secrets_negative", 1
	}
	return eachSecret(dir, name, func(r secretRow, found []inspect.Finding) {
		if min(len(found), 1) == want {
			fmt.Fprintf(out, "%s %q\n", r.Rule, r.Text[:min(len(r.Text), 200)])
			for _, f := range found {
				fmt.Fprintf(out, "    %s at %d\n", f.Match, f.Start)
			}
		}
	})
}
