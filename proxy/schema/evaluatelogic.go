package schema

// What rules say by other rules on the same value.

func (e *evaluation) logic(r *rule, v uint32, evaluated marks) bool {
	ok := true
	for _, one := range r.allOf {
		if !e.apply(one, v, "allOf", evaluated) {
			if ok = false; !e.collecting() {
				return false
			}
		}
	}
	if r.anyOf != nil && (ok || e.collecting()) {
		ok = e.anyOf(r, v, evaluated) && ok
	}
	if r.oneOf != nil && (ok || e.collecting()) {
		ok = e.oneOf(r, v, evaluated) && ok
	}
	if r.not != nil && (ok || e.collecting()) {
		ok = (!e.quietly(r.not, v, nil) || e.fail(failure{rule: r, keyword: "not", value: v})) && ok
	}
	if r.condition != nil && (ok || e.collecting()) {
		ok = e.condition(r, v, evaluated) && ok
	}
	return ok && !e.stopped
}

// quietly applies a rule whose failure is no violation.
func (e *evaluation) quietly(r *rule, v uint32, into marks) bool {
	e.quiet++
	ok := e.apply(r, v, "", into)
	e.quiet--
	return ok
}

func (e *evaluation) condition(r *rule, v uint32, evaluated marks) bool {
	if e.quietly(r.condition, v, evaluated) {
		return r.then == nil || e.apply(r.then, v, "then", evaluated)
	}
	return r.otherwise == nil || e.apply(r.otherwise, v, "else", evaluated)
}

func (e *evaluation) anyOf(r *rule, v uint32, evaluated marks) bool {
	a := e.alternatives(v)
	matched := false
	for _, one := range r.anyOf {
		if a.try(one, "anyOf", evaluated) {
			if matched = true; evaluated == nil {
				break
			}
		}
		if e.stopped {
			return false
		}
	}
	return a.decide(matched, failure{rule: r, keyword: "anyOf", value: v, want: len(r.anyOf)})
}

func (e *evaluation) oneOf(r *rule, v uint32, evaluated marks) bool {
	a := e.alternatives(v)
	matched := 0
	for _, one := range r.oneOf {
		if a.try(one, "oneOf", evaluated) {
			matched++
		}
		if e.stopped {
			return false
		}
		if matched > 1 {
			a.decide(true, failure{})
			return e.fail(failure{rule: r, keyword: "oneOf", value: v, got: matched, want: len(r.oneOf)})
		}
	}
	return a.decide(matched == 1, failure{rule: r, keyword: "oneOf", value: v, want: len(r.oneOf)})
}

// alternatives are the branches of an anyOf or oneOf. If none matches, the most useful thing to tell is what one of them misses, if it is clear
// which one was meant: the only one that found no fault with the value itself, but with something in it.
type alternatives struct {
	*evaluation
	value      uint32
	begin      int
	meant      [2]int // failures of the branch that was meant
	candidates int
}

func (e *evaluation) alternatives(v uint32) *alternatives {
	return &alternatives{evaluation: e, value: v, begin: len(e.failures)}
}

func (a *alternatives) try(one *rule, via string, evaluated marks) bool {
	if !a.collecting() {
		a.quiet++
		ok := a.apply(one, a.value, via, evaluated)
		a.quiet--
		return ok
	}
	from := len(a.failures)
	if a.apply(one, a.value, via, evaluated) {
		return true
	}
	for _, f := range a.failures[from:] {
		if f.value == a.value {
			return false
		}
	}
	a.candidates++
	a.meant = [2]int{from, len(a.failures)}
	return false
}

// decide leaves only the failures that count.
func (a *alternatives) decide(matched bool, none failure) bool {
	meant := a.failures[a.meant[0]:a.meant[1]]
	if matched || a.candidates != 1 || len(meant) == 0 {
		meant = nil
	}
	if a.begin <= len(a.failures) {
		a.failures = append(a.failures[:a.begin], meant...)
	}
	if matched {
		return true
	}
	if len(meant) == 0 {
		return a.fail(none)
	}
	return false
}
