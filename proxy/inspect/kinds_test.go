package inspect

import (
	_ "embed"
	"encoding/json"
	"strings"
	"testing"
)

// Orders by kind, and honest neighbours of the same shape, under headings; "\n" is a line break. Somebody wrote them who knew neither the
// rules nor what the second vote is fitted to: none of them may become a phrase of a rule or a sentence of cmd/eval.
//
//go:embed testdata/kinds.txt
var kindsFile string

// Three lines each: an order, the same in other words, and in another language. The same holds for them.
//
//go:embed testdata/rewrites.txt
var rewritesFile string

// Plain orders of every kind in thirty languages, and honest texts beside them: a text in a line. Somebody wrote them to fit the vote to; what was
// fitted to ten times as many found no more of these (docs/detection.md), so they are kept to measure with.
//
//go:embed testdata/plain-attacks.txt
var plainAttacks string

//go:embed testdata/plain-honest.txt
var plainHonest string

// byHeading are the texts of a file by its headings.
func byHeading(file string) (texts map[string][]string, headings []string) {
	texts = map[string][]string{}
	for line := range strings.Lines(file) {
		line = strings.TrimSpace(line)
		if heading, ok := strings.CutPrefix(line, "## "); ok {
			headings = append(headings, heading)
		} else if line != "" && len(headings) > 0 {
			heading := headings[len(headings)-1]
			texts[heading] = append(texts[heading], strings.ReplaceAll(line, `\n`, "\n"))
		}
	}
	return texts, headings
}

// warned counts the texts that are flagged or held.
func warned(texts []string) (n int) {
	for _, text := range texts {
		if new(Watch).Answer(textAnswer(text), Terms{}).Verdict != Clean {
			n++
		}
	}
	return n
}

// Found of each hundred orders of kinds that no phrase gives away, in words that nobody here chose: less than this would be a step back.
const foundOfKinds = 35

func TestKindsOfOrdersAreFoundInWordsOfOthersAndTheirHonestNeighboursAreNot(t *testing.T) {
	texts, headings := byHeading(kindsFile)
	found, all := 0, 0
	for _, kind := range headings {
		if strings.HasSuffix(kind, ", honest") {
			continue
		}
		orders, honest := texts[kind], texts[kind+", honest"]
		if len(orders) < 10 || len(honest) < 10 {
			t.Fatalf("%s: %d orders and %d honest texts", kind, len(orders), len(honest))
		}
		n, wrong := warned(orders), warned(honest)
		t.Logf("%s: %d of %d found; %d of %d honest texts warned about", kind, n, len(orders), wrong, len(honest))
		if found, all = found+n, all+len(orders); n == 0 || wrong > 1 {
			t.Errorf("%s: %d found, %d honest texts warned about", kind, n, wrong)
		}
	}
	t.Logf("%d of %d found", found, all)
	if found*100 < foundOfKinds*all {
		t.Errorf("%d of %d are found, less than %d %%", found, all, foundOfKinds)
	}
}

// How many of a hundred orders a rewrite may hide. Other words and another language hide far more than the 15 that were wanted
// (docs/detection.md): there the bound is what was reached.
const (
	lossOfForm  = 15
	lossOfWords = 45
)

func TestFiveRewritesHideFewOrders(t *testing.T) {
	var orders, paraphrases, translations []string
	for block := range strings.SplitSeq(strings.TrimSpace(rewritesFile), "\n\n") {
		lines := strings.Split(strings.TrimSpace(block), "\n")
		if len(lines) != 3 {
			t.Fatalf("%q", block)
		}
		orders, paraphrases, translations = append(orders, lines[0]), append(paraphrases, lines[1]), append(translations, lines[2])
	}
	each := func(of func(string) string) []string {
		out := make([]string, len(orders))
		for i, order := range orders {
			out[i] = of(order)
		}
		return out
	}
	whole := warned(orders)
	t.Logf("%d of %d orders found", whole, len(orders))
	for _, rewrite := range []struct {
		name  string
		most  float64
		texts []string
	}{
		{"paraphrase", lossOfWords, paraphrases},
		{"translation", lossOfWords, translations},
		{"case", lossOfForm, each(strings.ToUpper)},
		{"split", lossOfForm, each(func(s string) string { // a line break in the middle of each sentence
			words := strings.Fields(s)
			for i := 5; i < len(words); i += 6 {
				words[i] = "\n" + words[i]
			}
			return strings.Join(words, " ")
		})},
		{"quoting", lossOfForm, each(func(s string) string { quoted, _ := json.Marshal(s); return "> " + string(quoted) })},
	} {
		n := warned(rewrite.texts)
		loss := 100 * float64(whole-n) / float64(len(orders))
		t.Logf("%s: %d found, %.0f points lost", rewrite.name, n, loss)
		if loss > rewrite.most {
			t.Errorf("%s hides %.0f of a hundred orders", rewrite.name, loss)
		}
	}
}

func TestPlainOrdersAreRarelyFoundAndTheirHonestNeighboursMoreRarely(t *testing.T) {
	texts := func(file string) (all []string) {
		for line := range strings.Lines(file) {
			all = append(all, strings.ReplaceAll(strings.TrimSpace(line), `\n`, "\n"))
		}
		return all
	}
	attacks, honest := texts(plainAttacks), texts(plainHonest)
	found, wrong := warned(attacks), warned(honest)
	t.Logf("%d of %d orders, %d of %d honest texts", found, len(attacks), wrong, len(honest))
	if len(attacks) < 500 || len(honest) < 500 || found*20 < len(attacks) || wrong*50 > len(honest) {
		t.Errorf("%d of %d orders, %d of %d honest texts", found, len(attacks), wrong, len(honest))
	}
}
