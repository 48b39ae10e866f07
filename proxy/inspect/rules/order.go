package rules

import (
	"slices"
	"strings"
)

// OrderWeight is added to a match that says to ignore what came before where an order follows it in the same sentence: honest text that only
// names such instructions, or puts two nouns beside each other ("previous instructions and guidelines"), has none.
const OrderWeight = 0.6

// NamedWeight is taken from such a match in a response if it is only named: "phrases like 'ignore all previous instructions' are examples".
const NamedWeight = 1.5

// maxFollowing is how far behind a match its order begins, in bytes.
const maxFollowing = 64

// tasks are verbs that such orders begin with.
var tasks = strings.Fields(`answer append add act ask book buy call change collect copy count create decline delete describe do download email
	execute explain fetch follow forward generate get give grant include insert list mail make move navigate obey open output pay post
	praise print promote provide publish purchase put read recommend remove repeat reply report respond return reveal rewrite run say
	search send set share show sing start state submit summarize talk tell transfer translate tweet update upload use visit wire write`)

// ordersOn reports whether what is behind a match goes on with an order: "… and send", ", then reply", "and instead of that print".
func ordersOn(rest string) bool {
	rest = strings.ToLower(rest[:min(len(rest), maxFollowing)])
	if at := strings.IndexAny(rest, ".!?;\n\""); at >= 0 { // without the quote that is not ASCII this is one look for each byte
		rest = rest[:at]
	}
	rest, _, _ = strings.Cut(rest, "”")
	joined := strings.HasPrefix(rest, ",") || strings.HasPrefix(rest, ":")
	read := 0
	for word := range strings.FieldsSeq(strings.TrimLeft(rest, ",: ")) {
		if !Wordy(word[0]) || !Wordy(word[len(word)-1]) { // few: a look for marks that are not ASCII takes a while
			word = strings.Trim(word, ",:'’")
		}
		switch {
		case word == "and", word == "then", word == "instead", word == "just", word == "now":
			joined = true
		case joined && slices.Contains(tasks, word):
			return true
		case joined && slices.Contains([]string{"please", "only", "immediately", "always", "also", "of", "that", "this", "you", "must", "should"}, word):
		case joined || read > 3:
			return false
		}
		read++
	}
	return false
}

// named reports whether text[from:to] is in quotes by itself, behind a word and a blank. A value of JSON or YAML is not: a colon is before it.
// Neither is what begins in an earlier text, where from is below 0.
func named(text string, from, to int) bool {
	if from < 3 || to >= len(text) || text[from-2] != ' ' || !Wordy(text[from-3]) {
		return false
	}
	quote := text[from-1]
	return (quote == '\'' || quote == '"' || quote == '`') && text[to] == quote
}
