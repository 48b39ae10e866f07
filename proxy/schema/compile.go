package schema

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
)

// Compile reads one output schema, as the server declared it: a JSON object. The error says in our words why it does not compile. It has
// nothing of the schema in it but places that are plain (see Violation.Place).
func Compile(raw []byte) (s *Schema, err error) {
	defer func() {
		if recover() != nil {
			s, err = nil, errors.New("can't be compiled")
		}
	}()
	if len(raw) > maxBytes {
		return nil, fmt.Errorf("is larger than %d KiB", maxBytes>>10)
	}
	o := sketch(string(raw))
	if o.depth > maxNesting {
		return nil, fmt.Errorf("has more than %d levels", maxLevels)
	}
	if o.wild {
		return nil, fmt.Errorf("has a number with an exponent beyond ±%d", maxExponent)
	}
	doc, err := decodedAny(string(raw))
	if err != nil {
		return nil, errors.New("is not JSON")
	}
	if _, ok := doc.(map[string]any); !ok {
		return nil, errors.New("is not a JSON object")
	}
	seen := newSurvey()
	seen.bytes = len(raw)
	root, err := seen.enter(doc, base, false)
	if err != nil {
		return nil, err
	}
	if err := seen.followAll(); err != nil {
		return nil, err
	}
	if err := seen.check(); err != nil {
		return nil, err
	}
	return convert(seen, root)
}

func decodedAny(raw string) (any, error) {
	d := json.NewDecoder(strings.NewReader(raw))
	d.UseNumber()
	var v any
	if err := d.Decode(&v); err != nil {
		return nil, err
	}
	if _, err := d.Token(); err != io.EOF {
		return nil, errors.New("there is more")
	}
	return v, nil
}

// maxChecked bounds the work of check: parts can be inside each other, and the paths to what is in them long.
const maxChecked = 16 << 20

var errOverlap = errors.New("refers to too many places inside each other")

// check holds everything that is a schema of its own against the metaschema of its dialect. A part in another dialect than what is around it
// has its own, so it is left out there.
func (s *survey) check() error {
	left := maxChecked
	apart := map[place]bool{}
	for _, at := range s.checked {
		apart[at.place] = true
	}
	for _, at := range s.checked {
		if at.source.foreign {
			continue
		}
		value := at.value
		if len(s.checked) > 1 {
			value = without(value, at.pointer, &left, func(pointer string) bool {
				there := s.sites[place{at.source, pointer}]
				return pointer != at.pointer && apart[place{at.source, pointer}] && there.dialect != at.dialect
			})
		}
		if left < 0 {
			return errOverlap
		}
		raw, err := json.Marshal(value)
		if err != nil {
			return err
		}
		if left -= 8 * len(raw); left < 0 {
			return errOverlap
		}
		if err := check(string(raw), at.dialect); err != nil {
			return err
		}
	}
	return nil
}

// without is a copy of a value in which some places are empty objects. It costs a byte for each of a path, and ends when none is left.
func without(v any, pointer string, left *int, empty func(string) bool) any {
	if *left -= 1 + len(pointer); *left < 0 {
		return nil
	}
	switch of := v.(type) {
	case map[string]any:
		if empty(pointer) {
			return map[string]any{}
		}
		copied := make(map[string]any, len(of))
		for name, member := range of {
			if *left < 0 {
				return nil
			}
			copied[name] = without(member, below(pointer, name), left, empty)
		}
		return copied
	case []any:
		copied := make([]any, len(of))
		for i, element := range of {
			if *left < 0 {
				return nil
			}
			copied[i] = without(element, below(pointer, fmt.Sprint(i)), left, empty)
		}
		return copied
	default:
		return v
	}
}
