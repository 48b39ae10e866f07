package main

import (
	"fmt"
	"io"
	"slices"

	"github.com/sallyport/sallyport/proxy/inspect"
)

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
