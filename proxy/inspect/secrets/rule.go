package secrets

import (
	"fmt"
	"sync"

	"github.com/sallyport/sallyport/proxy/inspect/decode"
)

// Kind is what a secret is: it says by what it is replaced, and how a person is told of it.
type Kind uint8

const (
	apiKey Kind = iota
	password
	token
	privateKey
	possibleSecret
	anyKey // an API key, under a name that other things have too
)

// mark is what replaces a secret of that kind.
func (k Kind) mark() string {
	switch k {
	case apiKey, anyKey:
		return "[API_KEY_REDACTED]"
	case password:
		return "[PASSWORD_REDACTED]"
	case token:
		return "[TOKEN_REDACTED]"
	case privateKey:
		return "[PRIVATE_KEY_REDACTED]"
	}
	return "[POSSIBLE_SECRET_REDACTED]"
}

// words is what a person calls a secret of that kind.
func (k Kind) words() string {
	switch k {
	case apiKey, anyKey:
		return "an API key"
	case password:
		return "a password"
	case token:
		return "a token"
	case privateKey:
		return "a private key"
	}
	return "what may be a secret"
}

// Rule is one form of secrets. Its patterns say how they look (shape); without patterns it is found in a way of its own, from
// the literals it has.
type Rule struct {
	Name     string
	kind     Kind
	patterns []string
	literals []string // lower case
	way      way
	Example  string
	Counter  string
	Source   string // who documents the form
}

// Rules are all rules, in their order.
func Rules() []Rule { return catalogue }

// way is how a rule is looked for where one of its literals stands.
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
	byName         // a name and its value: no literal finds it
	byRun          // strict: any long run of base64
)

// forms are the rules as they are looked for.
type forms struct {
	rules    []Rule
	shapes   [][]shape // of each rule
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

// Literals are what the rules are found by in folded text, one pass for all.
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
		for _, literal := range list[i].literals {
			if err := sought(literal, i); err != nil {
				return nil, err
			}
		}
	}
	return f, nil
}
