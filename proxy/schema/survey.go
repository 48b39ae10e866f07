package schema

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

// What a schema can have. The library takes 11 s to compile 50,000 subschemas, and would take memory without end for names that are long
// and deep: it keeps the path of each subschema several times.
const (
	maxBytes         = 128 << 10
	maxSubschemas    = 4_000
	maxLevels        = 64 // subschemas inside each other
	maxNesting       = 200
	maxPatterns      = 200
	maxPatternLength = 1_000 // characters
	maxPaths         = 4 << 20
	maxDetours       = 500     // references to places where JSON Schema has no schema: the library copies its tables for each
	maxDigits        = 200_000 // of all numbers together, written out
	maxMembers       = 1_000   // arrays and objects among the values of the enums
)

// base is the address of a schema without an $id. Nothing is ever loaded from it.
const base = "schema://pinned/"

// dialect is a version of JSON Schema, as the library numbers them.
type dialect int

const latest dialect = 2020

var dialects = map[string]dialect{
	"json-schema.org/draft/2020-12/schema": 2020,
	"json-schema.org/draft/2019-09/schema": 2019,
	"json-schema.org/draft-07/schema":      7,
	"json-schema.org/draft-06/schema":      6,
	"json-schema.org/draft-04/schema":      4,
}

// plain is an address without its scheme and an empty fragment.
func plain(address string) string {
	address = strings.TrimSuffix(address, "#")
	if rest, ok := strings.CutPrefix(address, "https://"); ok {
		return rest
	}
	rest, _ := strings.CutPrefix(address, "http://")
	return rest
}

// metaschema reports whether an address is one of the metaschemas that the library has in it.
func metaschema(address string) bool {
	p := plain(address)
	_, whole := dialects[p]
	return whole || strings.HasPrefix(p, "json-schema.org/draft/2020-12/meta/") || strings.HasPrefix(p, "json-schema.org/draft/2019-09/meta/")
}

// keywords that hold schemas, by the dialect that has them first.
var (
	schemaMaps   = map[string]dialect{"definitions": 4, "properties": 4, "patternProperties": 4, "dependencies": 4, "$defs": 2019, "dependentSchemas": 2019}
	schemaLists  = map[string]dialect{"allOf": 4, "anyOf": 4, "oneOf": 4, "items": 4, "prefixItems": 2020}
	schemaValues = map[string]dialect{"not": 4, "additionalProperties": 4, "additionalItems": 4, "items": 4, "propertyNames": 6, "contains": 6, "if": 7, "then": 7, "else": 7,
		"unevaluatedProperties": 2019, "unevaluatedItems": 2019, "contentSchema": 2019}
)

// survey walks a schema before the library sees it: it counts, refuses what is too much, and finds what the library does not tell.
type survey struct {
	root        any
	found       map[string]bool   // pointers of all subschemas
	resources   map[string]string // address → pointer
	anchors     []string          // pointers of subschemas with a $dynamicAnchor
	references  []reference
	patterns    map[string]bool
	scopeBound  bool // has references whose target depends on the way that led there
	paths       int
	detours     int
	digits      int
	enumMembers int
}

// reference is a $ref and the resource that it stands in.
type reference struct {
	to       string
	resource site
}

// site is where a subschema is: its pointer, and what it inherits.
type site struct {
	pointer  string
	base     *url.URL
	resource string // pointer of the resource
	dialect  dialect
	level    int
	weight   int // what the library keeps for each path below
}

func surveyed(doc map[string]any) (*survey, error) {
	s := &survey{root: doc, found: map[string]bool{}, resources: map[string]string{base: ""}, patterns: map[string]bool{}}
	if err := s.numbers(doc); err != nil {
		return nil, err
	}
	address, err := url.Parse(base)
	if err != nil {
		return nil, err
	}
	if err := s.subschema(doc, site{base: address, dialect: latest}); err != nil {
		return nil, err
	}
	// A reference can lead to a place that is no subschema by any keyword. What is there becomes one, with references of its own.
	for len(s.references) > 0 {
		next := s.references[len(s.references)-1]
		s.references = s.references[:len(s.references)-1]
		if err := s.follow(next); err != nil {
			return nil, err
		}
	}
	return s, nil
}

