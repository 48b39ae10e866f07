package schema

import (
	"fmt"
	"math"
	"strings"
)

// Schema is a compiled output schema. It is safe for concurrent use.
type Schema struct {
	root   *rule
	all    []*rule
	scoped bool // has references that are bound on the way
	weight int  // in bytes, roughly
}

// Limits are what a value can be before the schema is asked.
type Limits struct {
	MaxBytes int64
	MaxDepth int // levels of arrays and objects; a scalar has none
}

// deepest is what MaxDepth can be at most: decoding, counting and evaluating recurse, and a message is not much deeper anyway.
const deepest = 1000

// details is below how many applications all violations are collected, not only the first.
const details = 10_000

// Validate judges the raw JSON of a value. nil: it conforms.
func (s *Schema) Validate(value []byte, limits Limits) (v *Violation) {
	defer func() {
		if recover() != nil {
			v = tooCostly("can't be validated")
		}
	}()
	raw := strings.Trim(string(value), " \t\r\n")
	if int64(len(raw)) > limits.MaxBytes || int64(len(raw)) > math.MaxInt32 {
		return &Violation{Keyword: "size", Message: fmt.Sprintf("is %d bytes, but must be at most %d", len(raw), limits.MaxBytes)}
	}
	o := sketch(raw)
	if most := min(limits.MaxDepth, deepest); o.depth > most {
		return &Violation{Keyword: "depth", Message: fmt.Sprintf("is %d levels deep, but must be at most %d", o.depth, most)}
	}
	if o.wild {
		return tooCostly(fmt.Sprintf("has a number with an exponent beyond ±%d", maxExponent))
	}
	d, ok := decode(raw, o.nodes)
	if !ok {
		return &Violation{Keyword: "type", Message: "is not JSON"}
	}
	c := s.counting(&d)
	c.count(s.root, 0)
	if c.over {
		return tooCostly("has too many parts for a schema like this")
	}
	e := s.evaluation(&d, c.work, c.total < details)
	if ok := e.apply(s.root, 0, "", nil); ok && !e.stopped {
		return nil
	}
	return e.violation()
}

func (s *Schema) counting(d *document) *counting {
	return &counting{document: d, limit: spare + len(d.raw), work: spareWork + workPerByte*len(d.raw), known: map[uint64]int{}}
}

// evaluation has the work that counting left.
func (s *Schema) evaluation(d *document, work int, detailed bool) *evaluation {
	return &evaluation{document: d, work: work, scoped: s.scoped, detailed: detailed, patterns: newBudget(len(d.raw))}
}
