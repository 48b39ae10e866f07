package schema

import (
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

// nothing is the loader of the library: it opens nothing. References to the outside have been refused before; this is the second door.
type nothing struct{}

func (nothing) Load(string) (any, error) { return nil, errOutside }

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
	doc, err := jsonschema.UnmarshalJSON(strings.NewReader(string(raw)))
	if err != nil {
		return nil, errors.New("is not JSON")
	}
	root, ok := doc.(map[string]any)
	if !ok {
		return nil, errors.New("is not a JSON object")
	}
	seen, err := surveyed(root)
	if err != nil {
		return nil, err
	}
	return compiled(root, seen)
}

// compiled has the library check the schema against its metaschema and resolve its references, and takes the result over.
func compiled(root map[string]any, seen *survey) (*Schema, error) {
	compiler := jsonschema.NewCompiler()
	compiler.UseLoader(nothing{})
	compiler.UseRegexpEngine(patterns{}.engine)
	if err := compiler.AddResource(base, root); err != nil {
		return nil, reason(err)
	}
	sch, err := compiler.Compile(base)
	if err != nil {
		return nil, reason(err)
	}
	c := &conversion{rules: map[*jsonschema.Schema]*rule{}, resources: map[string]*resource{}}
	if seen.scopeBound {
		if err := c.bind(compiler, seen); err != nil {
			return nil, reason(err)
		}
	}
	s := &Schema{root: c.rule(sch), scoped: seen.scopeBound}
	for i := 0; i < len(c.queue); i++ {
		if err := c.convert(c.queue[i]); err != nil {
			return nil, err
		}
	}
	if len(c.queue) > maxSubschemas+500 {
		return nil, fmt.Errorf("has more than %d subschemas", maxSubschemas)
	}
	s.rules = len(c.queue)
	for _, sch := range c.queue {
		s.all = append(s.all, c.rules[sch])
	}
	c.link(s)
	if s.circular() {
		return nil, errors.New("refers to itself without going into the value")
	}
	return s, nil
}

// reason puts an error of the library into our words.
func reason(err error) error {
	var (
		invalid *jsonschema.SchemaValidationError
		pattern *jsonschema.InvalidRegexError
		anchor  *jsonschema.AnchorNotFoundError
		pointer *jsonschema.JSONPointerNotFoundError
		id      *jsonschema.DuplicateIDError
		twice   *jsonschema.DuplicateAnchorError
	)
	switch {
	case errors.As(err, &invalid):
		var v *jsonschema.ValidationError
		if errors.As(invalid.Err, &v) {
			for len(v.Causes) > 0 {
				v = v.Causes[0]
			}
			var place strings.Builder
			for _, segment := range v.InstanceLocation {
				writeSegment(&place, segment)
			}
			if told := (&Violation{Schema: place.String()}).Place(); told != "" {
				return fmt.Errorf("breaks the rules of JSON Schema at %s", told)
			}
		}
		return errors.New("breaks the rules of JSON Schema")
	case errors.As(err, &pattern):
		return errPattern
	case errors.As(err, &anchor), errors.As(err, &pointer):
		return errors.New("refers to a place that it does not have")
	case errors.As(err, &id), errors.As(err, &twice):
		return errors.New("gives two places the same name")
	case errors.Is(err, errOutside):
		return errOutside
	default:
		return errors.New("can't be compiled")
	}
}

// conversion takes a compiled schema of the library over, rule by rule.
type conversion struct {
	rules     map[*jsonschema.Schema]*rule
	queue     []*jsonschema.Schema
	resources map[string]*resource // by address and pointer
	dynamic   []*rule
}

func (c *conversion) rule(sch *jsonschema.Schema) *rule {
	if sch == nil {
		return nil
	}
	r, ok := c.rules[sch]
	if !ok {
		r = &rule{id: len(c.queue)}
		c.rules[sch] = r
		c.queue = append(c.queue, sch)
	}
	return r
}

func (c *conversion) list(schemas []*jsonschema.Schema) []*rule {
	var rules []*rule
	for _, sch := range schemas {
		rules = append(rules, c.rule(sch))
	}
	return rules
}

// place splits the location of a rule into the address of its document and the pointer in it.
func place(location string) (document, pointer string) {
	document, fragment, _ := strings.Cut(location, "#")
	pointer, err := url.PathUnescape(fragment)
	if err != nil {
		return document, fragment
	}
	return document, pointer
}