// numbers bounds what the numbers of a schema cost to expand. Their exponents are bounded already.
func (s *survey) numbers(v any) error {
	switch v := v.(type) {
	case json.Number:
		s.digits += len(v)
		if i := strings.IndexAny(string(v), "eE"); i >= 0 {
			exponent, _ := exponentOf(string(v)[i+1:])
			s.digits += max(exponent, -exponent)
		}
		if s.digits > maxDigits {
			return errors.New("has too many digits in its numbers")
		}
	case map[string]any:
		for _, member := range v {
			if err := s.numbers(member); err != nil {
				return err
			}
		}
	case []any:
		for _, element := range v {
			if err := s.numbers(element); err != nil {
				return err
			}
		}
	}
	return nil
}

// subschema takes the value at a place where a schema belongs.
func (s *survey) subschema(v any, at site) error {
	if s.found[at.pointer] {
		return nil
	}
	s.found[at.pointer] = true
	if len(s.found) > maxSubschemas {
		return fmt.Errorf("has more than %d subschemas", maxSubschemas)
	}
	if at.level > maxLevels {
		return fmt.Errorf("has more than %d levels", maxLevels)
	}
	obj, ok := v.(map[string]any)
	if !ok {
		return nil
	}
	if err := s.identify(obj, &at); err != nil {
		return err
	}
	if s.paths += at.weight; s.paths > maxPaths {
		return errors.New("has names that are too long and too deep")
	}
	if err := s.assertions(obj, at); err != nil {
		return err
	}
	return s.below(obj, at)
}

// identify follows $schema and $id: which dialect a subschema is in, and from where its references count.
func (s *survey) identify(obj map[string]any, at *site) error {
	dialect := at.dialect
	if named, ok := obj["$schema"]; ok {
		address, _ := named.(string)
		if dialect, ok = dialects[plain(address)]; !ok {
			return errors.New("is in a dialect of JSON Schema that Sallyport does not know")
		}
	}
	id := idOf(obj, dialect)
	if id == "" && at.pointer != "" {
		// Only a resource can have a dialect of its own.
		dialect = at.dialect
		id = idOf(obj, dialect)
	}
	at.dialect = dialect
	if id != "" {
		address, err := at.base.Parse(id)
		if err != nil {
			return errors.New("has an $id that is not an address")
		}
		at.base, at.resource = address, at.pointer
		at.weight += len(address.String())
		s.resources[address.String()] = at.pointer
	}
	return nil
}

// idOf is the address that a subschema gives itself, without its fragment.
func idOf(obj map[string]any, d dialect) string {
	keyword := "$id"
	if d == 4 {
		keyword = "id"
	}
	if _, ok := obj["$ref"]; ok && d < 2019 {
		return "" // draft-07 and earlier ignore what is beside a $ref
	}
	id, _ := obj[keyword].(string)
	id, _, _ = strings.Cut(id, "#")
	return id
}

var counts = []string{"minLength", "maxLength", "minItems", "maxItems", "minProperties", "maxProperties", "minContains", "maxContains"}

// mostCounted is more than any response has of anything. The library would cut larger numbers to their lowest bits.
const mostCounted = 1<<31 - 1

// assertions looks at keywords that hold no schema.
func (s *survey) assertions(obj map[string]any, at site) error {
	for _, keyword := range []string{"$ref", "$recursiveRef", "$dynamicRef"} {
		if to, ok := obj[keyword].(string); ok {
			s.references = append(s.references, reference{to, at})
			s.scopeBound = s.scopeBound || keyword != "$ref"
		}
	}
	if _, ok := obj["$dynamicAnchor"].(string); ok {
		s.anchors = append(s.anchors, at.pointer)
	}
	if pattern, ok := obj["pattern"].(string); ok {
		s.patterns[pattern] = true
	}
	if patterns, ok := obj["patternProperties"].(map[string]any); ok {
		for pattern := range patterns {
			s.patterns[pattern] = true
		}
	}
	if len(s.patterns) > maxPatterns {
		return fmt.Errorf("has more than %d patterns", maxPatterns)
	}
	for pattern := range s.patterns {
		if utf8.RuneCountInString(pattern) > maxPatternLength {
			return fmt.Errorf("has a pattern of more than %d characters", maxPatternLength)
		}
	}
	for _, keyword := range counts {
		if n, ok := obj[keyword].(json.Number); ok {
			d, ok := decimalOf(string(n))
			if most, _ := decimalOf(strconv.Itoa(mostCounted)); ok && d.integer() && d.compare(&most) > 0 {
				obj[keyword] = json.Number(strconv.Itoa(mostCounted))
			}
		}
	}
	return s.lists(obj)
}

