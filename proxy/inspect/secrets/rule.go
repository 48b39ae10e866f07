package secrets

import (
	"fmt"
	"sync"

	"github.com/sallyport/sallyport/proxy/inspect/decode"
)

// Kind is the sort of a secret: it chooses the replacement and the words for people.
type Kind uint8

const (
	apiKey Kind = iota
	password
	token
	privateKey
	possibleSecret
	anyKey // an API key, under a name that harmless things have too
)

// kinds has the mark that replaces a secret of each kind, and words for people.
var kinds = [...]struct{ mark, words string }{
	apiKey:         {"[API_KEY_REDACTED]", "an API key"},
	password:       {"[PASSWORD_REDACTED]", "a password"},
	token:          {"[TOKEN_REDACTED]", "a token"},
	privateKey:     {"[PRIVATE_KEY_REDACTED]", "a private key"},
	possibleSecret: {"[POSSIBLE_SECRET_REDACTED]", "what may be a secret"},
	anyKey:         {"[API_KEY_REDACTED]", "an API key"},
}

// Rule is one form of secret. Its patterns describe it (shape); without patterns, code finds it from its literals.
type Rule struct {
	Name     string
	kind     Kind
	patterns []string
	literals []string // lower case
	then     string   // each literal is followed by one of these letters
	way      way
	Example  string
	Counter  string
	Source   string // where the form is documented
}

func Rules() []Rule { return catalogue }

// sought are the literals, each with every letter that may follow.
func (r *Rule) sought() (all []string) {
	if r.then == "" {
		return r.literals
	}
	for _, literal := range r.literals {
		for _, letter := range r.then {
			all = append(all, literal+string(letter))
		}
	}
	return all
}

// way is how a rule is checked at one of its literals.
type way uint8

const (
	byShape    way = iota
	byBlock        // a block between -----BEGIN and -----END
	byUser         // scheme://user:password@host
	byScheme       // Bearer or Basic, and what comes after
	byFlag         // --password value
	byLogin        // -u user:password, of curl
	byMachine      // a line of .netrc
	byManifest     // the data of a Secret of Kubernetes
	byDigits       // digits before a colon: a bot's token
	byMiddle       // letters on both sides of the literal
	byName         // a name and its value: no literal finds it
	byRun          // strict: any long run of base64
)

// forms are the rules, prepared for the search.
type forms struct {
	rules    []Rule
	shapes   [][]shape // by rule
	literals []string  // in the order of owners
	owners   [][]int32 // rules of each literal
}

var known = sync.OnceValue(func() *forms {
	f, err := newForms(catalogue)
	if err != nil {
		panic(err) // a test makes them first
	}
	return f
})

// Literals are the texts by which the rules are found in folded text, in one pass.
func Literals() []string { return known().literals }

func newForms(list []Rule) (*forms, error) {
	f := &forms{rules: list, shapes: make([][]shape, len(list))}
	known := map[string]int{}
	sought := func(literal string, rule int) error {
		if literal = decode.FoldASCII(literal); len(literal) < 2 || literal[0] == ' ' {
			return fmt.Errorf("%s: %q cannot be sought", list[rule].Name, literal)
		}
		id, ok := known[literal]
		if !ok {
			id = len(f.literals)
			known[literal] = id
			f.literals, f.owners = append(f.literals, literal), append(f.owners, nil)
		}
		if n := len(f.owners[id]); n == 0 || f.owners[id][n-1] != int32(rule) {
			f.owners[id] = append(f.owners[id], int32(rule))
		}
		return nil
	}
	for i := range list {
		for _, pattern := range list[i].patterns {
			s, err := newShape(pattern)
			if err != nil {
				return nil, fmt.Errorf("%s: %w", list[i].Name, err)
			}
			f.shapes[i] = append(f.shapes[i], s)
			if len(list[i].literals) > 0 {
				continue
			}
			if err := sought(s.head, i); err != nil {
				return nil, err
			}
		}
		for _, literal := range list[i].sought() {
			if err := sought(literal, i); err != nil {
				return nil, err
			}
		}
	}
	return f, nil
}
