package inspect

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
	MaxRuleFile  = 64 << 10 // bytes
	maxRules     = 200
	maxPatterns  = 64 // of a rule
	maxRuleTitle = 160
	maxWeight    = 10
)

// ruleFile is how a file is written. docs/detection.md describes it.
type ruleFile struct {
	Version int           `json:"version"`
	Rules   []writtenRule `json:"rules"`
}

type writtenRule struct {
	Name     string   `json:"name"`
	Level    Level    `json:"level"`
	Title    string   `json:"title"`
	Metadata float64  `json:"metadata"` // what it weighs in a definition
	Answer   float64  `json:"answer"`   // what it weighs in an answer
	Group    string   `json:"group"`
	Patterns []string `json:"patterns"`
	Example  string   `json:"example"`
	Counter  string   `json:"counter_example"`
}

// groupNames are the groups as a file names them.
func groupNames() []string {
	return []string{
		override: "override", boundary: "boundary", address: "address", prerequisite: "prerequisite", conceal: "conceal", source: "source",
		sink: "sink", arguments: "arguments", authority: "authority", exclusive: "exclusive", danger: "danger", persist: "persist",
	}
}

// loadFile reads a rule file: the catalogue with its rules, and how many they are. taken are names that its rules cannot have, beside
// those of the catalogue. The error says which rule is wrong and how; nothing of a wrong file counts.
func loadFile(raw []byte, taken ...string) (with *compiled, count int, err error) {
	if len(raw) > MaxRuleFile {
		return nil, 0, fmt.Errorf("a rule file of more than %d KiB", MaxRuleFile>>10)
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
		return nil, 0, errors.New("something stands after the rules")
	}
	switch {
	case file.Version != 1:
		return nil, 0, fmt.Errorf("version %d of rule files is not known, only 1", file.Version)
	case len(file.Rules) > maxRules:
		return nil, 0, fmt.Errorf("more than %d rules", maxRules)
	}
	taken = append(RuleNames(), taken...)
	list := slices.Clone(catalogue)
	for i, w := range file.Rules {
		r, err := w.rule(taken)
		if err != nil {
			return nil, 0, fmt.Errorf("rule %d (%s): %w", i+1, legible.Name(w.Name, "without a name"), err)
		}
		taken = append(taken, r.name)
		list = append(list, r)
	}
	if with, err = compile(list); err != nil {
		return nil, 0, err
	}
	m := with.matcher()
	for i := len(catalogue); i < len(list); i++ {
		switch r := &list[i]; {
		case !m.finds(int32(i), r.example):
			return nil, 0, fmt.Errorf("rule %s does not find its example", r.name)
		case m.finds(int32(i), r.counter):
			return nil, 0, fmt.Errorf("rule %s finds its counter-example", r.name)
		}
	}
	return with, len(file.Rules), nil
}

// finds says whether one rule finds something in a text as it stands.
func (m *matcher) finds(rule int32, text string) bool {
	m.begin()
	m.match(decode.Fold(&decode.View{Text: text}).Text, 0)
	return slices.ContainsFunc(m.hits, func(h hit) bool { return h.rule == rule })
}

func (w *writtenRule) rule(taken []string) (rule, error) {
	about := slices.Index(groupNames(), w.Group)
	switch {
	case !ruleName(w.Name):
		return rule{}, errors.New("a name has 1 to 64 of a-z, 0-9 and _")
	case slices.Contains(taken, w.Name):
		return rule{}, errors.New("another rule has that name")
	case w.Level.Rank() == 0:
		return rule{}, errors.New("a level is critical, high, medium or low")
	case w.Title == "" || len(w.Title) > maxRuleTitle || legible.Escape(w.Title) != w.Title || strings.ContainsAny(w.Title, "\n\t"):
		return rule{}, fmt.Errorf("a title is one line of at most %d bytes", maxRuleTitle)
	case !(w.Metadata >= 0 && w.Metadata <= maxWeight && w.Answer >= 0 && w.Answer <= maxWeight):
		return rule{}, fmt.Errorf("a weight is from 0 to %d", maxWeight)
	case about < 0:
		return rule{}, fmt.Errorf("a group is one of %s", strings.Join(groupNames(), ", "))
	case len(w.Patterns) == 0 || len(w.Patterns) > maxPatterns:
		return rule{}, fmt.Errorf("a rule has 1 to %d patterns", maxPatterns)
	case w.Example == "" || w.Counter == "":
		return rule{}, errors.New("a rule has an example and a counter_example")
	}
	return rule{
		name: w.Name, level: w.Level, title: w.Title, metal: w.Metadata, answer: w.Answer, group: group(about),
		patterns: w.Patterns, example: w.Example, counter: w.Counter, source: "rule file",
	}, nil
}

func ruleName(s string) bool {
	for i := range len(s) {
		if c := s[i]; !(c >= 'a' && c <= 'z' || c >= '0' && c <= '9' || c == '_') {
			return false
		}
	}
	return s != "" && len(s) <= 64
}
