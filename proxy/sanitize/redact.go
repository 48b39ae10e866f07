package sanitize

import (
	"errors"
	"slices"
	"sort"

	"github.com/sallyport/sallyport/proxy/frame"
	"github.com/sallyport/sallyport/proxy/inspect"
)

// ErrPlaces: there are more possible secrets than can be examined, or more names with a secret than can be kept apart. What was not
// examined must not pass as clean.
var ErrPlaces = errors.New("more places that may hold secrets than are looked at")

// Redact replaces the secrets in the strings of one JSON-RPC message that passed frame.Scan with marks (setting redact.mode), names of
// members included. Only the bytes of the secrets change, and names that would become equal are kept apart; the message's own id, method
// and jsonrpc stay. A message without secrets comes back as the same slice. profile is secrets.Precise or secrets.Strict; rules are the
// ones that matched, each once.
func Redact(line []byte, profile string) (out []byte, places int, rules []string, err error) {
	var edits, named []frame.Edit // named are those in the names of members
	whole := inspect.EachSecret(line, profile, func(s inspect.Spot) bool {
		if s.Envelope("id", "method", "jsonrpc") {
			return true
		}
		edit := frame.Edit{Start: s.From, End: s.To, With: []byte(s.Mark)}
		if s.Key {
			named = append(named, edit)
		} else {
			edits = append(edits, edit)
		}
		if !slices.Contains(rules, s.Rule) {
			rules = append(rules, s.Rule)
		}
		return true
	})
	if !whole {
		return nil, 0, nil, ErrPlaces
	}
	places = len(edits) + len(named)
	if places == 0 {
		return line, 0, nil, nil
	}
	if len(named) > 0 {
		names, err := marked(line, named)
		if err != nil {
			return nil, 0, nil, err
		}
		edits = append(edits, names...)
		slices.SortFunc(edits, func(a, b frame.Edit) int { return a.Start - b.Start })
	}
	return frame.Splice(make([]byte, 0, len(line)+16*len(edits)), line, edits), places, rules, nil
}

// marked returns edits that replace whole names that hold secrets with marked ones, kept apart.
func marked(line []byte, secrets []frame.Edit) (edits []frame.Edit, err error) {
	within := func(s str) []frame.Edit {
		from := sort.Search(len(secrets), func(i int) bool { return secrets[i].Start >= s.start })
		to := from + sort.Search(len(secrets)-from, func(i int) bool { return secrets[from+i].Start >= s.end })
		return secrets[from:to]
	}
	names := map[int]str{}
	renamed, err := apart(line, func(s str) bool { return len(within(s)) > 0 }, func(s str) string {
		names[s.start] = s
		var own []frame.Edit
		for _, e := range within(s) {
			own = append(own, frame.Edit{Start: e.Start - s.start, End: e.End - s.start, With: e.With})
		}
		return string(frame.Splice(nil, s.content(line), own))
	})
	if err != nil {
		return nil, ErrPlaces
	}
	for start, name := range renamed {
		edits = append(edits, frame.Edit{Start: start, End: names[start].end, With: []byte(name)})
	}
	return edits, nil
}
