package inspect

import (
	"fmt"
	"strconv"
	"strings"
	"sync"
)

// rule is one row of the catalogue. It is looked for in folded text: lower case, one kind of white space, Latin letters.
//
// A pattern is phrases with distances between them: "before using|before calling ~140 you must|send". Alternatives of a phrase
// are parted by "|"; "*" at its end lets the word go on, at its beginning lets it begin inside one; "~N" stands for at most N
// bytes without the end of a sentence; "{bar}" and "{tilde}" are the characters themselves. There is no regular expression in it: all phrases of all rules are found in one pass,
// and a text made to be slow costs no more than another.
type rule struct {
	name     string
	level    Level
	title    string
	metal    float64 // what it weighs in a definition
	answer   float64 // what it weighs in an answer
	group    group
	patterns []string
	example  string // what it is for
	counter  string // what it must leave alone
	source   string
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

// maxOfRule is how many matches of one rule are reported in one view.
const maxOfRule = 16

// maxWord is how much of a word that goes on belongs to a match.
const maxWord = 24

// RuleNames are the names of the catalogue, in its order.
func RuleNames() []string {
	names := make([]string, 0, len(catalogue))
	for _, r := range catalogue {
		names = append(names, r.name)
	}
	return names
}

// phrase is where a literal belongs.
type phrase struct {
	pattern  int // of compiled.patterns
	part     int
	gap      int // from the part before
	last     bool
	openHead bool // it may begin inside a word
	openTail bool // the word may go on
}

type compiled struct {
	rules   []rule
	owner   []int // rule of each pattern
	parts   []int // of each pattern
	finder  *literals
	phrases [][]phrase // of each literal
}

// spelled are the characters that mean something in a pattern.
var spelled = strings.NewReplacer("{bar}", "|", "{tilde}", "~")

// rules are compiled when they are first needed: a guard, and a wrapper that only starts, needs none.
var rules = sync.OnceValue(func() *compiled {
	c, err := compile(catalogue)
	if err != nil {
		panic(err) // a test compiles it first
	}
	return c
})

func compile(list []rule) (*compiled, error) {
	c := &compiled{rules: list}
	var words []string
	known := map[string]int{}
	for i, r := range list {
		for _, pattern := range r.patterns {
			parts := strings.Split(pattern, " ~")
			at := len(c.owner)
			c.owner, c.parts = append(c.owner, i), append(c.parts, len(parts))
			for k, part := range parts {
				gap := 0
				if k > 0 {
					number, rest, ok := strings.Cut(part, " ")
					n, err := strconv.Atoi(number)
					if err != nil || !ok {
						return nil, fmt.Errorf("%s: %q has no distance", r.name, pattern)
					}
					gap, part = n, rest
				}
				for _, word := range strings.Split(part, "|") {
					p := phrase{pattern: at, part: k, gap: gap, last: k == len(parts)-1}
					word, p.openHead = strings.CutPrefix(word, "*")
					word, p.openTail = strings.CutSuffix(word, "*")
					word = spelled.Replace(word)
					if word == "" || len(word) > maxLiteral-1 || foldASCII(word) != word {
						return nil, fmt.Errorf("%s: phrase %q of %q", r.name, word, pattern)
					}
					id, ok := known[word]
					if !ok {
						id = len(words)
						known[word] = id
						words = append(words, word)
						c.phrases = append(c.phrases, nil)
					}
					c.phrases[id] = append(c.phrases[id], p)
				}
			}
		}
	}
	c.finder = newLiterals(words)
	return c, nil
}

// hit is a match of a rule in a view.
type hit struct {
	rule       int
	start, end int // in the view
}

// begun is how far a pattern has been found: from where, and to where. It counts in the run it was written in.
type begun struct{ start, end, run int }

// matcher is what one goroutine matches with: clearing it for every short text would cost more than the text.
type matcher struct {
	*compiled
	run   int
	open  [][maxParts]begun // of each pattern
	count []int             // of each rule
	hits  []hit
}

func (c *compiled) matcher() *matcher {
	return &matcher{compiled: c, open: make([][maxParts]begun, len(c.owner)), count: make([]int, len(c.rules))}
}

var matchers = sync.Pool{New: func() any { return rules().matcher() }}

// maxParts is how many phrases a pattern may have.
const maxParts = 4

// match finds what the rules find in a folded view. The hits are valid until the next call.
func (m *matcher) match(text string) []hit {
	var stops stops
	m.run++
	m.hits = m.hits[:0]
	clear(m.count)
	m.finder.find(text, func(id uint16, start, end int) {
		head := start == 0 || !wordy(text[start-1]) || !wordy(text[start]) && text[start] != '<' // not of a generic type
		tail := end == len(text) || !wordy(text[end-1]) || !wordy(text[end])
		for _, p := range m.phrases[id] {
			if !head && !p.openHead || !tail && !p.openTail {
				continue
			}
			from := start
			if p.part > 0 {
				before := m.open[p.pattern][p.part-1]
				if before.run != m.run || start < before.end || start-before.end > p.gap || stops.between(text, before.end, start) {
					continue
				}
				from = before.start
			}
			if !p.last {
				m.open[p.pattern][p.part] = begun{from, end, m.run}
				continue
			}
			r := m.owner[p.pattern]
			if m.count[r] < maxOfRule {
				m.count[r]++
				whole := end // a finding shows words, not their beginnings
				for p.openTail && whole < len(text) && whole < end+maxWord && wordy(text[whole]) && wordy(text[whole-1]) {
					whole++
				}
				m.hits = append(m.hits, hit{r, from, whole})
			}
		}
	})
	return m.hits
}

// wordy says that a byte is part of a word.
func wordy(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= '0' && c <= '9' || c == '_'
}

// stops remembers where the last sentence ended.
type stops struct{ looked, last int }

// between says whether a sentence ends in text[start:end]. It is asked with ends that only grow.
func (s *stops) between(text string, start, end int) bool {
	for ; s.looked < end; s.looked++ {
		switch text[s.looked] {
		case '.', '!', '?', ';':
			if s.looked+1 >= len(text) || text[s.looked+1] == ' ' {
				s.last = s.looked + 1
			}
		}
	}
	return s.last > start
}
