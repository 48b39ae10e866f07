package ledger

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"slices"
	"strings"

	"github.com/sallyport/sallyport/app/review"
	"github.com/sallyport/sallyport/proxy/control"
	"github.com/sallyport/sallyport/proxy/inspect"
	"github.com/sallyport/sallyport/proxy/pin"
	"github.com/sallyport/sallyport/proxy/vocab"
	"github.com/sallyport/sallyport/store"
)

// OutputSchemas are the output schemas of an item's approved definitions, by digest: what wrappers validate responses with. They come from
// the pins, never from what is declared now.
func (l *Ledger) OutputSchemas(j review.Judged) map[pin.Digest]json.RawMessage {
	if !isTool(j.Key) {
		return nil
	}
	var schemas map[pin.Digest]json.RawMessage
	for _, p := range l.Pins[j.Key] {
		if !slices.Contains(j.Approved, pin.Digest(p.Digest)) {
			continue
		}
		if raw := pin.OutputSchema(p.Raw); raw != nil && len(raw) <= control.MaxSchema {
			if schemas == nil {
				schemas = map[pin.Digest]json.RawMessage{}
			}
			schemas[pin.Digest(p.Digest)] = raw
		}
	}
	return schemas
}

func isTool(key string) bool { return strings.HasPrefix(key, string(pin.Tool)+":") }

// Unvalidated are the findings of allowed tools whose output schema does not compile, by key. Each is returned once for as long as its pin
// has that schema, which the pin remembers.
func (l *Ledger) Unvalidated(tx *store.Tx) (map[string]inspect.Finding, error) {
	told := map[string]inspect.Finding{}
	for key := range l.Seen {
		if !isTool(key) {
			continue
		}
		for _, seen := range l.Forms(key) {
			if err := l.noteSchemas(tx, seen, told); err != nil {
				return nil, err
			}
		}
	}
	return told, nil
}

// noteSchemas remembers in a tool's pins whether the schema of this form compiles, and adds to told if it does not and nobody was told.
func (l *Ledger) noteSchemas(tx *store.Tx, seen store.Seen, told map[string]inspect.Finding) error {
	findings := review.ReadFindings(seen.Findings)
	at := slices.IndexFunc(findings, func(f inspect.Finding) bool { return f.Rule == inspect.OutputSchema })
	for _, p := range slices.Clone(l.Pins[seen.Item]) {
		if p.State != vocab.PartApproved || p.Digest != seen.Digest {
			continue
		}
		schema := ""
		if at >= 0 {
			sum := sha256.Sum256(pin.OutputSchema(p.Raw))
			schema = hex.EncodeToString(sum[:])
		}
		if p.Unvalidated == schema {
			continue
		}
		if schema != "" && !slices.ContainsFunc(l.Pins[seen.Item], func(other store.Pin) bool { return other.Unvalidated == schema }) {
			told[seen.Item] = findings[at]
		}
		p.Unvalidated = schema
		if err := l.PutPin(tx, p); err != nil {
			return err
		}
	}
	return nil
}
