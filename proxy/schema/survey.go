package schema

import (
	"errors"
	"fmt"
	"net/url"
	"strconv"
	"strings"
	"unicode/utf8"
)

// What a schema can have.
const (
	maxBytes         = 128 << 10
	maxSubschemas    = 4_000
	maxLevels        = 64  // subschemas inside each other
	maxNesting       = 200 // arrays and objects inside each other
	maxPatterns      = 200
	maxPatternLength = 1_000   // characters
	maxAddress       = 2_000   // characters of an $id, as what is around it completes it: each resource keeps its own, and each reference reads it
	maxPaths         = 4 << 20 // of all subschemas, added up: each keeps its own, and names can be long and deep
)

// base is the address of a schema without an $id. Nothing is ever loaded from it.
const base = "schema://pinned/"

var errOutside = errors.New("refers to something outside itself, and Sallyport opens nothing")
var errNowhere = errors.New("refers to a place that it does not have")
var errAddress = errors.New("has a reference that is not an address")

// keywords that hold schemas, by the dialect that has them first.
var (
	schemaMaps   = map[string]dialect{"definitions": 4, "properties": 4, "patternProperties": 4, "dependencies": 4, "$defs": 2019, "dependentSchemas": 2019}
	schemaLists  = map[string]dialect{"allOf": 4, "anyOf": 4, "oneOf": 4, "items": 4, "prefixItems": 2020}
	schemaValues = map[string]dialect{"not": 4, "additionalProperties": 4, "additionalItems": 4, "items": 4, "propertyNames": 6, "contains": 6, "if": 7, "then": 7, "else": 7,
		"unevaluatedProperties": 2019, "unevaluatedItems": 2019, "contentSchema": 2019}
)

// source is a document: the schema, or a metaschema that it refers to.
type source struct {
	root    any
	foreign bool
}

// resource is a part of a document that has an address of its own.
type resource struct {
	at      place
	anchors map[string]place
	dynamic map[string]place // those that a bound reference looks for, "" for a $recursiveAnchor
	bound   map[string]*rule // the same, compiled
}

// place is where a subschema is.
type place struct {
	source  *source
	pointer string
}

// site is a subschema and what it inherits.
type site struct {
	place
	value    any
	base     *url.URL
	resource *resource
	dialect  dialect
	level    int
	weight   int // the length of all paths from here, so far
}

// survey walks a schema before anything is compiled: it counts, refuses what is too much or leads outside, and notes what is where.
type survey struct {
	sites     map[place]*site
	own       int // sites that are not in a metaschema
	resources map[string]*resource
	pending   []*site // whose references are not followed yet
	checked   []*site // the root, and what has to be held against a metaschema by itself
	patterns  map[string]bool
	paths     int
	bytes     int // of the schema
}

func newSurvey() *survey {
	return &survey{sites: map[place]*site{}, resources: map[string]*resource{}, patterns: map[string]bool{}}
}

// enter takes a whole document, whose address is known.
func (s *survey) enter(root any, address string, foreign bool) (*site, error) {
	at, err := url.Parse(address)
	if err != nil {
		return nil, errAddress
	}
	first := &site{place: place{&source{root, foreign}, ""}, value: root, base: at, dialect: latest}
	s.declare(first, address)
	s.checked = append(s.checked, first)
	return first, s.subschema(first)
}

// load enters a metaschema.
func (s *survey) load(address string) (*site, bool) {
	doc, ok := metaschema(address)
	if !ok {
		return nil, false
	}
	first, err := s.enter(doc, address, true)
	return first, err == nil
}

// declare makes a site the resource that an address means.
func (s *survey) declare(at *site, address string) {
	at.resource = &resource{at: at.place, anchors: map[string]place{}, dynamic: map[string]place{}}
	s.resources[address] = at.resource
}

// subschema takes the value at a place where a schema belongs.
func (s *survey) subschema(at *site) error {
	if s.sites[at.place] != nil {
		return nil
	}
	s.sites[at.place] = at
	if !at.source.foreign {
		if s.own++; s.own > maxSubschemas {
			return fmt.Errorf("has more than %d subschemas", maxSubschemas)
		}
		if s.paths += at.weight; s.paths > maxPaths {
			return errors.New("has names that are too long and too deep")
		}
	}
	if at.level > maxLevels {
		return fmt.Errorf("has more than %d levels", maxLevels)
	}
	obj, ok := at.value.(map[string]any)
	if !ok {
		return nil
	}
	if err := s.identify(obj, at); err != nil {
		return err
	}
	if err := s.anchor(obj, at); err != nil {
		return err
	}
	if err := s.pattern(obj); err != nil {
		return err
	}
	s.pending = append(s.pending, at)
	return s.below(obj, at)
}

