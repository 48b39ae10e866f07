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

// Weighed is what the catalogue's rules found in texts that belong together. There are no findings if the verdict is Clean: a light match
// alone is no warning.
type Weighed struct {
	Findings []Finding
	Score    float64
	Verdict  Verdict
	Whole    bool // every view was read
	Asked    bool // the second vote was asked
}

// thresholds of the score, by place.
var thresholds = [...]struct{ flag, block float64 }{
	Metadata: {3, 4.5},
	Answer:   {3, 4.5},
}

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

// Judged is the judgement of a definition or response by every detector.
type Judged struct {
	Verdict  Verdict
	Findings []Finding // in text order, hidden characters first
	Whole    bool
	Asked    bool // the second vote was asked
}

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