// bind finds the resources of the schema and their anchors. The library keeps them to itself, but compiles any place on request.
func (c *conversion) bind(compiler *jsonschema.Compiler, seen *survey) error {
	compile := func(pointer string) (*jsonschema.Schema, error) {
		segments := strings.Split(pointer, "/")
		for i := range segments {
			segments[i] = url.PathEscape(segments[i])
		}
		return compiler.Compile(base + "#" + strings.Join(segments, "/"))
	}
	for _, pointer := range seen.resources {
		sch, err := compile(pointer)
		if err != nil {
			return err
		}
		if sch.ID == "" && pointer != "" {
			continue
		}
		r := c.resource(base, pointer)
		if sch.RecursiveAnchor {
			r.anchors[""] = c.rule(sch)
		}
	}
	for _, pointer := range seen.anchors {
		sch, err := compile(pointer)
		if err != nil {
			return err
		}
		if sch.DynamicAnchor != "" {
			c.owner(base, pointer).anchors[sch.DynamicAnchor] = c.rule(sch)
		}
	}
	return nil
}

func (c *conversion) resource(document, pointer string) *resource {
	key := document + "#" + pointer
	r, ok := c.resources[key]
	if !ok {
		r = &resource{id: len(c.resources), anchors: map[string]*rule{}}
		c.resources[key] = r
	}
	return r
}

// owner is the innermost resource that a place is in.
func (c *conversion) owner(document, pointer string) *resource {
	for document == base {
		if r, ok := c.resources[document+"#"+pointer]; ok {
			return r
		}
		slash := strings.LastIndexByte(pointer, '/')
		if slash < 0 {
			break
		}
		pointer = pointer[:slash]
	}
	return c.resource(document, "")
}

func (c *conversion) convert(sch *jsonschema.Schema) error {
	r := c.rules[sch]
	document, pointer := place(sch.Location)
	r.pointer, r.foreign = pointer, document != base
	r.resource = c.owner(document, pointer)
	if r.foreign && sch.DynamicAnchor != "" {
		r.resource.anchors[sch.DynamicAnchor] = r
	}
	if r.foreign && sch.RecursiveAnchor {
		r.resource.anchors[""] = r
	}
	r.minLength, r.maxLength, r.minProperties, r.maxProperties = -1, -1, -1, -1
	r.minItems, r.maxItems, r.minContains, r.maxContains = -1, -1, -1, -1
	if r.always = sch.Bool; r.always != nil {
		return nil
	}
	if r.ref = c.rule(sch.Ref); r.ref != nil && sch.DraftVersion < 2019 {
		r.refOnly = true
		return nil
	}
	c.references(r, sch)
	c.numbers(r, sch)
	c.objects(r, sch)
	c.arrays(r, sch)
	r.allOf, r.anyOf, r.oneOf = c.list(sch.AllOf), c.list(sch.AnyOf), c.list(sch.OneOf)
	r.not, r.condition, r.then, r.otherwise = c.rule(sch.Not), c.rule(sch.If), c.rule(sch.Then), c.rule(sch.Else)
	return c.values(r, sch)
}

func (c *conversion) references(r *rule, sch *jsonschema.Schema) {
	if to := sch.RecursiveRef; to != nil {
		r.dynamic = append(r.dynamic, dynamicRef{keyword: "$recursiveRef", initial: c.rule(to), bound: to.RecursiveAnchor})
	}
	if to := sch.DynamicRef; to != nil {
		r.dynamic = append(r.dynamic, dynamicRef{keyword: "$dynamicRef", initial: c.rule(to.Ref), bound: to.Anchor != "" && to.Ref.DynamicAnchor == to.Anchor, anchor: to.Anchor})
	}
	if r.dynamic != nil {
		c.dynamic = append(c.dynamic, r)
	}
}

func (c *conversion) values(r *rule, sch *jsonschema.Schema) error {
	if sch.Types != nil {
		for _, name := range sch.Types.ToStrings() {
			r.types |= typesByName[name]
		}
	}
	ok, enumOK := true, true
	if sch.Const != nil {
		r.isConst, ok = setOf(*sch.Const)
	}
	if sch.Enum != nil {
		r.enum, enumOK = setOf(sch.Enum.Values...)
	}
	if !ok || !enumOK {
		return errors.New("has a value that can't be compared")
	}
	return nil
}

func (c *conversion) numbers(r *rule, sch *jsonschema.Schema) {
	r.minimum, r.maximum = decimalOfRat(sch.Minimum), decimalOfRat(sch.Maximum)
	r.exclusiveMinimum, r.exclusiveMaximum = decimalOfRat(sch.ExclusiveMinimum), decimalOfRat(sch.ExclusiveMaximum)
	r.multipleOf = decimalOfRat(sch.MultipleOf)
	r.minLength, r.maxLength = count(sch.MinLength), count(sch.MaxLength)
	if p, ok := sch.Pattern.(*pattern); ok {
		r.pattern = p
	}
}

// count is a bound on how many, or -1.
func count(n *int) int {
	if n == nil {
		return -1
	}
	return *n
}

