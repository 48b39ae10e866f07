package app

import (
	"encoding/json"

	"github.com/sallyport/sallyport/proxy/control"
	"github.com/sallyport/sallyport/proxy/inspect"
	"github.com/sallyport/sallyport/proxy/pin"
)

// ownTools are the names of the wrapper's two tools: a server may not take them.
var ownTools = []string{"approve_server_config", "quarantine_release"}

// declaration is one item as a process declares it. It is never changed after it was made.
type declaration struct {
	Key      string
	Era      string
	Digest   pin.Digest
	Raw      []byte
	Findings []inspect.Finding
}

// declarations reads a report. What a wrapper says about an item is not believed: name, digest and findings are computed
// here from the bytes the server declared. An item without one reading has no text here and can never be approved. Of two
// items with one key the first stands for both, because neither can be approved. own are the rules beside the catalogue.
func declarations(report control.Report, own *inspect.RuleFile) (items map[string]*declaration, order []string, whole []inspect.Finding) {
	items = map[string]*declaration{}
	for _, f := range report.Findings {
		if f.Rule != pin.NameCollision { // found again below
			whole = append(whole, f)
		}
	}
	whole = together(serverWords(report.ServerInfo, own), whole)
	var read []pin.Item
	for i, reported := range report.Items {
		if i == 6*pin.MaxItems { // five listings and room: a wrapper never sends more
			whole = append(whole, inspect.Finding{
				Rule: inspect.BeyondBounds, Level: inspect.Medium, Category: "threat",
				Title: "The server declares more than Sallyport checks; the rest stays blocked",
			})
			break
		}
		bytes := reported.Unread
		if bytes == nil {
			bytes = reported.Raw
		}
		item, err := pin.Declared(reported.Kind, bytes)
		if err != nil {
			whole = append(whole, inspect.Finding{
				Rule: inspect.NoReading, Level: inspect.High, Category: "threat", Where: string(reported.Kind),
				Title: "A definition has no name, or its text can be read in two ways; it stays blocked",
			})
			continue
		}
		if item.Unread == nil {
			item.Findings = append(item.Findings, own.Threats(item.Raw).Findings...)
		}
		if item.Unread == nil && item.Kind == pin.Tool {
			item.Findings = append(item.Findings, inspect.ContextParameters(item.Raw)...)
		}
		item.Findings = together(item.Findings, reported.Findings)
		read = append(read, item)
	}
	held, collisions := pin.Collisions(read, ownTools)
	byKey := map[string]inspect.Finding{}
	for _, f := range collisions {
		byKey[f.Where] = f
	}
	for i, item := range read {
		key := item.Key()
		findings := item.Findings
		if held[i] {
			f, ok := byKey[key]
			if !ok {
				f = inspect.Finding{Rule: pin.NameCollision, Level: inspect.Critical, Category: "threat", Title: "Two items have names that look the same", Where: key}
			}
			findings = append([]inspect.Finding{f}, findings...)
		}
		if items[key] != nil {
			continue
		}
		items[key] = &declaration{Key: key, Era: report.Era, Digest: item.Digest, Raw: item.Raw, Findings: findings}
		order = append(order, key)
	}
	return items, order, whole
}

// serverWords is what is found in the name and the other texts that a server gives itself.
func serverWords(info json.RawMessage, own *inspect.RuleFile) []inspect.Finding {
	if len(info) == 0 {
		return nil
	}
	return own.JudgeInitialize("serverInfo", info).Findings
}

// together adds the findings of b that a does not have: what only the wrapper can know (two faces within a minute).
func together(a, b []inspect.Finding) []inspect.Finding {
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

// merge says what a server declares now, by all its processes: sessions holds what each live wrapper declared last, the
// newest report first. Where two processes differ, what is not approved stands, so that what one of them waits for stays
// in the inbox until none declares it.
func merge(sessions []map[string]*declaration, approved func(key string, digest pin.Digest) bool) map[string]*declaration {
	now := map[string]*declaration{}
	for _, declared := range sessions {
		for key, d := range declared {
			have := now[key]
			if have == nil || approved(key, have.Digest) && !withheld(have.Findings) && (!approved(key, d.Digest) || withheld(d.Findings)) {
				now[key] = d
			}
		}
	}
	return now
}
