package inspect

import (
	"fmt"
	"hash/fnv"
	"slices"
	"strings"

	"github.com/sallyport/sallyport/proxy/frame"
	"github.com/sallyport/sallyport/proxy/inspect/rules"
)

// RuleFile holds a person's own rules (inspect.rules). They can only add findings. A nil file means the catalogue alone.
type RuleFile struct {
	with  *rules.Set // the catalogue plus the rules of the file
	count int
	name  string // of the combined rule set
}

// LoadRules reads a rule file. The error says which rule is wrong and why; a faulty file is refused as a whole.
func LoadRules(raw []byte) (*RuleFile, error) {
	with, count, err := rules.Load(raw, InvisibleCharacters, ControlCharacters, ANSIEscape, BeyondBounds, CheckNgram)
	if err != nil {
		return nil, err
	}
	h := fnv.New64a()
	h.Write(raw)
	return &RuleFile{with: with, count: count, name: fmt.Sprintf("%s+%016x", RuleSet(), h.Sum64())}, nil
}

// compiled are the file's rules together with the catalogue.
func (f *RuleFile) compiled() *rules.Set {
	if f == nil {
		return rules.Standard()
	}
	return f.with
}

func (f *RuleFile) Count() int {
	if f == nil {
		return 0
	}
	return f.count
}

// RuleSet names the rules of this program and the file's fingerprint.
func (f *RuleFile) RuleSet() string {
	if f == nil {
		return RuleSet()
	}
	return f.name
}

// NewWatch makes a Watch that also applies the rules of the file.
func (f *RuleFile) NewWatch() *Watch { return &Watch{rules: f} }

// Threats also applies the rules of the file.
func (f *RuleFile) Threats(raw []byte) Judged { return f.threats(ngramModel, raw) }

func (f *RuleFile) threats(model string, raw []byte) Judged {
	w := newWeigher(f.compiled(), Metadata)
	defer w.release()
	w.model = model
	w.Whole = w.value.strings(raw, w) && w.Whole
	w.done()
	w.heard()
	return w.Judged
}

// JudgeDefinition also applies the rules of the file.
func (f *RuleFile) JudgeDefinition(raw []byte) Judged { return f.judgeDefinition(ngramModel, raw) }

// JudgeDefinitionBy judges by another model of the second vote, to measure it; "" leaves the vote out.
func JudgeDefinitionBy(model string, raw []byte) Judged {
	return (*RuleFile)(nil).judgeDefinition(model, raw)
}

func (f *RuleFile) judgeDefinition(model string, raw []byte) Judged {
	j := f.threats(model, raw)
	j.Verdict, j.Findings = Clean, append(Definition(raw), j.Findings...)
	switch worst := Worst(j.Findings).Rank(); {
	case worst >= High.Rank():
		j.Verdict = Block
	case worst >= Medium.Rank():
		j.Verdict = Flag
	}
	return j
}

// JudgeAnswer judges one text of an answer by its score. It also applies the rules of the file; a nil file has none.
func (f *RuleFile) JudgeAnswer(text string) Judged {
	j := weigh(f.compiled(), []Part{{Text: text}}, Answer)
	j.Findings = append(Text(text, ""), j.Findings...)
	return j
}

// JudgeText is JudgeAnswer and SecretsInText in one pass.
func (f *RuleFile) JudgeText(text, profile string) (j Judged, found []Finding, whole bool) {
	if len(text) < minText {
		found, whole = SecretsInText(text, profile)
		return f.JudgeAnswer(text), found, whole
	}
	w := newWeigher(f.compiled(), Answer)
	defer w.release()
	w.secret.Begin(profile)
	w.plain.Seeks, w.decodes = w.secret.On, w.secret.On
	w.add(text, nil, &Part{Text: text})
	w.done()
	w.heard()
	w.Findings = append(Text(text, ""), w.Findings...)
	return w.Judged, w.secrets, !w.secret.Short
}

// PlaceInitialize begins the place of findings in the response to initialize: "initialize.serverInfo.name".
const PlaceInitialize = "initialize"

// SuspectServer reports a finding of Medium or above in what a server says about itself as a whole. It belongs to no item, so allowing a
// new server includes it.
func SuspectServer(findings []Finding) bool {
	return slices.ContainsFunc(findings, func(f Finding) bool {
		rest, ok := strings.CutPrefix(f.Where, PlaceInitialize)
		return ok && (rest == "" || rest[0] == '.' || rest[0] == '[') && f.Level.Rank() >= Medium.Rank()
	})
}

// NoReading is the rule for text that two parsers could read differently.
const NoReading = "no_one_reading"

// JudgeInitialize judges one member of the response to initialize.
func (f *RuleFile) JudgeInitialize(key string, value []byte) Judged {
	if frame.Validate(value) != nil {
		return Judged{Verdict: Block, Findings: []Finding{{
			Rule: NoReading, Level: High, Category: "threat", Title: "What the server claims can be read in two ways",
			Where: PlaceInitialize + "." + key,
		}}}
	}
	raw := append(frame.AppendString([]byte("{"), key), ':')
	raw = append(append(raw, value...), '}')
	judged := f.JudgeDefinition(raw)
	for i := range judged.Findings {
		at := &judged.Findings[i].Where
		switch {
		case *at == "":
			*at = PlaceInitialize
		case (*at)[0] == '[':
			*at = PlaceInitialize + *at
		default:
			*at = PlaceInitialize + "." + *at
		}
	}
	return judged
}
