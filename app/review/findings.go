package review

import (
	"encoding/json"

	"github.com/sallyport/sallyport/proxy/control"
	"github.com/sallyport/sallyport/proxy/inspect"
)

// Together adds the findings of b that a lacks: those only the wrapper can know (two definitions within a minute).
func Together(a, b []inspect.Finding) []inspect.Finding {
	type place struct {
		rule, where string
		start       int
	}
	has := map[place]bool{}
	for _, f := range a {
		has[place{f.Rule, f.Where, f.Start}] = true
	}
	for _, f := range b {
		p := place{f.Rule, f.Where, f.Start}
		if !has[p] && f.Level.Rank() > 0 {
			has[p] = true
			a = append(a, f)
		}
	}
	return a
}

func ReadFindings(raw json.RawMessage) []inspect.Finding {
	var findings []inspect.Finding
	if len(raw) > 0 && json.Unmarshal(raw, &findings) != nil {
		// Unreadable findings must not look like none.
		return []inspect.Finding{{Rule: "unreadable_findings", Level: inspect.High, Category: "threat", Title: "This warning can no longer be read"}}
	}
	return findings
}

func WriteFindings(findings []inspect.Finding) json.RawMessage {
	if len(findings) == 0 {
		return nil
	}
	raw, err := json.Marshal(findings)
	if err != nil {
		return json.RawMessage(`"unreadable"`)
	}
	return raw
}

// Listed makes an empty list encode as [], and says of each finding which level the catalogue gives it: older records lack that.
func Listed(findings []inspect.Finding) []inspect.Finding {
	if findings == nil {
		return []inspect.Finding{}
	}
	return inspect.Catalogued(findings)
}

// Fold counts the warnings of an inbox item. whole are the findings about the server as a whole.
func Fold(it *control.InboxItem, whole []inspect.Finding) {
	it.Warnings = inspect.Warnings(inspect.Passages(whole))
	for i := range it.Parts {
		it.Parts[i].Passages = inspect.Passages(it.Parts[i].Findings)
		it.Warnings += inspect.Warnings(it.Parts[i].Passages)
	}
}

// FoldDetail is Fold for a whole item. A held response has all of its findings in the detail, and only the most serious in its part.
func FoldDetail(d *control.ItemDetail) {
	d.Passages = inspect.Passages(d.Findings)
	d.Warnings = inspect.Warnings(d.Passages)
	for i := range d.Details {
		d.Details[i].Passages = inspect.Passages(d.Details[i].Findings)
		d.Warnings += inspect.Warnings(d.Details[i].Passages)
	}
}
