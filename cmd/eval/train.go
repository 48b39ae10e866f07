package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"slices"
	"strings"

	"github.com/sallyport/sallyport/proxy/inspect"
)

// Parameters of the fit. All of them are fixed, so that the same texts make the same model.
const (
	epochs   = 6
	rate     = 0.1
	decay    = 1e-5
	deaf     = 0.2 // share of words that are left out of a text at each step
	sure     = 4.0 // the sum at which a text is as likely an attack as not
	runs     = 2   // models that are averaged
	lastWord = 1e-4
)

// word is one as inspect.NgramWords reads it.
type word struct {
	buckets [4]uint32
	again   uint8
}

// lesson is a text to fit the second vote to.
type lesson struct {
	words    []word
	attack   bool
	from, to int // words of the attack; 0, 0: it is not known where it is
	fold     int
}

// everyFold is the fold of what is not measured, and so never left out.
const everyFold = -1

// lessonOf reads a text as the vote does. passage is the attack in it, if that is known.
func lessonOf(text, passage string, attack bool, fold int) lesson {
	text = inspect.NgramText(text)
	l := lesson{attack: attack, fold: fold}
	at, end := -1, 0
	if attack && len(passage) > 8 {
		passage = inspect.NgramText(passage)
		at = strings.Index(text, passage)
		end = at + len(passage)
	}
	words := inspect.NgramWords{Text: text}
	for words.Next() {
		l.words = append(l.words, word{words.Buckets(), uint8(words.Again)})
		if at >= 0 && words.Start < at {
			l.from = len(l.words)
		}
		if at >= 0 && words.Start < end {
			l.to = len(l.words)
		}
	}
	if l.to > l.from {
		l.words = l.words[l.from:l.to]
	}
	return l
}

// train fits the model to all of the corpora and to made texts, and writes it to a file.
func train(dir, path string) error {
	var model []byte
	for _, place := range []string{"metadata", "responses"} {
		lessons, err := lessonsOf(dir, place)
		if err != nil {
			return err
		}
		model = append(model, fit(lessons, math.MinInt)...)
	}
	if err := os.WriteFile(path, model, 0o644); err != nil {
		return fmt.Errorf("write model: %w", err)
	}
	return nil
}

// lessonsOf are the texts for a place: the rows of the corpora, texts that were made from them, and those made here. Rows that are composed
// of others are left out: they can't be kept apart from them.
func lessonsOf(dir, place string) ([]lesson, error) {
	var lessons []lesson
	carriers := map[string]int{} // lines, and names of tools, by fold
	for _, prefix := range []string{"", "made_"} {
		for _, kind := range []string{"_malicious", "_benign"} {
			err := each(dir, prefix+place+kind, func(raw []byte) error {
				var r row
				if err := json.Unmarshal(raw, &r); err != nil {
					return err
				}
				if r.Family == overt || composed(&r) {
					return nil
				}
				fold := foldOf(&r)
				if prefix == "" {
					for _, line := range r.carrier() {
						carriers[line] = fold
					}
				} else if fold = r.carried(carriers); fold == everyFold && place == "responses" {
					return nil // it can't be kept apart from what it is made of
				}
				lessons = append(lessons, lessonOf(strings.Join(r.texts(), "\n\n"), r.Attack, kind == "_malicious", fold))
				return nil
			})
			if err != nil {
				return nil, err
			}
		}
	}
	for _, s := range samples() {
		lessons = append(lessons, lessonOf(s.text, s.text[s.from:s.to], s.attack, everyFold))
	}
	return lessons, nil
}

// texts are the strings of a row.
func (r *row) texts() []string {
	if r.Tool == nil {
		return []string{r.Text}
	}
	var texts []string
	var walk func(v any)
	walk = func(v any) {
		switch v := v.(type) {
		case string:
			texts = append(texts, v)
		case []any:
			for _, e := range v {
				walk(e)
			}
		case map[string]any:
			for _, key := range sortedKeys(v) {
				walk(v[key])
			}
		}
	}
	var tool any
	if json.Unmarshal(r.Tool, &tool) == nil {
		walk(tool)
	}
	return texts
}

// carrier is what shows that another text was made from this row: its longer lines, or the name of its tool.
func (r *row) carrier() (lines []string) {
	var tool struct{ Name string }
	if r.Tool != nil && json.Unmarshal(r.Tool, &tool) == nil {
		return []string{tool.Name}
	}
	for line := range strings.SplitSeq(r.Text, "\n") {
		if line = strings.TrimSpace(line); len(line) >= 20 {
			lines = append(lines, line)
		}
	}
	return lines
}

// carried is the fold of the row that a made one was made from.
func (r *row) carried(carriers map[string]int) int {
	var votes [folds]int
	for _, line := range r.carrier() {
		if fold, ok := carriers[line]; ok && fold >= 0 {
			votes[fold]++
		}
	}
	if most := slices.Max(votes[:]); most > 0 {
		return slices.Index(votes[:], most)
	}
	return everyFold
}

// fit makes the weights of a place from all lessons but those of one fold.
func fit(lessons []lesson, without int) []byte {
	kept := slices.DeleteFunc(slices.Clone(lessons), func(l lesson) bool { return l.fold == without || len(l.words) == 0 })
	sum := make([]float64, inspect.NgramBuckets)
	for run := range runs {
		for i, w := range descend(kept, uint64(run)) {
			sum[i] += w / runs
		}
	}
	var model bytes.Buffer
	for _, w := range sum {
		model.WriteByte(byte(int8(max(-127, min(127, math.Round(w*inspect.NgramUnit))))))
	}
	return model.Bytes()
}

// descend is a logistic regression on the highest sum of each text, text by text in a fixed order. Each weight has a rate of its own
// (AdaGrad).
func descend(lessons []lesson, seed uint64) []float64 {
	var faded [256]float64 // by the words that were passed over
	for again := range faded {
		faded[again] = math.Pow(float64(inspect.NgramFade)/256, float64(again+1))
	}
	weights, steps := make([]float64, inspect.NgramBuckets), make([]float64, inspect.NgramBuckets)
	dice := rand.New(rand.NewPCG(seed, 5))
	var heard []bool
	for range epochs {
		for _, i := range dice.Perm(len(lessons)) {
			l := &lessons[i]
			heard = heard[:0]
			sum, high, begin, from, at := 0.0, 0.0, 0, 0, -1
			for j := range l.words {
				heard = append(heard, dice.Float64() >= deaf)
				sum *= faded[l.words[j].again]
				if heard[j] {
					for _, b := range l.words[j].buckets {
						sum += weights[b]
					}
				}
				if sum <= 0 {
					sum, begin = 0, j+1
				}
				if sum > high {
					high, from, at = sum, begin, j
				}
			}
			if at < 0 {
				if !l.attack {
					continue
				}
				at = len(l.words) - 1 // nothing is known yet
				if l.to == 0 {
					at = dice.IntN(len(l.words))
				}
				from = max(0, at-25)
			}
			pull := -1 / (1 + math.Exp(sure-high))
			if l.attack {
				pull++
			}
			for j := at; j >= from && math.Abs(pull) > lastWord; j-- {
				if heard[j] {
					for _, b := range l.words[j].buckets {
						slope := pull - decay*weights[b]
						steps[b] += slope * slope
						weights[b] += rate * slope / math.Sqrt(steps[b]+1e-2)
					}
				}
				pull *= faded[l.words[j].again]
			}
		}
	}
	return weights
}
