package inspect

import (
	"fmt"
	"sync"

	"github.com/sallyport/sallyport/proxy/inspect/decode"
)

// secretKind is what a secret is: it says by what it is replaced, and how a person is told of it.
type secretKind uint8

const (
	apiKey secretKind = iota
	password
	token
	privateKey
	possibleSecret
	anyKey // an API key, under a name that other things have too
)

// The marks that stand where a secret stood.
func (k secretKind) mark() string {
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

// Words is what a person calls a secret of that kind.
func (k secretKind) words() string {
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

// secretRule is one form of secrets. Its patterns say how they look (shape); without patterns it is found in a way of its own, from
// the literals it has.
type secretRule struct {
	name     string
	kind     secretKind
	patterns []string
	literals []string // lower case
	way      secretWay
	example  string
	counter  string
	source   string // who documents the form
}

// secretRules are all rules, in their order.
func secretRules() []secretRule { return secretCatalogue }

// secretWay is how a rule is looked for where one of its literals stands.
type secretWay uint8

const (
	byShape    secretWay = iota
	byBlock              // a block between -----BEGIN and -----END
	byUser               // scheme://user:password@host
	byScheme             // Bearer or Basic, and what comes after
	byFlag               // --password value
	byLogin              // -u user:password, of curl
	byMachine            // a line of .netrc
	byManifest           // the data of a Secret of Kubernetes
	byDigits             // digits before a colon: a bot's token
	byName               // a name and its value: no literal finds it
	byRun                // strict: any long run of base64
)

// secretForms are the rules as they are looked for.
type secretForms struct {
	rules    []secretRule
	shapes   [][]shape // of each rule
	literals []string  // in the order of owners
	owners   [][]int32 // rules of each literal
}

var secretsKnown = sync.OnceValue(func() *secretForms {
	f, err := newSecretForms(secretCatalogue)
	if err != nil {
		panic(err) // a test makes them first
	}
	return f
})

// secretLiterals are what the rules are found by in folded text, one pass for all.
func secretLiterals() []string { return secretsKnown().literals }

func newSecretForms(list []secretRule) (*secretForms, error) {
	f := &secretForms{rules: list, shapes: make([][]shape, len(list))}
	known := map[string]int{}
	sought := func(literal string, rule int) error {
		if literal = decode.FoldASCII(literal); len(literal) < 2 || literal[0] == ' ' {
			return fmt.Errorf("%s: %q cannot be sought", list[rule].name, literal)
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
				return nil, fmt.Errorf("%s: %w", list[i].name, err)
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
