package inspect

import (
	"github.com/sallyport/sallyport/proxy/inspect/decode"
	"github.com/sallyport/sallyport/proxy/inspect/rules"
)

// Verdict of a text: what the default policy makes of it.
type Verdict string

const (
	Clean Verdict = "clean"
	Flag  Verdict = "flag"  // shown to the person
	Block Verdict = "block" // the tool stays blocked, the answer is held
)

// Place is where a text stands. The same words weigh differently in what a server says of itself and in what it answers.
type Place uint8

const (
	Metadata Place = iota
	Answer
)

// Part is one text of a definition or an answer, and its path there.
type Part struct{ Where, Text string }

// Weighed is what the rules of the catalogue found in texts that belong together. Findings are empty where the verdict is
// Clean: what weighs little alone is no warning.
type Weighed struct {
	Findings []Finding
	Score    float64
	Verdict  Verdict
	Whole    bool // every view was looked at
	Asked    bool // the second vote was asked
}

// thresholds of the score, by place.
var thresholds = [...]struct{ flag, block float64 }{
	Metadata: {3, 4.5},
	Answer:   {3, 4.5},
}

// unseen is what a finding of hidden characters makes of a text by itself. Pages are full of them; definitions are not.
func unseen(place Place, level Level) float64 {
	switch {
	case place == Answer && level == Critical:
		return 4
	case place == Metadata && level == Critical:
		return 6
	case place == Metadata && level == High:
		return 3
	}
	return 0
}

// Weigh looks for threats in the parts of one definition, or of one answer.
func Weigh(parts []Part, place Place) Weighed { return weigh(rules.Standard(), parts, place) }

func weigh(c *rules.Set, parts []Part, place Place) Weighed {
	w := newWeigher(c, place)
	defer w.release()
	for i := range parts {
		w.add(parts[i].Text, &parts[i])
	}
	w.done()
	w.heard()
	return w.Weighed
}

func (p *Part) at() string { return p.Where }

// Judged is what a definition or an answer is found to be, by every detector there is.
type Judged struct {
	Verdict  Verdict
	Findings []Finding // in the order of the text, hidden characters first
	Whole    bool
	Asked    bool // the second vote was asked
}

// JudgeDefinition judges one definition. Block with any Critical or High finding, Flag with a Medium one. raw must
// have passed frame.Validate or frame.Scan.
func JudgeDefinition(raw []byte) Judged { return (*RuleFile)(nil).JudgeDefinition(raw) }

// JudgeAnswer judges one text of an answer, by its score.
func JudgeAnswer(text string) Judged { return (*RuleFile)(nil).JudgeAnswer(text) }

// encoded says that a chain holds what nobody does to text that is to be read. HTML is full of entities, and links of
// percent signs; a blob is how the protocol sends a file.
func encoded(chain []string) bool {
	layers := 0
	for _, e := range chain {
		switch e {
		case joinedEncoding, decode.ContentEncoding:
			continue
		case "html_entities", "url_encoding", decode.CompatibilityEncoding, decode.InvisibleEncoding:
		default:
			return true
		}
		layers++
	}
	return layers > 1
}
