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
	fmt.Fprint(out, "\n**Over several responses**\n\nBy the rules alone, because the second vote judges each text by itself.\n\n| | responses | flagged | blocked |\n|---|---|---|---|\n")
	var alone share
	for i := range honest.rows {
		if r := &honest.rows[i]; r.Hard == nil {
			alone.add(r.alone.Verdict)
		}
	}
	fmt.Fprint(out, alone.line("honest, ordinary, each by itself"))
	order := rand.New(rand.NewPCG(1, 2))
	var after, beside share
	for range rounds {
		watch := inspect.WatchAlone()
		var block []*row
		for _, i := range order.Perm(len(honest.rows)) {
			r := &honest.rows[i]
			if r.Hard != nil {
				continue
			}
			after.add(watch.Answer(answer(r.Text), inspect.Terms{}).Verdict)
			if block = append(block, r); len(block) == 3 {
				v := inspect.WatchAlone().Answer(answer(block[0].Text, block[1].Text, block[2].Text), inspect.Terms{})
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
		if r.alone.Verdict != inspect.Block || len(r.alone.Findings) == 0 {
			continue
		}
		head, tail := cut(r, false)
		v := inspect.WatchAlone().Answer(answer(head, tail), inspect.Terms{})
		blocks.add(v.Verdict)
		results.add(oneByOne(head, tail))
		words.add(oneByOne(cut(r, true)))
	}
	fmt.Fprint(out, blocks.line("attacks that are blocked whole, cut in the middle of a match, as two blocks"))
	fmt.Fprint(out, results.line("… as two responses"))
	fmt.Fprint(out, words.line("… as two responses, in the middle of a word"))
	fmt.Fprintf(out, "\n%s\n", afterDoubt(honest, hostile))
}

// afterDoubt counts how often an honest response is held after a doubtful one, one that reached the client with a warning. By itself it
// isn't, and what came before it adds nothing, so it must never be.
func afterDoubt(honest, hostile *corpus) string {
	type quiet struct {
		raw     []byte
		verdict inspect.Verdict
	}
	var next []quiet
	for i := range honest.rows {
		if r := &honest.rows[i]; r.Hard == nil {
			raw := answer(r.Text)
			if v := inspect.WatchAlone().Answer(raw, inspect.Terms{}).Verdict; v != inspect.Block {
				next = append(next, quiet{raw, v})
			}
		}
	}
	doubtful, held, other := 0, 0, 0
	for _, c := range []*corpus{honest, hostile} {
		for i := range c.rows {
			if c.rows[i].alone.Verdict != inspect.Flag {
				continue
			}
			doubtful++
			raw := answer(c.rows[i].Text)
			for _, q := range next {
				watch := inspect.WatchAlone()
				watch.Answer(raw, inspect.Terms{})
				switch v := watch.Answer(q.raw, inspect.Terms{}).Verdict; {
				case v == inspect.Block:
					held++
				case v != q.verdict:
					other++
				}
			}
		}
	}
	return fmt.Sprintf("Each of the %s ordinary honest responses that pass, right after each of the %d doubtful ones (flagged, so delivered with a warning): %d of %s are held, and %d get another verdict.",
		thousands(len(next)), doubtful, held, thousands(doubtful*len(next)), other)
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
	watch := inspect.WatchAlone()
	worst := inspect.Clean
	for _, t := range texts {
		if v := watch.Answer(answer(t), inspect.Terms{}).Verdict; worst != inspect.Block && v != inspect.Clean {
			worst = v
		}
	}
	return worst
}

// cut splits a text in the middle of a match: of the first that has two words, between them, or of the first, inside a word.
func cut(r *row, inside bool) (head, tail string) {
	for _, f := range r.alone.Findings {
		if inside || f.Level == inspect.Low {
			break
		}
		middle := (f.Start + f.End) / 2
		space := strings.IndexAny(r.Text[middle:f.End], " \n")
		if space >= 0 {
			space += middle
		} else if space = strings.LastIndexAny(r.Text[f.Start:middle], " \n"); space >= 0 {
			space += f.Start
		}
		if space >= 0 && space+1 < f.End {
			return r.Text[:space], r.Text[space+1:]
		}
	}
	f := r.alone.Findings[0]
	at := (f.Start + f.End) / 2
	for at < len(r.Text) && !utf8.RuneStart(r.Text[at]) {
		at++
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
