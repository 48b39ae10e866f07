// Package rules has the catalogue of what orders to an assistant look like, and finds its rules in text.
//
// A Rule is phrases with distances between them; a Set is compiled rules, the catalogue's (Standard) or those plus a person's own file
// (Load). A Matcher finds all of them in one pass over folded text, together with possible places of secrets; a match that begins in one
// text can continue in the next (Unfinished, Seam). Score weighs matches that are near each other. Package inspect decides what to do about
// a score, and words it.
package rules

import (
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/sallyport/sallyport/proxy/inspect/decode"
	"github.com/sallyport/sallyport/proxy/inspect/secrets"
)

// Rule is one row of the catalogue. It is matched against folded text: lower case, one kind of white space, Latin letters.
//
// A pattern is phrases with distances between them: "before using|before calling ~140 you must|send". "|" separates alternatives of a
// phrase; "*" at the end lets the word continue, at the beginning lets it begin inside one; "~N" stands for at most N bytes without the end
// of a sentence; "{bar}" and "{tilde}" are the characters themselves. There are no regular expressions: all phrases of all rules are found
// in one pass, and a text made to be slow costs no more than another.
type Rule struct {
	Name       string
	Level      Level
	Title      string
	Catalogue  Level   // of the name, whatever a match means in its context; a person's standing rule goes by it (inspect.descriptions)
	Floor      bool    // it is reported and has no weight
	Definition float64 // weight in a definition
	Answer     float64 // weight in a response
	group      group
	patterns   []string
	denied     denial
	leads      bool      // it weighs more where an order follows it (OrderWeight)
	enclosed   [2]string // what must be before and behind a match; it then belongs to it
	example    string    // must match
	counter    string    // must not match
	source     string
}

// group is what a rule is about: one match of each group counts in full, and several groups together count more.
type group uint8

const (
	override     group = iota // overrides the assistant's instructions
	boundary                  // poses as another part of the conversation
	address                   // addresses the assistant
	prerequisite              // asks for something before or beside the call
	conceal                   // asks for silence
	source                    // names something secret
	sink                      // names a way out
	arguments                 // changes what a call carries
	authority                 // poses as urgent or as somebody
	exclusive                 // excludes other tools
	danger                    // runs code, or lifts a safeguard
	persist                   // asks for more than this call
	groups
)

// MaxWord is how much of a continuing word belongs to a match.
const MaxWord = 24

// Names are those of the catalogue, each once.
func Names() []string {
	var names []string
	for _, r := range Standard().Rules {
		if !slices.Contains(names, r.Name) {
			names = append(names, r.Name)
		}
	}
	return names
}

// Named is a rule of the catalogue, the zero Rule for an unknown name. A match may count less than its level in its context.
func Named(name string) Rule {
	for _, r := range Standard().Rules {
		if r.Name == name {
			return r
		}
	}
	return Rule{}
}

// phrase is a use of a literal in a pattern.
type phrase struct {
	pattern  uint16 // index into compiled.owner
	part     uint8
	gap      uint8 // maximum distance from the part before
	after    uint8 // maximum distance to the next part
	last     bool
	openHead bool // may begin inside a word
	openTail bool // the word may continue
	reach    bool // the next part has a literal of one byte
}

// slot is the place of a part of a pattern among those of all.
func (p *phrase) slot() int { return int(p.pattern)*maxParts + int(p.part) }

type Set struct {
	Rules   []Rule
	owner   []int32 // rule of each pattern
	Finder  *Literals
	phrases [][]phrase // by literal
	room    []phrase   // for the first phrase of the next literals, while they are compiled
	secret  []int32    // by literal: index + 1 into secrets.Literals, or below 0 an index into turnedWords, -1 for the first

	Weighers sync.Pool // for package inspect
}

// spelled are the escapes for a pattern's special characters.
var spelled = strings.NewReplacer("{bar}", "|", "{tilde}", "~")

// unescaped is a word as it is looked for. A Replacer makes a copy even where there is nothing to replace.
func unescaped(word string) string {
	if !strings.Contains(word, "{") {
		return word
	}
	return spelled.Replace(word)
}

// Standard is the catalogue, compiled on first use, so that a guard, or a wrapper that only starts, never pays for it.
var Standard = sync.OnceValue(func() *Set {
	c, err := compile(withFloors(catalogue))
	if err != nil {
		panic(err) // a test compiles it first
	}
	return c
})

func compile(list []Rule) (*Set, error) {
	c, n := &Set{Rules: list}, len(secrets.Literals())+len(turnedWords)*len(turnedWords[0])
	for _, r := range list {
		for _, pattern := range r.patterns {
			n += 1 + strings.Count(pattern, "|") + strings.Count(pattern, " ~")
		}
	}
	// At least as many words as there are: what grew would be garbage that a wrapper at rest keeps, because it collects none.
	words := newLexicon(n)
	c.phrases, c.secret, c.room = make([][]phrase, 0, n), make([]int32, 0, n), make([]phrase, n)
	for i, r := range list {
		for _, pattern := range r.patterns {
			if err := c.pattern(i, pattern, words); err != nil {
				return nil, fmt.Errorf("%s: %w", r.Name, err)
			}
		}
	}
	c.room = nil
	for i, mark := range secrets.Literals() { // one pass finds both
		c.secret[c.literal(mark, words)] = int32(i + 1)
	}
	for kind, turned := range turnedWords {
		for _, word := range turned {
			c.secret[c.literal(word, words)] = int32(-kind - 1)
		}
	}
	var err error
	c.Finder, err = newLiterals(words.all, func(id int) bool {
		return c.secret[id] > 0 || slices.ContainsFunc(c.phrases[id], func(p phrase) bool { return p.openTail })
	})
	if err == nil {
		c.Finder.starts.waiting(c.slots)
	}
	return c, err
}

