package schema

import (
	"encoding/json"
	"errors"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"unsafe"
)

// weightPerByte is what a compiled schema takes for each of its bytes, at most: for the values of an enum, or names that are required.
const weightPerByte = 12

// conversion makes rules of the sites of a schema that its root can reach. What a dialect does not have is left out, so that rules are the
// same in all dialects. The metaschema has been asked before: what has the wrong type here is in a keyword that its dialect does not know.
type conversion struct {
	*survey
	rules    map[*site]*rule
	queue    []*site
	patterns map[string]*pattern
	programs int // instructions of all patterns
	err      error
}

func convert(seen *survey, root *site) (*Schema, error) {
	c := &conversion{survey: seen, rules: map[*site]*rule{}, patterns: map[string]*pattern{}}
	s := &Schema{root: c.rule(root)}
	for i := 0; i < len(c.queue); i++ {
		if c.convert(c.queue[i]); c.err != nil {
			return nil, c.err
		}
		if s.scoped = s.scoped || c.rules[c.queue[i]].dynamic.bound; s.scoped {
			c.bind()
		}
	}
	for _, at := range c.queue {
		s.all = append(s.all, c.rules[at])
	}
	s.link(c.resources)
	s.weight = len(s.all)*int(unsafe.Sizeof(rule{})) + seen.paths + c.programs*instruction + weightPerByte*seen.bytes
	if s.circular() {
		return nil, errors.New("refers to itself without going into the value")
	}
	return s, nil
}

func (c *conversion) rule(at *site) *rule {
	r, ok := c.rules[at]
	if !ok {
		r = &rule{id: len(c.queue), pointer: at.pointer, foreign: at.source.foreign, resource: at.resource}
		c.rules[at] = r
		c.queue = append(c.queue, at)
	}
	return r
}

// bind makes rules of everything that a bound reference can lead to.
func (c *conversion) bind() {
	for _, res := range c.resources {
		if res.bound != nil {
			continue
		}
		res.bound = map[string]*rule{}
		for name, where := range res.dynamic {
			res.bound[name] = c.rule(c.sites[where])
		}
	}
}

// link finds out where bound references can lead, once every rule is known.
func (s *Schema) link(resources map[string]*resource) {
	bound := map[string][]*rule{}
	for _, res := range distinct(resources) {
		for anchor, to := range res.bound {
			bound[anchor] = append(bound[anchor], to)
		}
	}
	for _, r := range s.all {
		switch d := &r.dynamic; {
		case d.bound:
			d.candidates = bound[d.anchor] // with the initial one
		case d.initial != nil:
			d.candidates = []*rule{d.initial}
		}
	}
	for _, res := range resources {
		*res = resource{bound: res.bound} // the rest leads to the whole document
	}
}

// distinct are the resources without those that have a second address.
func distinct(resources map[string]*resource) []*resource {
	var all []*resource
	met := map[*resource]bool{}
	for _, res := range resources {
		if !met[res] {
			met[res] = true
			all = append(all, res)
		}
	}
	return all
}

// keywords are those of one subschema.
type keywords struct {
	*conversion
	*rule
	at  *site
	obj map[string]any
}

func (c *conversion) convert(at *site) {
	r := c.rules[at]
	obj, ok := at.value.(map[string]any)
	if always, is := at.value.(bool); is || ok && len(obj) == 0 {
		always = always || ok
		r.always = &always
		return
	}
	k := keywords{c, r, at, obj}
	if to, ok := obj["$ref"].(string); ok {
		r.ref = k.to(to)
		if r.refOnly = at.dialect < 2019; r.refOnly {
			return
		}
	}
	k.boundReference()
	k.values()
	k.numbers()
	k.strings()
	k.objects()
	k.arrays()
	r.allOf, r.anyOf, r.oneOf, r.not = k.list("allOf", 4), k.list("anyOf", 4), k.list("oneOf", 4), k.one("not", 4)
	if r.condition = k.one("if", 7); r.condition != nil {
		r.then, r.otherwise = k.one("then", 7), k.one("else", 7)
		for _, branch := range []*rule{r.then, r.otherwise} {
			if branch != nil {
				r.branches = append(r.branches, branch)
			}
		}
	}
}

