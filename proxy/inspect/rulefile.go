package inspect

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"hash/fnv"
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

// RuleFile holds rules of one's own (inspect.rules): it only adds findings, whatever it says. A nil file is the catalogue alone.
type RuleFile struct {
	with  *compiled // the catalogue and the rules of the file
	count int
	name  string // of the rule set, with the catalogue's
}

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

// LoadRules reads a rule file. The error says which rule is wrong and how; nothing of a wrong file counts.
func LoadRules(raw []byte) (*RuleFile, error) {
	if len(raw) > MaxRuleFile {
		return nil, fmt.Errorf("a rule file of more than %d KiB", MaxRuleFile>>10)
	}
	if err := frame.Validate(raw); err != nil {
		return nil, fmt.Errorf("the rule file is no JSON that has one reading: %w", err)
	}
	var file ruleFile
	decoder := json.NewDecoder(bytes.NewReader(raw))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(&file); err != nil {
		return nil, fmt.Errorf("read rule file: %w", err)
	}
	if _, err := decoder.Token(); !errors.Is(err, io.EOF) {
		return nil, errors.New("something stands after the rules")
	}
	switch {
	case file.Version != 1:
		return nil, fmt.Errorf("version %d of rule files is not known, only 1", file.Version)
	case len(file.Rules) > maxRules:
		return nil, fmt.Errorf("more than %d rules", maxRules)
	}
	taken := append(RuleNames(), InvisibleCharacters, ControlCharacters, ANSIEscape, BeyondBounds, CheckNgram)
	list := slices.Clone(catalogue)
	for i, w := range file.Rules {
		r, err := w.rule(taken)
		if err != nil {
			return nil, fmt.Errorf("rule %d (%s): %w", i+1, legible.Name(w.Name, "without a name"), err)
		}
		taken = append(taken, r.name)
		list = append(list, r)
	}
	c, err := compile(list)
	if err != nil {
		return nil, err
	}
	m := c.matcher()
	for i := len(catalogue); i < len(list); i++ {
		switch r := &list[i]; {
		case !m.finds(int32(i), r.example):
			return nil, fmt.Errorf("rule %s does not find its example", r.name)
		case m.finds(int32(i), r.counter):
			return nil, fmt.Errorf("rule %s finds its counter-example", r.name)
		}
	}
	h := fnv.New64a()
	h.Write(raw)
	return &RuleFile{with: c, count: len(file.Rules), name: fmt.Sprintf("%s+%016x", RuleSet(), h.Sum64())}, nil
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

// compiled are the rules that a file makes together with the catalogue.
func (f *RuleFile) compiled() *compiled {
	if f == nil {
		return rules()
	}
	return f.with
}

// Count is how many rules the file adds.
func (f *RuleFile) Count() int {
	if f == nil {
		return 0
	}
	return f.count
}

// RuleSet names the rules of this program, and those of the file with its fingerprint.
func (f *RuleFile) RuleSet() string {
	if f == nil {
		return RuleSet()
	}
	return f.name
}

// NewWatch makes a Watch that looks for the rules of the file too.
func (f *RuleFile) NewWatch() *Watch { return &Watch{rules: f} }

// Threats is Threats with the rules of the file too.
func (f *RuleFile) Threats(raw []byte) Weighed {
	w := newWeigher(f.compiled(), Metadata)
	defer w.release()
	w.Whole = w.value.strings(raw, w) && w.Whole
	w.done()
	w.heard()
	return w.Weighed
}

// JudgeDefinition is JudgeDefinition with the rules of the file too.
func (f *RuleFile) JudgeDefinition(raw []byte) Judged {
	w := f.Threats(raw)
	j := Judged{Verdict: Clean, Findings: append(Definition(raw), w.Findings...), Whole: w.Whole, Asked: w.Asked}
	switch worst := Worst(j.Findings).Rank(); {
	case worst >= High.Rank():
		j.Verdict = Block
	case worst >= Medium.Rank():
		j.Verdict = Flag
	}
	return j
}

// JudgeAnswer is JudgeAnswer with the rules of the file too.
func (f *RuleFile) JudgeAnswer(text string) Judged {
	w := weigh(f.compiled(), []Part{{Text: text}}, Answer)
	return Judged{Verdict: w.Verdict, Findings: append(Text(text, ""), w.Findings...), Whole: w.Whole, Asked: w.Asked}
}
