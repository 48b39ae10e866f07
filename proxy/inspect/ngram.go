package inspect

import (
	_ "embed"
	"unsafe"

	"github.com/sallyport/sallyport/proxy/inspect/rules"
)

// The second vote: a linear model over words and pairs of words. Each word of a text has a weight; their sum fades from word to word and never
// falls below zero, so it rises only where many words in a row read like an order. What it rises to is added to the weights of the
// rules nearby. It can only add to a verdict, and judges every text in which a phrase of a rule begins, or that has several words. `make train`
// fits it.

const (
	ngramBits = 17
	// NgramBuckets is how many weights a place has. A weight is a signed byte, in 64ths.
	NgramBuckets = 1 << ngramBits
	NgramUnit    = 64
	// NgramFade is what remains of the sum at the next word, in 256ths: about 15 words count.
	NgramFade = 238
	ngramStem = 7 // letters of a word that count

	// A sum has weight from voteFrom on: voteWeight for each point, at most voteMost. So the vote alone flags from 8.0 on and blocks from 10.0 on.
	// These were chosen on sources that were left out of the fit.
	voteFrom   = 4.0
	voteWeight = 0.75
	voteMost   = 4.6
	maxCues    = rules.MaxHeavy
)

// CheckNgram is the name of the second vote among the checks, and of its finding.
const CheckNgram = "ngram"

// ngramModel holds the weights for definitions, then those for responses.
//
//go:embed ngram.model
var ngramModel string

// voter is the working memory of the vote: to clear it for every text would cost as much as a short one.
type voter struct{ block wordBlock }

// stretches calls f with each stretch of a text whose sum rises above least, which is not negative: where it begins and reaches its height, and the height. It
// reads the text folded, until f returns false. model is the part for the place.
func (v *voter) stretches(model, text string, least float64, f func(from, to int, sum float64) bool) {
	if len(model) != NgramBuckets {
		return
	}
	weights := (*[NgramBuckets]int8)(unsafe.Pointer(unsafe.StringData(model)))
	s := stretch{floor: int(least * sumUnit), tell: f}
	s.high = s.floor
	words := NgramWords{Text: text}
	for !s.done {
		if words.inRow >= plainRow {
			words.plain(&v.block, weights, &s)
		}
		if !words.Next() {
			break
		}
		s.fade(words.Again)
		s.add(words.uses.weight(weights), words.Start, words.End)
	}
	s.end()
}

// sumUnit is what a sum of 1 is as a fixed-point number: 256ths of a weight.
const sumUnit = NgramUnit << 8

// stretch is what the sum has risen to since it was zero.
type stretch struct {
	sum, high int // high is at least the floor
	begin     int
	from, to  int // of the height
	floor     int
	tell      func(from, to int, sum float64) bool
	done      bool // no more is to be told
}

// fade is what words that were passed over do.
func (s *stretch) fade(words int) {
	for range words {
		s.sum = s.sum * NgramFade >> 8
	}
}

// add counts a word that weighs c.
func (s *stretch) add(c, start, end int) {
	if s.sum == 0 {
		s.begin = start
	}
	s.sum = max(s.sum*NgramFade>>8+c<<8, 0)
	if s.sum > s.high {
		s.high, s.from, s.to = s.sum, s.begin, end
	}
	if s.sum == 0 || end-s.begin > rules.Together {
		s.begin = end
		s.end()
	}
}

// end tells of the stretch if it rose above the floor.
func (s *stretch) end() {
	if s.high > s.floor {
		s.done = s.done || !s.tell(s.from, s.to, float64(s.high)/sumUnit)
		s.high = s.floor
	}
}
