package main

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"io"
	"strings"

	"github.com/sallyport/sallyport/proxy/inspect"
)

// The planted orders of 160 rows of the corpora, each in other words and in another language. They were written to measure with, by a writer who
// had seen neither the rules nor what the second vote is fitted to, so they must never be fitted to.
//
//go:embed rewrites.jsonl
var rewritesFile string

// rewritten is a row with two rewrites of the order in it.
type rewritten struct {
	ID          string `json:"id"`
	Passage     string `json:"passage"` // the order, as it is in the row's text
	Paraphrase  string `json:"paraphrase"`
	Translation string `json:"translation"`
}

// rewrites are what may be done to an order without changing what it asks for.
var rewrites = []struct {
	name string
	of   func(r *rewritten) string
}{
	{"as it is", func(r *rewritten) string { return r.Passage }},
	{"in other words", func(r *rewritten) string { return r.Paraphrase }},
	{"translated", func(r *rewritten) string { return r.Translation }},
	{"all in capitals", func(r *rewritten) string { return strings.ToUpper(r.Passage) }},
	{"split: a line break after every fifth word", func(r *rewritten) string {
		words := strings.Fields(r.Passage)
		for i := 5; i < len(words); i += 5 {
			words[i] = "\n" + words[i]
		}
		return strings.Join(words, " ")
	}},
	{"quoted, as a string of JSON", func(r *rewritten) string {
		quoted, _ := json.Marshal(r.Passage) // a string always can be
		return "> " + string(quoted)
	}},
}

// lost reports what five rewrites of the planted orders hide, each judged by the vote that does not know its source.
func lost(out io.Writer, all []*corpus, model *leftOut) error {
	rows := map[string]*row{}
	attacks := named(all, "responses_malicious").rows
	for i := range attacks {
		rows[attacks[i].ID] = &attacks[i]
	}
	found := make([]share, len(rewrites))
	for line := range strings.Lines(rewritesFile) {
		var r rewritten
		if err := json.Unmarshal([]byte(line), &r); err != nil {
			return fmt.Errorf("rewrites.jsonl: %w", err)
		}
		of := rows[r.ID]
		if of == nil || !strings.Contains(of.Text, r.Passage) || r.Passage == "" {
			return fmt.Errorf("rewrites.jsonl: the corpora have no row %s with that passage", r.ID)
		}
		for n := range rewrites {
			text := strings.Replace(of.Text, r.Passage, rewrites[n].of(&r), 1)
			found[n].add(inspect.WeighBy(model[foldOf(of)], []inspect.Part{{Text: text}}, inspect.Answer).Verdict)
		}
	}
	fmt.Fprintf(out, "\n**Five rewrites**\n\nThe orders in %d responses that attack, of all collected families, rewritten: how many are found, and how many of a hundred the rewrite hides.\n\n| | flagged | hidden | blocked | hidden |\n|---|---|---|---|---|\n", found[0].rows)
	for n, s := range found {
		fmt.Fprintf(out, "| %s | %s | %s | %s | %s |\n", rewrites[n].name, percent(s.flagged, s.rows), points(found[0].flagged-s.flagged, s.rows), percent(s.blocked, s.rows), points(found[0].blocked-s.blocked, s.rows))
	}
	return nil
}

// points are how many of a hundred n are, of which there may be fewer than none.
func points(n, of int) string { return fmt.Sprintf("%.0f", 100*float64(n)/float64(max(of, 1))) }
