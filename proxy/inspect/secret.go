package inspect

import (
	"slices"

	"github.com/sallyport/sallyport/proxy/inspect/decode"
	"github.com/sallyport/sallyport/proxy/inspect/rules"
	"github.com/sallyport/sallyport/proxy/inspect/secrets"
)

// CategorySecret is the category of a finding that is no threat: it changes no verdict.
const CategorySecret = "secret"

const maxSecrets = 256 // of one JSON value

// secretFinding is what is told of a secret. where must not hold one.
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

// Secret is a secret in a JSON value: the finding, and the bytes of the value as it is written.
type Secret struct {
	Finding
	From, To int
}

// Secrets finds what is secret in the strings of a JSON value, keys among them. raw must have passed frame.Scan or frame.Validate. whole is
// false where not all was looked at, or not all is told.
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

// Spot is a place in a JSON value where a secret stands. It is valid while it is shown.
type Spot struct {
	From, To int    // bytes of the value as it is written
	Rule     string // of the catalogue
	Mark     string // what may stand there instead
	Key      bool   // it is part of the name of a member

	text string
	spot secrets.Found
	of   *weigher
}

func (s *Spot) finding() Finding {
	return secretFinding(s.text, s.spot, s.of.unsaid(&s.of.value))
}

// Envelope says that the secret stands in a member of the outermost object that has this name.
func (s *Spot) Envelope(names ...string) bool {
	return len(s.of.value.stack) == 1 && slices.Contains(names, s.of.value.at())
}

// EachSecret shows every secret in the strings of a JSON value, in their order, until visit says false. whole is false where not all
// was looked at.
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

// SecretsInText is Secrets for one text.
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

// WithSecrets is a list of checks of something in which secrets were looked for too.
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

// secretReader is shown a value for its secrets alone.
type secretReader struct {
	w     *weigher
	visit func(Spot) bool // nil: they are put into found, as many as a text has at most
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

// blob says that a string is a file in base64: a mark in it would make it none.
func (r *reading) blob(text string) bool {
	return (r.key("blob") || r.key("data")) && decode.IsBase64(text)
}
