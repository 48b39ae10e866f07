package inspect

import (
	"github.com/sallyport/sallyport/proxy/inspect/decode"
	"github.com/sallyport/sallyport/proxy/inspect/rules"
)

// Verdict is what the default policy does with a text.
type Verdict string

const (
	Clean Verdict = "clean"
	Flag  Verdict = "flag"  // shown to the person
	Block Verdict = "block" // the tool stays blocked, the response is held
)

// Place is the kind of text. The same words weigh differently in a server's claims about itself and in its responses.
type Place uint8

const (
	Metadata Place = iota
	Answer
)

// Part is one text of a definition or a response, and its path there.
type Part struct{ Where, Text string }

// Judged is the judgement of texts that belong together, such as those of a definition or a response.
type Judged struct {
	Verdict  Verdict
	Findings []Finding // in text order, hidden characters first and matches without weight last; all Low if the verdict is Clean
	Score    float64   // of the rules and the second vote
	Whole    bool      // every view was read
}

// The scores from which a text is flagged and blocked.
const (
	flagScore  = 3
	blockScore = 4.5
)

// unseen is the weight of hidden characters alone. Web pages are full of them; definitions are not.
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

// Weigh looks for threats in the parts of one definition or one response.
func Weigh(parts []Part, place Place) Judged { return weigh(rules.Standard(), parts, place) }

// WeighBy weighs by another model of the second vote, to measure it; "" leaves the vote out.
func WeighBy(model string, parts []Part, place Place) Judged {
	return weighBy(model, rules.Standard(), parts, place)
}

func weigh(c *rules.Set, parts []Part, place Place) Judged {
	return weighBy(ngramModel, c, parts, place)
}

func weighBy(model string, c *rules.Set, parts []Part, place Place) Judged {
	w := newWeigher(c, place)
	w.model = model
	defer w.release()
	for i := range parts {
		w.add(parts[i].Text, nil, &parts[i])
	}
	w.done()
	w.heard()
	return w.Judged
}

func (p *Part) at() string { return p.Where }

// JudgeDefinition judges one definition: Block with any Critical or High finding, Flag with a Medium one. raw must have passed
// frame.Validate or frame.Scan.
func JudgeDefinition(raw []byte) Judged { return (*RuleFile)(nil).JudgeDefinition(raw) }

// encoded reports whether a chain includes an encoding that honest text never uses. HTML is full of entities, links are full of percent
// signs, and the protocol sends files as blobs.
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
