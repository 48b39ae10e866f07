package sanitize

import (
	"errors"
	"slices"

	"github.com/sallyport/sallyport/proxy/frame"
	"github.com/sallyport/sallyport/proxy/inspect"
)

// ErrPlaces: there are more places that may hold a secret than are looked at. What was not looked at is not called clean.
var ErrPlaces = errors.New("more places that may hold secrets than are looked at")

// Redact puts marks in the place of what is secret in the strings of one JSON-RPC message that passed frame.Scan (setting
// redact.mode). Only the bytes of the secrets change: no key does, nor the message's own id, method and jsonrpc. A message without
// secrets comes back as the same slice. profile is inspect.SecretsPrecise or inspect.SecretsStrict; rules are what was found, each
// once.
func Redact(line []byte, profile string) (out []byte, places int, rules []string, err error) {
	var edits []frame.Edit
	whole := inspect.EachSecret(line, profile, func(s inspect.Spot) bool {
		if s.Envelope("id", "method", "jsonrpc") {
			return true
		}
		edits = append(edits, frame.Edit{Start: s.From, End: s.To, With: []byte(s.Mark)})
		if !slices.Contains(rules, s.Rule) {
			rules = append(rules, s.Rule)
		}
		return true
	})
	if !whole {
		return nil, 0, nil, ErrPlaces
	}
	if len(edits) == 0 {
		return line, 0, nil, nil
	}
	return frame.Splice(make([]byte, 0, len(line)+16*len(edits)), line, edits), len(edits), rules, nil
}
