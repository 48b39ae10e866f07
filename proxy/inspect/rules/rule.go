package rules

import (
	"fmt"
	"io"
	"strconv"
	"strings"
	"sync"

	"github.com/sallyport/sallyport/proxy/inspect/decode"
	"github.com/sallyport/sallyport/proxy/inspect/secrets"
)

// Rule is one row of the catalogue. It is looked for in folded text: lower case, one kind of white space, Latin letters.
//
// A pattern is phrases with distances between them: "before using|before calling ~140 you must|send". Alternatives of a phrase
// are parted by "|"; "*" at its end lets the word go on, at its beginning lets it begin inside one; "~N" stands for at most N
// bytes without the end of a sentence; "{bar}" and "{tilde}" are the characters themselves. There is no regular expression in it: all
// phrases of all rules are found in one pass, and a text made to be slow costs no more than another.
type Rule struct {
	Name       string
	Level      Level
	Title      string
	Definition float64 // what it weighs in a definition
	Answer     float64 // what it weighs in an answer
	group      group
	patterns   []string
	example    string // what it is for
	counter    string // what it must leave alone
	source     string
}

// group is what a rule is about: what is found of one group counts once in full, and groups that stand together count more.
type group uint8

const (
	override     group = iota // it takes back what the assistant was told
	boundary                  // it poses as another part of the conversation
	address                   // it speaks to the assistant
	prerequisite              // it asks for something before or beside the call
	conceal                   // it asks for silence
	source                    // it names what is secret
	sink                      // it names a way out
	arguments                 // it changes what a call carries
	authority                 // it poses as urgent or as somebody
	exclusive                 // it takes the place of others
	danger                    // it runs code, or lifts a guard
	persist                   // it asks for more than this call
	groups
)

// MaxWord is how much of a word that goes on belongs to a match.
const MaxWord = 24

// Names are the names of the catalogue, in its order.
func Names() []string {
	names := make([]string, 0, len(catalogue))
	for _, r := range catalogue {
		names = append(names, r.Name)
	}
	return names
}

// phrase is where a literal belongs.
type phrase struct {
	pattern  int32 // of compiled.owner
	part     int8
	last     bool
	openHead bool  // it may begin inside a word
	openTail bool  // the word may go on
	reach    bool  // the next part has a literal of one byte
	gap      int32 // from the part before
	after    int32 // at most, to the next part
}

type Set struct {
	Rules   []Rule
	owner   []int32 // rule of each pattern
	Finder  *Literals
	phrases [][]phrase // of each literal
	secret  []int32    // of each literal: the one of secrets.Literals that it is, and 1

	Weighers sync.Pool // of what package inspect weighs with
}

// spelled are the characters that mean something in a pattern.
var spelled = strings.NewReplacer("{bar}", "|", "{tilde}", "~")

// Standard is the catalogue, compiled when it is first needed: a guard, and a wrapper that only starts, needs none.
var Standard = sync.OnceValue(func() *Set {
	c, err := compile(catalogue)
	if err != nil {
		panic(err) // a test compiles it first
	}
	return c
})

func compile(list []Rule) (*Set, error) {
	c := &Set{Rules: list}
	var words []string
	known := map[string]int{}
	for i, r := range list {
		for _, pattern := range r.patterns {
			if err := c.pattern(i, pattern, &words, known); err != nil {
				return nil, fmt.Errorf("%s: %w", r.Name, err)
			}
		}
	}
	c.seek(&words, known)
	var err error
	c.Finder, err = newLiterals(words)
	return c, err
}

// seek adds the literals by which secrets are found: they are sought in the same pass.
func (c *Set) seek(words *[]string, known map[string]int) {
	c.secret = make([]int32, len(*words))
	for i, mark := range secrets.Literals() {
		id, ok := known[mark]
		if !ok {
			id = len(*words)
			known[mark] = id
			*words = append(*words, mark)
			c.phrases, c.secret = append(c.phrases, nil), append(c.secret, 0)
		}
		c.secret[id] = int32(i + 1)
	}
}

func (c *Set) pattern(owner int, pattern string, words *[]string, known map[string]int) error {
	parts := strings.Split(pattern, " ~")
	if len(parts) > maxParts {
		return fmt.Errorf("%q has more than %d phrases", pattern, maxParts)
	}
	at := len(c.owner)
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
			short[k] = short[k] || len(spelled.Replace(strings.Trim(word, "*"))) == 1
		}
	}
	for k, part := range parts {
		for word := range strings.SplitSeq(part, "|") {
			p := phrase{pattern: int32(at), part: int8(k), gap: int32(gaps[k]), last: k == len(parts)-1, reach: short[k+1], after: int32(gaps[k+1])}
			word, p.openHead = strings.CutPrefix(word, "*")
			word, p.openTail = strings.CutSuffix(word, "*")
			word = spelled.Replace(word)
			switch {
			case word == "" || decode.FoldASCII(word) != word || word[0] == ' ' || strings.Contains(word, "  "):
				return fmt.Errorf("phrase %q of %q", word, pattern)
			case k == 0 && len(word) == 1 || len(*words) >= 1<<16-2:
				return fmt.Errorf("phrase %q of %q is too short, or one too many", word, pattern)
			case p.openHead && Wordy(word[0]) && word[0] != '_':
				return fmt.Errorf("phrase %q of %q begins inside of words", word, pattern)
			}
			id, ok := known[word]
			if !ok {
				id = len(*words)
				known[word] = id
				*words = append(*words, word)
				c.phrases = append(c.phrases, nil)
			}
			c.phrases[id] = append(c.phrases[id], p)
		}
	}
	return nil
}

// maxParts is how many phrases a pattern may have, maxGap how many bytes may be between two of them.
const (
	maxParts = 4
	maxGap   = 160
)

// Wordy says that a byte of folded text is part of a word.
func Wordy(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= '0' && c <= '9' || c == '_'
}

// WriteAll writes the catalogue out, for a fingerprint of it.
func WriteAll(out io.Writer) {
	for _, r := range catalogue {
		fmt.Fprintf(out, "%s %s %g %g %d %q\n", r.Name, r.Level, r.Definition, r.Answer, r.group, r.patterns)
	}
}
