package schema

// rule is one subschema, compiled. Which keywords a dialect has, and what it ignores, is settled: what a rule has is applied.
type rule struct {
	id       int
	pointer  string // into the schema
	foreign  bool   // in a metaschema, so that pointer says nothing
	resource *resource

	always  *bool // the schemas true and false
	types   types
	isConst *set
	enum    *set

	ref     *rule
	refOnly bool // draft-07 and earlier ignore what is beside a $ref
	dynamic dynamicRef

	minimum, maximum, exclusiveMinimum, exclusiveMaximum *bound
	multipleOf                                           *bound

	minLength, maxLength int // -1: none, as below
	pattern              *pattern

	minProperties, maxProperties int
	names                        map[string]name
	required                     []requirement
	dependentRequired            []dependentRequired
	dependentSchemas             []dependentSchema
	patternProperties            []patternProperty
	additionalProperties         *rule
	propertyNames                *rule
	unevaluatedProperties        *rule

	minItems, maxItems       int
	uniqueItems              bool
	prefix                   []*rule
	prefixKeyword            string
	rest                     *rule
	restKeyword              string
	contains                 *rule
	minContains, maxContains int
	containsEvaluates        bool // counts for unevaluatedItems, since 2020-12
	unevaluatedItems         *rule

	allOf, anyOf, oneOf []*rule
	not                 *rule

	condition, then, otherwise *rule   // if, then, else
	branches                   []*rule // then and otherwise, those that there are
}

// name is a property that a rule names, and what to do with its value: nothing, if it is only required.
type name struct {
	index int // among the names of the rule
	rule  *rule
}

type requirement struct {
	name  string
	index int
}

type dependentRequired struct {
	keyword string
	below   string // the pointer to the list, from the rule's
	trigger int
	names   []requirement
}

type dependentSchema struct {
	keyword string
	trigger int
	rule    *rule
}

type patternProperty struct {
	pattern *pattern
	rule    *rule
}

// dynamicRef is a $dynamicRef or $recursiveRef. It leads to the outermost resource on the way that has the anchor.
type dynamicRef struct {
	keyword    string
	initial    *rule
	bound      bool // false: as a $ref
	anchor     string
	candidates []*rule
}

// types is a set of JSON types; whole numbers are one more.
type types uint8

const wholeNumbers types = 1 << kinds

func (t types) of(k kind) bool { return t&(1<<k) != 0 }

var typesByName = map[string]types{"null": 1 << null, "boolean": 1 << boolean, "number": 1 << number, "string": 1 << text, "array": 1 << array, "object": 1 << object,
	"integer": wholeNumbers}

// sameValue calls visit for each rule that a rule applies to the same value, whatever the value.
func (r *rule) sameValue(visit func(*rule)) {
	for _, one := range []*rule{r.ref, r.not, r.condition, r.then, r.otherwise} {
		if one != nil {
			visit(one)
		}
	}
	for _, list := range [][]*rule{r.allOf, r.anyOf, r.oneOf} {
		for _, one := range list {
			visit(one)
		}
	}
}
