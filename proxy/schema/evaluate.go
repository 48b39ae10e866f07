package schema

import "unicode/utf8"

// evaluation applies rules to a value. Every application is counted, and all other work is paid for: what can't be paid stops it.
type evaluation struct {
	*document
	applied  int
	deep     int
	work     int
	scoped   bool
	scope    []*resource // entered on the way, the outermost first
	detailed bool        // collect all failures, not only the first
	quiet    int         // above 0, a failure is no violation yet
	failures []failure
	patterns budget
	stopped  bool
	scratch  []byte
	seen     seen
}

// failure is one assertion that does not hold, with what its message needs.
type failure struct {
	rule      *rule
	keyword   string
	below     string // pointer from the rule's to the keyword
	index     int    // of an element of the keyword's list, plus 1
	value     uint32
	got, want int
	name      string
}

func (e *evaluation) spend(n int) bool {
	if e.work -= n; e.work < 0 {
		e.stopped = true
	}
	return e.stopped
}

// collecting reports whether to go on after a failure. Where one application can fail in thousands of ways, as under a long required, it ends.
func (e *evaluation) collecting() bool {
	return e.detailed && e.quiet == 0 && !e.stopped && len(e.failures) < details
}

// fail notes a failure, unless it is none yet, and returns false.
func (e *evaluation) fail(f failure) bool {
	if e.quiet == 0 && !e.stopped && (e.detailed || len(e.failures) == 0) {
		if f.below == "" && f.rule.always == nil {
			f.below = "/" + f.keyword
		}
		e.failures = append(e.failures, f)
	}
	return false
}

// apply applies a rule to a value and reports whether the value conforms. via is the keyword that led here. What was evaluated of the value is
// added to into, if somebody asks.
func (e *evaluation) apply(r *rule, v uint32, via string, into marks) bool {
	e.applied++
	if e.spend(1) {
		return false
	}
	if r.always != nil {
		return *r.always || e.fail(failure{rule: r, keyword: via, value: v})
	}
	if !e.hasType(r, v) {
		return e.fail(failure{rule: r, keyword: "type", value: v})
	}
	if e.deep++; e.deep > maxDeep {
		e.stopped = true
		return false
	}
	depth := len(e.scope)
	if e.scoped && (depth == 0 || e.scope[depth-1] != r.resource) {
		e.scope = append(e.scope, r.resource)
	}
	evaluated := e.tracked(r, v, into)
	ok := e.all(r, v, evaluated)
	if ok && into != nil && !e.stopped {
		into.add(evaluated)
	}
	e.scope = e.scope[:depth]
	e.deep--
	return ok && !e.stopped
}

// all applies everything that a rule says but its type.
func (e *evaluation) all(r *rule, v uint32, evaluated marks) bool {
	ok := e.values(r, v)
	if ok || e.collecting() {
		ok = e.references(r, v, evaluated) && ok
	}
	if r.refOnly {
		return ok
	}
	if ok || e.collecting() {
		switch e.nodes[v].kind {
		case object:
			ok = e.object(r, v, evaluated) && ok
		case array:
			ok = e.array(r, v, evaluated) && ok
		case text:
			ok = e.string(r, v) && ok
		case number:
			ok = e.number(r, v) && ok
		}
	}
	if ok || e.collecting() {
		ok = e.logic(r, v, evaluated) && ok
	}
	if ok || e.collecting() {
		ok = e.unevaluated(r, v, evaluated) && ok
	}
	return ok
}

// tracked is where to mark what is evaluated of the value, if the rule or one above it asks.
func (e *evaluation) tracked(r *rule, v uint32, into marks) marks {
	n := &e.nodes[v]
	asked := into != nil || n.kind == object && r.unevaluatedProperties != nil || n.kind == array && r.unevaluatedItems != nil
	if !asked || n.count == 0 {
		return nil
	}
	words := int(n.count+63) / 64
	if e.spend(mark * words) {
		return nil
	}
	return make(marks, words)
}

func (e *evaluation) hasType(r *rule, v uint32) bool {
	k := e.nodes[v].kind
	if r.types == 0 || r.types.of(k) {
		return true
	}
	if k != number || r.types&wholeNumbers == 0 {
		return false
	}
	d := e.decimal(v)
	return d.integer()
}

