package main

import (
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"strings"
	"unicode/utf8"

	"github.com/sallyport/sallyport/proxy/inspect"
)

// rounds is how often honest responses are shuffled.
const rounds = 5

// sessions measures responses that are judged together with those before them: honest ones, whose parts must not add up, and attacks cut
// into pieces.
func sessions(out io.Writer, all []*corpus) {
	honest, hostile := named(all, "responses_benign"), named(all, "responses_malicious")
	fmt.Fprint(out, "\n**Over several responses**\n\n| | responses | flagged | blocked |\n|---|---|---|---|\n")
	alone := honest.share(func(r *row) bool { return r.Hard == nil })
	fmt.Fprint(out, alone.line("honest, ordinary, each by itself"))
	order := rand.New(rand.NewPCG(1, 2))
	var after, beside share
	for range rounds {
		var watch inspect.Watch
		var block []*row
		for _, i := range order.Perm(len(honest.rows)) {
			r := &honest.rows[i]
			if r.Hard != nil {
				continue
			}
			after.add(watch.Answer(answer(r.Text), inspect.Terms{}).Verdict)
			if block = append(block, r); len(block) == 3 {
				v := new(inspect.Watch).Answer(answer(block[0].Text, block[1].Text, block[2].Text), inspect.Terms{})
				beside.add(v.Verdict)
				block = block[:0]
			}
		}
	}
	fmt.Fprint(out, after.line(fmt.Sprintf("the same, one after the other, in %d orders", rounds)))
	fmt.Fprint(out, beside.line("three of them as blocks of one response"))
	var blocks, results, words share
	for i := range hostile.rows {
		r := &hostile.rows[i]
		if r.Verdict != inspect.Block || len(r.Findings) == 0 {
			continue
		}
		head, tail := cut(r, false)
		v := new(inspect.Watch).Answer(answer(head, tail), inspect.Terms{})
		blocks.add(v.Verdict)
		results.add(oneByOne(head, tail))
		words.add(oneByOne(cut(r, true)))
	}
	fmt.Fprint(out, blocks.line("attacks that are blocked whole, cut in the middle of a match, as two blocks"))
	fmt.Fprint(out, results.line("… as two responses"))
	fmt.Fprint(out, words.line("… as two responses, in the middle of a word"))
}

func named(all []*corpus, name string) *corpus {
	for _, c := range all {
		if c.name == name {
			return c
		}
	}
	return &corpus{}
}

// oneByOne is the most serious verdict on texts that a server sends one after the other.
func oneByOne(texts ...string) inspect.Verdict {
	var watch inspect.Watch
	worst := inspect.Clean
	for _, t := range texts {
		if v := watch.Answer(answer(t), inspect.Terms{}).Verdict; worst != inspect.Block && v != inspect.Clean {
			worst = v
		}
	}
	return worst
}

// cut splits a text in the middle of its first finding: between two words, or inside one.
func cut(r *row, inside bool) (head, tail string) {
	f := r.Findings[0]
	at := (f.Start + f.End) / 2
	for at < len(r.Text) && !utf8.RuneStart(r.Text[at]) {
		at++
	}
	if !inside {
		if space := strings.IndexAny(r.Text[at:], " \n"); space >= 0 {
			return r.Text[:at+space], r.Text[at+space+1:]
		}
	}
	return r.Text[:at], r.Text[at:]
}

func answer(texts ...string) []byte {
	type block struct {
		Type string `json:"type"`
		Text string `json:"text"`
	}
	var result struct {
		Content []block `json:"content"`
	}
	for _, t := range texts {
		result.Content = append(result.Content, block{"text", t})
	}
	raw, err := json.Marshal(result)
	if err != nil {
		panic(err) // strings are always JSON
	}
	return raw
}