// slots are those of a literal's phrases, if they only continue patterns, and are no more than two.
func (c *Set) slots(id int) (few [2]uint16, only bool) {
	if c.secret[id] != 0 || len(c.phrases[id]) > len(few) {
		return few, false
	}
	for n, p := range c.phrases[id] {
		if p.part == 0 || p.slot() > math.MaxUint16 {
			return few, false
		}
		few[n] = uint16(p.slot())
	}
	return few, true
}

// turnedWords are words that show in which other way a text may be read (Matcher.Turned): in ROT13, and backwards. They are the most used ones of
// orders, without those that other texts have too, such as DNA.
var turnedWords = [2][18]string{
	{"gur", "naq", "nyy", "lbhe", "vtaber", "sbetrg", "cerivbhf", "vafgehpgvbaf", "flfgrz", "cebzcg", "erirny", "frperg", "cnffjbeq", "nffvfgnag", "sbyybj", "qvfertneq", "guvf", "jvgu"},
	{"eht", "lla", "ruoy", "dnes", "erongi", "tegrof", "suoiverp", "snoitcurtsni", "metsys", "tpmorp", "laever", "terces", "drowssap", "tnatsissa", "wollof", "dragersid", "siht", "htiw"},
}

// literal is the index of a word among words, which it joins.
func (c *Set) literal(word string, words *lexicon) int {
	id, ok := words.id(word)
	if !ok {
		c.phrases, c.secret = append(c.phrases, nil), append(c.secret, 0)
	}
	return id
}

func (c *Set) pattern(owner int, pattern string, words *lexicon) error {
	parts := strings.Split(pattern, " ~")
	if len(parts) > maxParts {
		return fmt.Errorf("%q has more than %d phrases", pattern, maxParts)
	}
	at := len(c.owner)
	if at > math.MaxUint16 {
		return errors.New("too many patterns")
	}
	c.owner = append(c.owner, int32(owner))
	gaps, short := make([]int, len(parts)+1), make([]bool, len(parts)+1)
	for k, part := range parts {
		if k > 0 {
			number, rest, ok := strings.Cut(part, " ")
			n, err := strconv.Atoi(number)
			if err != nil || !ok || n < 0 || n > maxGap {
				return fmt.Errorf("%q has no distance up to %d", pattern, maxGap)
			}
			gaps[k], parts[k] = n, rest
		}
		for word := range strings.SplitSeq(parts[k], "|") {
			short[k] = short[k] || len(word) <= len("*{tilde}*") && len(unescaped(strings.Trim(word, "*"))) == 1
		}
	}
	for k, part := range parts {
		for word := range strings.SplitSeq(part, "|") {
			p := phrase{pattern: uint16(at), part: uint8(k), gap: uint8(gaps[k]), last: k == len(parts)-1, reach: short[k+1], after: uint8(gaps[k+1])}
			word, p.openHead = strings.CutPrefix(word, "*")
			word, p.openTail = strings.CutSuffix(word, "*")
			word = unescaped(word)
			switch {
			case word == "" || !folded(word) || word[0] == ' ' || strings.Contains(word, "  "):
				return fmt.Errorf("phrase %q of %q", word, pattern)
			case k == 0 && len(word) == 1 || len(words.all) >= 1<<16-2:
				return fmt.Errorf("phrase %q of %q is too short, or one too many", word, pattern)
			case p.openHead && Wordy(word[0]) && word[0] != '_':
				return fmt.Errorf("phrase %q of %q begins inside of words", word, pattern)
			}
			id := c.literal(word, words)
			if c.phrases[id] == nil && len(c.room) > 0 {
				c.phrases[id], c.room = c.room[:0:1], c.room[1:]
			}
			c.phrases[id] = append(c.phrases[id], p)
		}
	}
	return nil
}

// folded reports whether a phrase is as texts are folded. Folding each would leave a copy behind.
func folded(phrase string) bool {
	for i := range len(phrase) {
		if decode.FoldByte(phrase[i]) != phrase[i] {
			return false
		}
	}
	return strings.IndexByte(phrase, '\\') < 0 || decode.FoldASCII(phrase) == phrase
}

// maxParts is how many phrases a pattern can have, maxGap how many bytes can be between two of them.
const (
	maxParts = 4
	maxGap   = 160
)

func Wordy(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= '0' && c <= '9' || c == '_'
}

// WriteAll writes the catalogue out, to fingerprint it.
func WriteAll(out io.Writer) {
	for _, r := range Standard().Rules {
		fmt.Fprintf(out, "%s %s %g %g %d %q %q\n", r.Name, r.Level, r.Definition, r.Answer, r.group, r.patterns, r.enclosed)
	}
}

// Level is how serious a finding is. The window shows Medium and Low as "Review".
type Level string

const (
	Critical Level = "critical"
	High     Level = "high"
	Medium   Level = "medium"
	Low      Level = "low"
)

var ranks = []Level{"", Low, Medium, High, Critical}

// Rank orders levels: Critical 4, High 3, Medium 2, Low 1, anything else 0.
func (l Level) Rank() int { return max(0, slices.Index(ranks, l)) }
