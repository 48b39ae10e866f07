package review

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/sallyport/sallyport/proxy/control"
	"github.com/sallyport/sallyport/proxy/inspect"
	"github.com/sallyport/sallyport/proxy/pin"
	"github.com/sallyport/sallyport/store"
)

// KeepsAcross keeps earlier findings about the same definition that came from comparing servers, because the other server may be gone by
// now, and those of guardrail providers, which are asked once.
func KeepsAcross(d *Declaration, have store.Seen) *Declaration {
	if string(d.Digest) != have.Digest || have.Digest == "" {
		return d
	}
	var before []inspect.Finding
	for _, f := range ReadFindings(have.Findings) {
		if f.Rule == inspect.Shadowing || f.Rule == inspect.ToolImitation || pin.IsOthersSkillName(f) || strings.HasPrefix(f.Rule, inspect.GuardrailPrefix) {
			before = append(before, f)
		}
	}
	return d.With(before)
}

// ownTools are the names of the wrapper's two tools, which no server may use.
var ownTools = []string{"approve_server_config", "quarantine_release"}

// Declaration is one item as a process declares it. It is never modified.
type Declaration struct {
	Key      string
	Era      string
	Digest   pin.Digest
	Raw      []byte
	Text     string // of a skill: what it tells the model
	Findings []inspect.Finding
}

// DeclaredIn is a declaration as the store has it.
func DeclaredIn(s store.Seen) *Declaration {
	return &Declaration{Key: s.Item, Era: s.Era, Digest: pin.Digest(s.Digest), Raw: s.Raw, Text: s.Text, Findings: ReadFindings(s.Findings)}
}

// With is a declaration with more findings, itself if it has them all.
func (d *Declaration) With(more []inspect.Finding) *Declaration {
	all := Together(slices.Clip(d.Findings), more)
	if len(all) == len(d.Findings) {
		return d
	}
	with := *d
	with.Findings = all
	return &with
}

// Declarations reads a report without believing it: name, digest and findings are computed here from the bytes the server declared. An
// ambiguous item has no text here and can never be approved. If two items have one key the first stands for both, because neither can be
// approved. own are the rules in addition to the catalogue.
func Declarations(report control.Report, own *inspect.RuleFile) (items map[string]*Declaration, whole []inspect.Finding) {
	items = map[string]*Declaration{}
	for _, f := range report.Findings {
		if f.Rule != pin.NameCollision { // found again below
			whole = append(whole, f)
		}
	}
	whole = Together(serverWords(report.ServerInfo, own), whole)
	var read []pin.Item
	for i, reported := range report.Items {
		if i == 6*pin.MaxItems { // five listings and some room: a wrapper never sends more
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
		item, err := pin.Reported(reported.Kind, bytes)
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
		if item.Unread == nil && item.Kind == pin.Skill && reported.Text != "" {
			item = item.Told([]byte(reported.Text))
			item.Findings = append(item.Findings, pin.ThreatsIn(item.Text, own)...)
		}
		if item.Unread == nil && item.Kind == pin.Tool {
			item.Findings = append(item.Findings, inspect.ContextParameters(item.Raw)...)
		}
		item.Findings = Together(item.Findings, reported.Findings)
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
		items[key] = &Declaration{Key: key, Era: report.Era, Digest: item.Digest, Raw: item.Raw, Text: item.Text, Findings: findings}
	}
	return items, whole
}

// serverWords are the findings in a server's own name and texts.
func serverWords(info json.RawMessage, own *inspect.RuleFile) []inspect.Finding {
	if len(info) == 0 {
		return nil
	}
	return own.JudgeInitialize("serverInfo", info).Findings
}

// Merge combines what the live wrappers of a server declare, newest report first. If two differ, the unapproved version wins, so that it
// stays in the inbox until none declares it.
func Merge(sessions []map[string]*Declaration, approved func(key string, digest pin.Digest) bool) map[string]*Declaration {
	now := map[string]*Declaration{}
	for _, declared := range sessions {
		for key, d := range declared {
			have := now[key]
			if have == nil || approved(key, have.Digest) && !Withheld(have.Findings) && (!approved(key, d.Digest) || Withheld(d.Findings)) {
				now[key] = d
			}
		}
	}
	return now
}
