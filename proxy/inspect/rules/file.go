package rules

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/sallyport/sallyport/proxy/frame"
	"github.com/sallyport/sallyport/proxy/inspect/decode"
	"github.com/sallyport/sallyport/proxy/inspect/legible"
)

// Bounds of a rule file.
const (
	MaxFile      = 64 << 10 // bytes
	MaxRules     = 200
	maxPatterns  = 64 // of a rule
	maxRuleTitle = 160
	maxWeight    = 10
)

// ruleFile is the JSON of a rule file. docs/detection.md describes it.
type ruleFile struct {
	Version int           `json:"version"`
	Rules   []writtenRule `json:"rules"`
}

type writtenRule struct {
	Name     string   `json:"name"`
	Level    Level    `json:"level"`
	Title    string   `json:"title"`
	Metadata float64  `json:"metadata"` // weight in a definition
	Answer   float64  `json:"answer"`   // weight in a response
	Group    string   `json:"group"`
	Patterns []string `json:"patterns"`
	Example  string   `json:"example"`
	Counter  string   `json:"counter_example"`
}

// groupNames are the groups as a file names them.
var groupNames = []string{
	override: "override", boundary: "boundary", address: "address", prerequisite: "prerequisite", conceal: "conceal", source: "source",
	sink: "sink", arguments: "arguments", authority: "authority", exclusive: "exclusive", danger: "danger", persist: "persist",
}

// Load reads a rule file and returns the catalogue with its rules, and their number. taken are further names that its rules cannot have.
// The error says which rule is wrong and why; a faulty file is refused as a whole.
func Load(raw []byte, taken ...string) (with *Set, count int, err error) {
	if len(raw) > MaxFile {
		return nil, 0, fmt.Errorf("a rule file of more than %d KiB", MaxFile>>10)
	}
	if err := frame.Validate(raw); err != nil {
		return nil, 0, fmt.Errorf("the rule file is no JSON that has one reading: %w", err)
	}
	var file ruleFile
	decoder := json.NewDecoder(bytes.NewReader(raw))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(&file); err != nil {
		return nil, 0, fmt.Errorf("read rule file: %w", err)
	}
	if _, err := decoder.Token(); !errors.Is(err, io.EOF) {
		return nil, 0, errors.New("unexpected data after the rules")
	}
	switch {
	case file.Version != 1:
		return nil, 0, fmt.Errorf("version %d of rule files is not known, only 1", file.Version)
	case len(file.Rules) > MaxRules:
		return nil, 0, fmt.Errorf("more than %d rules", MaxRules)
	}
	taken = append(Names(), taken...)
	var own []string
	list := slices.Clone(catalogue)
	for i, w := range file.Rules {
		r, err := w.rule(taken, own)
		if err != nil {
			return nil, 0, fmt.Errorf("rule %d (%s): %w", i+1, legible.Name(w.Name, "without a name"), err)
		}
		own = append(own, r.Name)
		list = append(list, r)
	}
	if with, err = compile(withFloors(list)); err != nil {
		return nil, 0, err
	}
	m := with.Matcher()
	for i := len(catalogue); i < len(list); i++ {
		switch r := &list[i]; {
		case !m.finds(int32(i), r.example):
			return nil, 0, fmt.Errorf("rule %s does not find its example", r.Name)
		case m.finds(int32(i), r.counter):
			return nil, 0, fmt.Errorf("rule %s finds its counter-example", r.Name)
		}
	}
	return with, len(file.Rules), nil
}

// finds reports whether one rule matches a text.
func (m *Matcher) finds(rule int32, text string) bool {
	m.Begin()
	m.Match(decode.Fold(&decode.View{Text: text}).Text, 0)
	return slices.ContainsFunc(m.Hits, func(h Hit) bool { return h.Rule == rule })
}

func (w *writtenRule) rule(taken, own []string) (Rule, error) {
	about := slices.Index(groupNames, w.Group)
	switch {
	case !ruleName(w.Name):
		return Rule{}, errors.New("a name has 1 to 64 of a-z, 0-9 and _")
	case slices.Contains(taken, w.Name):
		return Rule{}, errors.New("a built-in rule has that name: rename yours")
	case slices.Contains(own, w.Name):
		return Rule{}, errors.New("another rule of the file has that name")
	case w.Level.Rank() == 0:
		return Rule{}, errors.New("a level is critical, high, medium or low")
	case w.Title == "" || len(w.Title) > maxRuleTitle || legible.Escape(w.Title) != w.Title || strings.ContainsAny(w.Title, "\n\t"):
		return Rule{}, fmt.Errorf("a title is one line of at most %d bytes", maxRuleTitle)
	case !(w.Metadata >= 0 && w.Metadata <= maxWeight && w.Answer >= 0 && w.Answer <= maxWeight):
		return Rule{}, fmt.Errorf("a weight is from 0 to %d", maxWeight)
	case about < 0:
		return Rule{}, fmt.Errorf("a group is one of %s", strings.Join(groupNames, ", "))
	case len(w.Patterns) == 0 || len(w.Patterns) > maxPatterns:
		return Rule{}, fmt.Errorf("a rule has 1 to %d patterns", maxPatterns)
	case w.Example == "" || w.Counter == "":
		return Rule{}, errors.New("a rule has an example and a counter_example")
	}
	return Rule{
		Name: w.Name, Level: w.Level, Title: w.Title, Definition: w.Metadata, Answer: w.Answer, group: group(about),
		patterns: w.Patterns, example: w.Example, counter: w.Counter, source: "rule file",
	}, nil
}

func ruleName(s string) bool {
	return s != "" && len(s) <= 64 && strings.Trim(s, "abcdefghijklmnopqrstuvwxyz0123456789_") == ""
}