// lists bounds arrays in which the library would make an error of each element, or compare each with each.
func (s *survey) lists(obj map[string]any) error {
	if types, ok := obj["type"].([]any); ok && len(types) > 7 {
		return errors.New("has a type with more members than there are types")
	}
	if required, ok := obj["required"].([]any); ok && slices.ContainsFunc(required, notString) {
		return errors.New("requires a property whose name is not a string")
	}
	if members, ok := obj["enum"].([]any); ok {
		for _, member := range members {
			switch member.(type) {
			case map[string]any, []any:
				s.enumMembers++
			}
		}
		if s.enumMembers > maxMembers {
			return fmt.Errorf("has more than %d objects and arrays in its enums", maxMembers)
		}
	}
	for _, keyword := range []string{"dependencies", "dependentRequired"} {
		of, _ := obj[keyword].(map[string]any)
		for _, names := range of {
			if list, ok := names.([]any); ok && slices.ContainsFunc(list, notString) {
				return errors.New("requires a property whose name is not a string")
			}
		}
		if len(of) > maxSubschemas {
			return errors.New("has too many dependencies")
		}
	}
	if vocabularies, ok := obj["$vocabulary"].(map[string]any); ok && len(vocabularies) > 50 {
		return errors.New("has too many vocabularies")
	}
	return nil
}

func notString(v any) bool {
	_, ok := v.(string)
	return !ok
}

// below goes into the subschemas of a subschema.
func (s *survey) below(obj map[string]any, at site) error {
	into := func(v any, path ...string) error {
		child := at
		child.level++
		for _, segment := range path {
			child.pointer += "/" + escapeSegment.Replace(segment)
		}
		child.weight = at.weight + len(child.pointer) - len(at.pointer)
		return s.subschema(v, child)
	}
	for keyword, since := range schemaMaps {
		of, ok := obj[keyword].(map[string]any)
		if !ok || at.dialect < since {
			continue
		}
		for name, v := range of {
			if err := into(v, keyword, name); err != nil {
				return err
			}
		}
	}
	for keyword, since := range schemaLists {
		of, ok := obj[keyword].([]any)
		if !ok || at.dialect < since {
			continue
		}
		for i, v := range of {
			if err := into(v, keyword, strconv.Itoa(i)); err != nil {
				return err
			}
		}
	}
	for keyword, since := range schemaValues {
		v, ok := obj[keyword]
		if _, list := v.([]any); !ok || list || at.dialect < since {
			continue
		}
		if err := into(v, keyword); err != nil {
			return err
		}
	}
	return nil
}

var errOutside = errors.New("refers to something outside itself, and Sallyport opens nothing")

// follow finds the place that a reference leads to. What is outside is refused here, before the library asks its loader.
func (s *survey) follow(r reference) error {
	address, fragment, _ := strings.Cut(r.to, "#")
	fragment, err := url.PathUnescape(fragment)
	if err != nil {
		return errors.New("has a reference that is not an address")
	}
	target, err := r.resource.base.Parse(address)
	if err != nil {
		return errors.New("has a reference that is not an address")
	}
	at := r.resource
	if at.pointer = at.resource; address != "" {
		pointer, ok := s.resources[target.String()]
		if !ok && metaschema(target.String()) {
			s.scopeBound = true
			return nil
		}
		if !ok {
			return errOutside
		}
		at.pointer = pointer
	}
	if fragment == "" || !strings.HasPrefix(fragment, "/") {
		return nil // a resource or an anchor, which are subschemas
	}
	at.pointer += fragment
	if s.found[at.pointer] {
		return nil
	}
	v, ok := find(s.root, at.pointer)
	if !ok {
		return errors.New("refers to a place that it does not have")
	}
	if s.detours++; s.detours > maxDetours {
		return fmt.Errorf("has more than %d references to places where no schema belongs", maxDetours)
	}
	at.level, at.weight = 0, len(at.pointer)
	return s.subschema(v, at)
}

// find follows a JSON pointer.
func find(v any, pointer string) (any, bool) {
	for _, segment := range strings.Split(pointer, "/")[1:] {
		segment = strings.ReplaceAll(strings.ReplaceAll(segment, "~1", "/"), "~0", "~")
		switch of := v.(type) {
		case map[string]any:
			member, ok := of[segment]
			if !ok {
				return nil, false
			}
			v = member
		case []any:
			i, err := strconv.Atoi(segment)
			if err != nil || i < 0 || i >= len(of) {
				return nil, false
			}
			v = of[i]
		default:
			return nil, false
		}
	}
	return v, true
}
