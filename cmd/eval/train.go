package main

import (
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"os"
	"slices"

	"github.com/sallyport/sallyport/proxy/inspect"
)

// sample is one training text.
type sample struct {
	text    string
	attack  bool
	family  string // what it was made of
	carrier string // the family of an honest text before it
}

// Training parameters. All of them are fixed, so that the same texts make the same model.
const (
	epochs = 8
	rate   = 0.5
	decay  = 2e-5
)

// train trains a model and writes it to a file.
func train(path string) error {
	model := fit(samples(), "")
	if err := os.WriteFile(path, model, 0o644); err != nil {
		return fmt.Errorf("write model: %w", err)
	}
	return nil
}

// fit is a logistic regression by gradient descent, sample by sample in a fixed order. It leaves out samples that contain anything of the
// family without.
func fit(all []sample, without string) []byte {
	var kept []*sample
	var features [][]uint32
	for i := range all {
		if without != "" && (all[i].family == without || all[i].carrier == without) {
			continue
		}
		var list []uint32
		inspect.NgramFeatures(all[i].text, func(b uint32) { list = append(list, b) })
		if len(list) == 0 {
			continue
		}
		kept, features = append(kept, &all[i]), append(features, list)
	}
	weights := make([]float64, inspect.NgramBuckets)
	bias := 0.0
	order := rand.New(rand.NewPCG(3, 5))
	for epoch := range epochs {
		step := rate / (1 + float64(epoch))
		for _, i := range order.Perm(len(kept)) {
			norm := 1 / math.Sqrt(float64(len(features[i])))
			sum := bias
			for _, b := range features[i] {
				sum += weights[b] * norm
			}
			miss := -1 / (1 + math.Exp(-sum))
			if kept[i].attack {
				miss++
			}
			bias += step * miss * 0.1
			for _, b := range features[i] {
				weights[b] += step * (miss*norm - decay*weights[b])
			}
		}
	}
	most := 1e-9
	for _, w := range weights {
		most = max(most, math.Abs(w))
	}
	small := make([]int8, len(weights))
	for i, w := range weights {
		small[i] = int8(math.Round(w / most * 127))
	}
	return inspect.NgramModel(float32(bias), float32(most/127), small)
}

// vote measures the second vote: on families of generated text that it was not trained on, and on the corpora, of which it knows no row.
func vote(out io.Writer, all []*corpus) {
	made := samples()
	fmt.Fprintf(out, "\n**The second vote**\n\nFitted to %d made texts. Each family of them was left out once; of it, this much was taken for an attack:\n\n", len(made))
	fmt.Fprint(out, "| family left out | texts | likely (0.5) | sure (0.95) |\n|---|---|---|---|\n")
	var families []string
	for _, s := range made {
		if !slices.Contains(families, s.family) {
			families = append(families, s.family)
		}
	}
	for _, family := range families {
		model := string(fit(made, family))
		n, likely, sure, kind := 0, 0, 0, "honest"
		for _, s := range made {
			if s.family != family {
				continue
			}
			n++
			if s.attack {
				kind = "attack"
			}
			if l := inspect.NgramLikelihood(model, s.text); l >= 0.95 {
				sure++
				likely++
			} else if l >= 0.5 {
				likely++
			}
		}
		fmt.Fprintf(out, "| %s: %s | %d | %s | %s |\n", kind, family, n, percent(likely, n), percent(sure, n))
	}
	fmt.Fprint(out, "\nOn the corpora it is asked where the rules nearly say block:\n\n| | asked | blocked by it |\n|---|---|---|\n")
	for _, c := range all {
		kinds := map[string]func(*row) bool{"": func(r *row) bool { return r.Family != overt }}
		order := []string{""}
		if !c.malicious {
			kinds = map[string]func(*row) bool{", ordinary": func(r *row) bool { return r.Hard == nil }, " that quote": func(r *row) bool { return r.Hard != nil }}
			order = []string{", ordinary", " that quote"}
		}
		for _, name := range order {
			asked, blocked := 0, 0
			for i := range c.rows {
				if r := &c.rows[i]; r.Asked && kinds[name](r) {
					asked++
					if slices.ContainsFunc(r.Findings, func(f inspect.Finding) bool { return f.Rule == inspect.CheckNgram }) {
						blocked++
					}
				}
			}
			fmt.Fprintf(out, "| %s%s | %d of %d | %d |\n", titles[c.name], name, asked, c.share(kinds[name]).rows, blocked)
		}
	}
}