func (c *conversion) objects(r *rule, sch *jsonschema.Schema) {
	r.minProperties, r.maxProperties = count(sch.MinProperties), count(sch.MaxProperties)
	r.names = map[string]name{}
	for property, value := range sch.Properties {
		r.names[property] = name{r.index(property), c.rule(value)}
	}
	for i, property := range sch.Required {
		r.required = append(r.required, requirement{property, r.index(property), fmt.Sprint("/required/", i)})
	}
	for _, property := range sorted(sch.Dependencies) {
		switch to := sch.Dependencies[property].(type) {
		case []string:
			r.depends("dependencies", property, to)
		case *jsonschema.Schema:
			r.dependentSchemas = append(r.dependentSchemas, dependentSchema{"dependencies", r.index(property), c.rule(to)})
		}
	}
	for _, property := range sorted(sch.DependentRequired) {
		r.depends("dependentRequired", property, sch.DependentRequired[property])
	}
	for _, property := range sorted(sch.DependentSchemas) {
		r.dependentSchemas = append(r.dependentSchemas, dependentSchema{"dependentSchemas", r.index(property), c.rule(sch.DependentSchemas[property])})
	}
	for p, value := range sch.PatternProperties {
		if p, ok := p.(*pattern); ok {
			r.patternProperties = append(r.patternProperties, patternProperty{p, c.rule(value)})
		}
	}
	slices.SortFunc(r.patternProperties, func(a, b patternProperty) int { return strings.Compare(a.pattern.source, b.pattern.source) })
	switch additional := sch.AdditionalProperties.(type) {
	case bool:
		r.additionalProperties = c.constant(r, "additionalProperties", additional)
	case *jsonschema.Schema:
		r.additionalProperties = c.rule(additional)
	}
	r.propertyNames, r.unevaluatedProperties = c.rule(sch.PropertyNames), c.rule(sch.UnevaluatedProperties)
}

func sorted[V any](of map[string]V) []string {
	var names []string
	for name := range of {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

// index is the number of a name among those that a rule has to know of an object.
func (r *rule) index(property string) int {
	known, ok := r.names[property]
	if !ok {
		known = name{index: r.nameCount}
		r.names[property] = known
		r.nameCount++
	}
	return known.index
}

func (r *rule) depends(keyword, property string, on []string) {
	d := dependentRequired{keyword: keyword, trigger: r.index(property)}
	for i, other := range on {
		var pointer strings.Builder
		pointer.WriteString("/" + keyword)
		writeSegment(&pointer, property)
		fmt.Fprint(&pointer, "/", i)
		d.names = append(d.names, requirement{other, r.index(other), pointer.String()})
	}
	r.dependentRequired = append(r.dependentRequired, d)
}

// constant is a rule for the schemas true and false where the library keeps only the word.
func (c *conversion) constant(r *rule, keyword string, always bool) *rule {
	return c.rule(&jsonschema.Schema{Bool: &always, Location: base + "#" + url.PathEscape(r.pointer) + "/" + keyword})
}

func (c *conversion) arrays(r *rule, sch *jsonschema.Schema) {
	r.minItems, r.maxItems, r.uniqueItems = count(sch.MinItems), count(sch.MaxItems), sch.UniqueItems
	if sch.DraftVersion >= 2020 {
		r.prefix, r.prefixKeyword = c.list(sch.PrefixItems), "prefixItems"
		r.rest, r.restKeyword = c.rule(sch.Items2020), "items"
	} else {
		switch items := sch.Items.(type) {
		case *jsonschema.Schema:
			r.rest, r.restKeyword = c.rule(items), "items"
		case []*jsonschema.Schema:
			r.prefix, r.prefixKeyword, r.restKeyword = c.list(items), "items", "additionalItems"
			switch additional := sch.AdditionalItems.(type) {
			case bool:
				r.rest = c.constant(r, "additionalItems", additional)
			case *jsonschema.Schema:
				r.rest = c.rule(additional)
			}
		}
	}
	r.contains, r.containsEvaluates = c.rule(sch.Contains), sch.DraftVersion >= 2020
	r.minContains, r.maxContains = count(sch.MinContains), count(sch.MaxContains)
	r.unevaluatedItems = c.rule(sch.UnevaluatedItems)
}

// link counts what leads where, once every rule is known: where references can be bound to, and which rules have more than one way in.
func (c *conversion) link(s *Schema) {
	for _, r := range c.dynamic {
		for i := range r.dynamic {
			d := &r.dynamic[i]
			d.candidates = []*rule{d.initial}
			for _, res := range c.resources {
				if to, ok := res.anchors[d.anchor]; ok && d.bound && to != d.initial {
					d.candidates = append(d.candidates, to)
				}
			}
		}
	}
	s.root.entries++
	for _, r := range s.all {
		r.each(func(to *rule) { to.entries++ })
	}
}