// decimal is the value of a number, which can have millions of digits.
func (e *evaluation) decimal(v uint32) decimal {
	written := e.token(v)
	e.spend(len(written) / 4)
	d, _ := decimalOf(written)
	return d
}

// values are enum and const.
func (e *evaluation) values(r *rule, v uint32) bool {
	if r.isConst != nil && !e.has(r.isConst, v) {
		return e.fail(failure{rule: r, keyword: "const", value: v})
	}
	if r.enum != nil && !e.has(r.enum, v) {
		return e.fail(failure{rule: r, keyword: "enum", value: v})
	}
	return true
}

func (e *evaluation) references(r *rule, v uint32, evaluated marks) bool {
	ok := r.ref == nil || e.apply(r.ref, v, "$ref", evaluated)
	if d := &r.dynamic; d.initial != nil && (ok || e.collecting()) {
		ok = e.apply(e.target(d), v, d.keyword, evaluated) && ok
	}
	return ok
}

// target is where a bound reference leads from here.
func (e *evaluation) target(d *dynamicRef) *rule {
	if d.bound {
		for _, res := range e.scope {
			if e.spend(1) {
				break
			}
			if to := res.bound[d.anchor]; to != nil {
				return to
			}
		}
	}
	return d.initial
}

func (e *evaluation) string(r *rule, v uint32) bool {
	ok := true
	if r.minLength >= 0 || r.maxLength >= 0 {
		s := e.text(v)
		e.spend(len(s) / 16)
		length := utf8.RuneCountInString(s)
		ok = e.between(r, v, length, r.minLength, "minLength", r.maxLength, "maxLength")
	}
	if r.pattern != nil && (ok || e.collecting()) {
		ok = e.matches(r.pattern, e.text(v)) && ok || e.fail(failure{rule: r, keyword: "pattern", value: v})
	}
	return ok
}

func (e *evaluation) matches(p *pattern, s string) bool {
	e.spend(1 + len(s)/16)
	matches := e.patterns.match(p, s)
	if e.patterns.spent() {
		e.stopped = true
	}
	return matches
}

// between checks a number of things against its bounds.
func (e *evaluation) between(r *rule, v uint32, got, least int, atLeast string, most int, atMost string) bool {
	if least >= 0 && got < least {
		return e.fail(failure{rule: r, keyword: atLeast, value: v, got: got, want: least})
	}
	if most >= 0 && got > most {
		return e.fail(failure{rule: r, keyword: atMost, value: v, got: got, want: most})
	}
	return true
}

func (e *evaluation) number(r *rule, v uint32) bool {
	if r.minimum == nil && r.maximum == nil && r.exclusiveMinimum == nil && r.exclusiveMaximum == nil && r.multipleOf == nil {
		return true
	}
	d := e.decimal(v)
	ok := true
	for _, limit := range [...]struct {
		keyword string
		by      *bound
		holds   func(int) bool
	}{
		{"minimum", r.minimum, func(c int) bool { return c >= 0 }},
		{"maximum", r.maximum, func(c int) bool { return c <= 0 }},
		{"exclusiveMinimum", r.exclusiveMinimum, func(c int) bool { return c > 0 }},
		{"exclusiveMaximum", r.exclusiveMaximum, func(c int) bool { return c < 0 }},
	} {
		if limit.by != nil && !limit.holds(d.compare(&limit.by.decimal)) {
			if ok = e.fail(failure{rule: r, keyword: limit.keyword, value: v, name: limit.by.written}); !e.collecting() {
				return false
			}
		}
	}
	if r.multipleOf != nil {
		e.spend((1 + d.digits()/chunk) * (8 + r.multipleOf.digits()/2))
		if r.multipleOf.long != nil {
			e.spend(powers * r.multipleOf.digits())
		}
		if !e.stopped && !r.multipleOf.divides(&d) {
			ok = e.fail(failure{rule: r, keyword: "multipleOf", value: v, name: r.multipleOf.written})
		}
	}
	return ok
}
