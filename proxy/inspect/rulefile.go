package inspect

import (
	"fmt"
	"hash/fnv"

	"github.com/sallyport/sallyport/proxy/inspect/rules"
)

// RuleFile holds rules of one's own (inspect.rules): it only adds findings, whatever it says. A nil file is the catalogue alone.
type RuleFile struct {
	with  *rules.Set // the catalogue and the rules of the file
	count int
	name  string // of the rule set, with the catalogue's
}

// LoadRules reads a rule file. The error says which rule is wrong and how; nothing of a wrong file counts.
func LoadRules(raw []byte) (*RuleFile, error) {
	with, count, err := rules.Load(raw, InvisibleCharacters, ControlCharacters, ANSIEscape, BeyondBounds, CheckNgram)
	if err != nil {
		return nil, err
	}
	h := fnv.New64a()
	h.Write(raw)
	return &RuleFile{with: with, count: count, name: fmt.Sprintf("%s+%016x", RuleSet(), h.Sum64())}, nil
}

// compiled are the rules that a file makes together with the catalogue.
func (f *RuleFile) compiled() *rules.Set {
	if f == nil {
		return rules.Standard()
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
