package inspect

import (
	"slices"

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

// WithSecrets adds the check for secrets to a list of checks.
func WithSecrets(checks []Check, whole bool) []Check {
	for i := range checks {
		if checks[i].Check == CheckSecrets {
			checks[i] = Check{Check: CheckSecrets, Ran: true}
			if !whole {
				checks[i].Why = fewSecrets
			}
		}
	}
	return checks
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