// identify follows $schema and $id: which dialect a subschema is in, and from where its references count.
func (s *survey) identify(obj map[string]any, at *site) error {
	inherited := at.dialect
	if named, ok := obj["$schema"]; ok {
		address, _ := named.(string)
		if at.dialect, ok = dialects[withoutScheme(address)]; !ok {
			return errors.New("is in a dialect of JSON Schema that Sallyport does not know")
		}
	}
	id := idOf(obj, at.dialect)
	if id == "" && at.pointer != "" {
		// Only a resource can have a dialect of its own.
		at.dialect = inherited
		id = idOf(obj, at.dialect)
	}
	if at.dialect != inherited && at.pointer != "" {
		s.checked = append(s.checked, at)
	}
	if id == "" {
		return nil
	}
	address, err := at.base.Parse(id)
	if err != nil {
		return errors.New("has an $id that is not an address")
	}
	absolute := address.String()
	if len(absolute) > maxAddress {
		return fmt.Errorf("has an $id of more than %d characters", maxAddress)
	}
	known := s.resources[absolute]
	if known != nil && known.at != at.place {
		return errors.New("gives two places the same address")
	}
	at.base = address
	switch {
	case known != nil:
	case at.pointer == "":
		s.resources[absolute] = at.resource // it has base, too
	default:
		at.weight += len(absolute)
		s.declare(at, absolute)
	}
	return nil
}

// idOf is the address that a subschema gives itself, without its fragment.
func idOf(obj map[string]any, d dialect) string {
	id, _, _ := strings.Cut(idWithAnchor(obj, d), "#")
	return id
}

func idWithAnchor(obj map[string]any, d dialect) string {
	keyword := "$id"
	if d == 4 {
		keyword = "id"
	}
	if _, ok := obj["$ref"].(string); ok && d < 2019 {
		return "" // draft-07 and earlier ignore what is beside a $ref
	}
	id, _ := obj[keyword].(string)
	return id
}

// anchor notes the names that a subschema has in its resource.
func (s *survey) anchor(obj map[string]any, at *site) error {
	var names []string
	if at.dialect < 2019 {
		_, fragment, _ := strings.Cut(idWithAnchor(obj, at.dialect), "#")
		if name, err := url.PathUnescape(fragment); err == nil && name != "" && name[0] != '/' {
			names = append(names, name)
		}
	} else if name, ok := obj["$anchor"].(string); ok {
		names = append(names, name)
	}
	if name, ok := obj["$dynamicAnchor"].(string); ok && at.dialect >= 2020 {
		names = append(names, name)
		at.resource.dynamic[name] = at.place
	}
	if obj["$recursiveAnchor"] == true && at.dialect == 2019 && at.resource.at == at.place {
		at.resource.dynamic[""] = at.place
	}
	for _, name := range names {
		if known, ok := at.resource.anchors[name]; ok && known != at.place {
			return errors.New("gives two places the same name")
		}
		at.resource.anchors[name] = at.place
	}
	return nil
}

func (s *survey) pattern(obj map[string]any) error {
	var found []string
	if pattern, ok := obj["pattern"].(string); ok {
		found = append(found, pattern)
	}
	if patterns, ok := obj["patternProperties"].(map[string]any); ok {
		for pattern := range patterns {
			found = append(found, pattern)
		}
	}
	for _, pattern := range found {
		if s.patterns[pattern] = true; len(s.patterns) > maxPatterns {
			return fmt.Errorf("has more than %d patterns", maxPatterns)
		}
		if utf8.RuneCountInString(pattern) > maxPatternLength {
			return fmt.Errorf("has a pattern of more than %d characters", maxPatternLength)
		}
	}
	return nil
}

// below goes into the subschemas of a subschema.
func (s *survey) below(obj map[string]any, at *site) error {
	for keyword, since := range schemaMaps {
		of, ok := obj[keyword].(map[string]any)
		if !ok || at.dialect < since {
			continue
		}
		for name, v := range of {
			if _, list := v.([]any); list && keyword == "dependencies" {
				continue
			}
			if err := s.subschema(at.child(v, keyword, name)); err != nil {
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
			if err := s.subschema(at.child(v, keyword, strconv.Itoa(i))); err != nil {
				return err
			}
		}
	}
	for keyword, since := range schemaValues {
		v, ok := obj[keyword]
		if _, list := v.([]any); !ok || list || at.dialect < since {
			continue
		}
		if err := s.subschema(at.child(v, keyword)); err != nil {
			return err
		}
	}
	return nil
}

func (at *site) child(v any, path ...string) *site {
	child := *at
	child.value, child.pointer = v, below(at.pointer, path...)
	child.level++
	child.weight += len(child.pointer) - len(at.pointer)
	return &child
}

// below is the pointer that goes on from another.
func below(pointer string, path ...string) string {
	var b strings.Builder
	b.WriteString(pointer)
	for _, segment := range path {
		writeSegment(&b, segment)
	}
	return b.String()
}