// to is the rule that a reference means.
func (k *keywords) to(reference string) *rule {
	target, known, err := k.resolve(k.at, reference)
	if err != nil || !known || k.sites[target.place] == nil {
		k.err = errNowhere
		return nil
	}
	return k.conversion.rule(k.sites[target.place])
}

func (k *keywords) boundReference() {
	if to, ok := k.obj["$recursiveRef"].(string); ok && k.at.dialect == 2019 {
		if initial := k.to(to); initial != nil {
			res := initial.resource
			_, bound := res.dynamic[""]
			k.dynamic = dynamicRef{keyword: "$recursiveRef", initial: initial, bound: bound && res.at.pointer == initial.pointer}
		}
	}
	if to, ok := k.obj["$dynamicRef"].(string); ok && k.at.dialect >= 2020 {
		if initial := k.to(to); initial != nil {
			_, escaped, _ := strings.Cut(to, "#")
			anchor, _ := url.PathUnescape(escaped)
			_, bound := initial.resource.dynamic[anchor]
			k.dynamic = dynamicRef{keyword: "$dynamicRef", initial: initial, bound: bound && anchor != "", anchor: anchor}
		}
	}
}

func (k *keywords) one(keyword string, since dialect) *rule {
	if _, ok := k.obj[keyword]; !ok || k.at.dialect < since {
		return nil
	}
	return k.child(keyword)
}

// child is the rule of a subschema of this one. Only what the survey took for one has a rule.
func (k *keywords) child(path ...string) *rule {
	at := k.sites[place{k.at.source, below(k.at.pointer, path...)}]
	if at == nil {
		return nil
	}
	return k.conversion.rule(at)
}

func (k *keywords) list(keyword string, since dialect) []*rule {
	of, ok := k.obj[keyword].([]any)
	if !ok || k.at.dialect < since {
		return nil
	}
	var rules []*rule
	for i := range of {
		rules = append(rules, k.child(keyword, strconv.Itoa(i)))
	}
	return rules
}

func (k *keywords) values() {
	switch of := k.obj["type"].(type) {
	case string:
		k.types = typesByName[of]
	case []any:
		for _, one := range of {
			name, _ := one.(string)
			k.types |= typesByName[name]
		}
	}
	if of, ok := k.obj["enum"].([]any); ok {
		k.enum = k.set(of...)
	}
	if of, ok := k.obj["const"]; ok && k.at.dialect >= 6 {
		k.isConst = k.set(of)
	}
}

func (k *keywords) set(values ...any) *set {
	s, ok := setOf(values...)
	if !ok {
		k.err = errors.New("has a value that can't be compared")
	}
	return s
}

func (k *keywords) bound(keyword string) *bound {
	n, _ := k.obj[keyword].(json.Number)
	d, ok := decimalOf(string(n))
	if !ok {
		return nil
	}
	return &bound{decimal: d, written: string(n)}
}

func (k *keywords) numbers() {
	k.minimum, k.maximum = k.bound("minimum"), k.bound("maximum")
	k.exclusiveMinimum, k.exclusiveMaximum = k.bound("exclusiveMinimum"), k.bound("exclusiveMaximum")
	if k.obj["exclusiveMinimum"] == true {
		k.minimum, k.exclusiveMinimum = nil, k.minimum // draft-04
	}
	if k.obj["exclusiveMaximum"] == true {
		k.maximum, k.exclusiveMaximum = nil, k.maximum
	}
	if d := k.bound("multipleOf"); d != nil && !d.zero() {
		k.multipleOf = d.prepare()
	}
}

// mostCounted is more than any response has of anything.
const mostCounted = 1<<31 - 1

