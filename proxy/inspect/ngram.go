package inspect

import (
	_ "embed"
	"encoding/binary"
	"math"
	"slices"

	"github.com/sallyport/sallyport/proxy/inspect/decode"
	"github.com/sallyport/sallyport/proxy/inspect/rules"
)

// The second vote: a logistic regression over hashed pieces of words and pairs of words, trained by `go run ./cmd/eval train` on text that
// cmd/eval generates. It only judges the surroundings of what the rules found, and can only add to a verdict.

const (
	ngramBits   = 18
	ngramWindow = 600            // bytes on each side of a match
	ngramSure   = 0.95           // likelihood from which it votes for an attack
	maxCues     = rules.MaxHeavy // windows of one response or definition
	headerBytes = 8              // bias and scale
)

// CheckNgram is the name of the second vote among the checks, and of its finding.
const CheckNgram = "ngram"

// cue is the text around a match of the rules.
type cue struct {
	text       string
	path       string
	match      string
	start, end int // of the match, in the text at path
	at         int // of the match, in all texts together
}

// cued remembers the surroundings of a match in a view.
func (w *weigher) cued(v string, h rules.Hit, base int, f Finding) {
	if n := len(w.cues); n == maxCues || n > 0 && w.cues[n-1].path == f.Where && f.Start < w.cues[n-1].end+ngramWindow/2 {
		return
	}
	start, end := max(h.Start-base, 0), h.End-base
	w.cues = append(w.cues, cue{v[max(0, start-ngramWindow):min(len(v), end+ngramWindow)], f.Where, f.Match, f.Start, f.End, w.offset + f.Start})
}

// vote asks the model when the score is halfway from flag to block: if it is sure, the verdict is block, and the findings keep their level.
// It is wrong too often to be asked about lower scores, in another text or in another part of a long one.
func (w *weigher) vote(heavy []int) {
	w.Asked = true
	for _, c := range w.cues {
		near := slices.ContainsFunc(heavy, func(at int) bool { return c.at >= at && c.at-at <= rules.Together })
		if !near || NgramLikelihood(ngramModel, c.text) < ngramSure {
			continue
		}
		if w.except[CheckNgram].Rank() >= High.Rank() {
			w.passed, w.all = append(w.passed, CheckNgram), max(w.all, blockScore)
			return
		}
		w.Verdict = Block
		w.Findings = append(w.Findings, Finding{
			Rule: CheckNgram, Level: High, Category: "threat", Title: "It reads like an order to Claude", Where: c.path, Start: c.start, End: c.end, Match: c.match,
		})
		return
	}
}

const NgramBuckets = 1 << ngramBits

//go:embed ngram.model
var ngramModel string

// NgramModel is a model as it is stored: bias, scale, and one signed byte for each bucket.
func NgramModel(bias, scale float32, weights []int8) []byte {
	out := make([]byte, 0, headerBytes+len(weights))
	out = binary.LittleEndian.AppendUint32(out, math.Float32bits(bias))
	out = binary.LittleEndian.AppendUint32(out, math.Float32bits(scale))
	for _, w := range weights {
		out = append(out, byte(w))
	}
	return out
}

// NgramLikelihood is the model's estimate that a text is an attack, from 0 to 1.
func NgramLikelihood(model, text string) float64 {
	if len(model) != headerBytes+NgramBuckets {
		return 0
	}
	number := func(at int) float64 {
		return float64(math.Float32frombits(uint32(model[at]) | uint32(model[at+1])<<8 | uint32(model[at+2])<<16 | uint32(model[at+3])<<24))
	}
	sum, n := 0, 0
	NgramFeatures(text, func(bucket uint32) {
		sum += int(int8(model[headerBytes+bucket]))
		n++
	})
	if n == 0 {
		return 0
	}
	return 1 / (1 + math.Exp(-number(0)-number(4)*float64(sum)/math.Sqrt(float64(n))))
}

// NgramFeatures calls f with the bucket of every feature of a text: words, pairs of words, and four letters in a row. It reads the text
// folded.
func NgramFeatures(text string, f func(bucket uint32)) {
	const prime, offset = 16777619, 2166136261
	bucket := func(h uint32) uint32 { return (h ^ h>>15) * 2654435761 >> (32 - ngramBits) }
	var before uint32
	for i := 0; i < len(text); {
		if c := decode.FoldByte(text[i]); !rules.Wordy(c) && c < 0x80 {
			if c == '.' || c == '!' || c == '?' {
				before = 0
			}
			i++
			continue
		}
		start, word := i, uint32(offset)
		for ; i < len(text) && i-start < rules.MaxWord; i++ {
			c := decode.FoldByte(text[i])
			if !rules.Wordy(c) && c < 0x80 {
				break
			}
			if c >= '0' && c <= '9' {
				c = '0' // the digit itself has no meaning
			}
			word = (word ^ uint32(c)) * prime
		}
		f(bucket(word))
		if before != 0 {
			f(bucket(before*31 + word))
		}
		before = word
		for j := start; j+4 <= i; j++ {
			h := uint32(offset ^ 0x5bd1e995)
			for _, c := range []byte(text[j : j+4]) {
				h = (h ^ uint32(decode.FoldByte(c))) * prime
			}
			f(bucket(h))
		}
	}
}
