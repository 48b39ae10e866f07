package sanitize

import (
	"slices"

	"github.com/sallyport/sallyport/proxy/frame"
	"github.com/sallyport/sallyport/proxy/inspect"
	"github.com/sallyport/sallyport/proxy/inspect/secrets"
)

// RedactedTexts are the texts of a response or definition (inspect.Texts) with marks in place of secrets, for a reader on another computer.
// raw must have passed frame.Validate or frame.Scan. profile is secrets.Precise or secrets.Strict.
func RedactedTexts(raw []byte, profile string) (texts []string, err error) {
	// In an envelope of its own, no member of the response counts as one of a message's.
	line := append(append([]byte(`{"result":`), raw...), '}')
	line, _, _, err = Redact(line, profile)
	if err != nil {
		return nil, err
	}
	for text := range inspect.Texts(line) {
		if text, err = RedactedText(text, profile); err != nil { // Redact leaves the inside of base64 alone
			return nil, err
		}
		texts = append(texts, text)
	}
	return texts, nil
}

// RedactedText is a text with marks in place of secrets.
func RedactedText(text, profile string) (string, error) {
	found, whole := inspect.SecretsInText(text, profile)
	if !whole {
		return "", ErrPlaces
	}
	slices.SortFunc(found, func(a, b inspect.Finding) int { return a.Start - b.Start })
	var edits []frame.Edit
	for _, f := range found {
		if last := len(edits) - 1; last >= 0 && f.Start < edits[last].End {
			edits[last].End = max(edits[last].End, f.End)
			continue
		}
		edits = append(edits, frame.Edit{Start: f.Start, End: f.End, With: []byte(secrets.Mark(f.Rule))})
	}
	return string(frame.Splice(nil, []byte(text), edits)), nil
}