// count is a bound on how many, or -1.
func (k *keywords) count(keyword string, since dialect) int {
	d := k.bound(keyword)
	if d == nil || k.at.dialect < since {
		return -1
	}
	if d.point > 9 {
		return mostCounted
	}
	n, tens := d.chunk(0), d.point-d.digits()
	return int(n * power(max(tens, 0)))
}

func (k *keywords) strings() {
	k.minLength, k.maxLength = k.count("minLength", 4), k.count("maxLength", 4)
	if source, ok := k.obj["pattern"].(string); ok {
		k.pattern = k.compilePattern(source)
	}
}

func (c *conversion) compilePattern(source string) *pattern {
	p, ok := c.patterns[source]
	if !ok {
		if p, c.err = compilePattern(source); c.err != nil {
			return nil
		}
		c.patterns[source] = p
		if c.programs += p.program; c.programs > maxPrograms {
			c.err = errors.New("has patterns that are too large together")
		}
	}
	return p
}

func (k *keywords) objects() {
	k.minProperties, k.maxProperties = k.count("minProperties", 4), k.count("maxProperties", 4)
	k.names = map[string]name{}
	for _, property := range k.members("properties", 4) {
		k.names[property] = name{k.index(property), k.child("properties", property)}
	}
	required, _ := k.obj["required"].([]any)
	k.required = k.requirements(required)
	for _, keyword := range []string{"dependencies", "dependentRequired", "dependentSchemas"} {
		since := dialect(2019)
		if keyword == "dependencies" {
			since = 4
		}
		for _, property := range k.members(keyword, since) {
			trigger := k.index(property)
			if on, list := k.obj[keyword].(map[string]any)[property].([]any); list {
				k.dependentRequired = append(k.dependentRequired, dependentRequired{keyword, below("", keyword, property), trigger, k.requirements(on)})
			} else if to := k.child(keyword, property); to != nil {
				k.dependentSchemas = append(k.dependentSchemas, dependentSchema{keyword, trigger, to})
			}
		}
	}
	for _, source := range k.members("patternProperties", 4) {
		k.patternProperties = append(k.patternProperties, patternProperty{k.compilePattern(source), k.child("patternProperties", source)})
		if k.err != nil {
			return
		}
	}
	k.additionalProperties, k.propertyNames = k.one("additionalProperties", 4), k.one("propertyNames", 6)
	k.unevaluatedProperties = k.one("unevaluatedProperties", 2019)
}

// members are the names in the object of a keyword, sorted, so that violations come in the same order each time.
func (k *keywords) members(keyword string, since dialect) []string {
	of, ok := k.obj[keyword].(map[string]any)
	if !ok || k.at.dialect < since {
		return nil
	}
	var names []string
	for name := range of {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

func (k *keywords) requirements(names []any) []requirement {
	all := make([]requirement, 0, len(names))
	for _, one := range names {
		name, _ := one.(string)
		all = append(all, requirement{name, k.index(name)})
	}
	return all
}

// index is the number of a name among those that a rule has to know of an object.
func (r *rule) index(property string) int {
	known, ok := r.names[property]
	if !ok {
		known.index = len(r.names)
		r.names[property] = known
	}
	return known.index
}

func (k *keywords) arrays() {
	k.minItems, k.maxItems = k.count("minItems", 4), k.count("maxItems", 4)
	k.uniqueItems = k.obj["uniqueItems"] == true
	k.prefixKeyword, k.restKeyword = "prefixItems", "items"
	if k.prefix = k.list("prefixItems", 2020); k.at.dialect < 2020 {
		if _, list := k.obj["items"].([]any); list {
			k.prefixKeyword, k.restKeyword = "items", "additionalItems"
			k.prefix = k.list("items", 4)
		}
	}
	k.rest = k.one(k.restKeyword, 4)
	k.contains, k.containsEvaluates = k.one("contains", 6), k.at.dialect >= 2020
	k.minContains, k.maxContains = k.count("minContains", 2019), k.count("maxContains", 2019)
	k.unevaluatedItems = k.one("unevaluatedItems", 2019)
}
