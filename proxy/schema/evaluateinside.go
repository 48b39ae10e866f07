package schema

// What rules say about the members of an object and the elements of an array.

// readsMembers reports whether a rule looks at the members of an object at all.
func (r *rule) readsMembers() bool {
	return len(r.names) > 0 || r.patternProperties != nil || r.additionalProperties != nil || r.propertyNames != nil || r.unevaluatedProperties != nil
}

func (e *evaluation) object(r *rule, v uint32, evaluated marks) bool {
	n := &e.nodes[v]
	ok := e.between(r, v, int(n.count), r.minProperties, "minProperties", r.maxProperties, "maxProperties")
	if !ok && !e.collecting() || !r.readsMembers() {
		return ok
	}
	here := e.seen.open(len(r.names))
	defer func() { e.seen.close(here) }()
	if e.spend(len(r.names) / 8) {
		return false
	}
	for key, i := v+1, 0; key < n.next; key, i = e.nodes[key+1].next, i+1 {
		if !e.member(r, key, i, here, evaluated) {
			if ok = false; !e.collecting() {
				return false
			}
		}
	}
	return e.present(r, v, here, evaluated) && ok
}

// member applies what a rule says about one member.
func (e *evaluation) member(r *rule, key uint32, i, here int, evaluated marks) bool {
	property := e.text(key)
	if e.spend(lookup + len(property)/16) {
		return false
	}
	ok, found := true, false
	if known, named := r.names[property]; named {
		e.seen.set(here, known.index)
		if known.rule != nil {
			found = true
			ok = e.apply(known.rule, key+1, "properties", nil)
		}
	}
	for _, p := range r.patternProperties {
		if (ok || e.collecting()) && e.matches(p.pattern, property) {
			found = true
			ok = e.apply(p.rule, key+1, "patternProperties", nil) && ok
		}
	}
	if !found && r.additionalProperties != nil && !e.stopped {
		found = true
		ok = e.apply(r.additionalProperties, key+1, "additionalProperties", nil)
	}
	if found {
		evaluated.set(i)
	}
	if r.propertyNames != nil && (ok || e.collecting()) {
		ok = e.apply(r.propertyNames, key, "propertyNames", nil) && ok
	}
	return ok
}

// present checks what depends on which members an object has.
func (e *evaluation) present(r *rule, v uint32, here int, evaluated marks) bool {
	if e.spend(len(r.required) / 4) {
		return false
	}
	ok := e.allPresent(r, v, here, r.required, "required", "/required")
	for _, d := range r.dependentRequired {
		if !ok && !e.collecting() {
			return false
		}
		if e.seen.has(here, d.trigger) {
			e.spend(len(d.names))
			ok = e.allPresent(r, v, here, d.names, d.keyword, d.below) && ok
		}
	}
	for _, d := range r.dependentSchemas {
		if !ok && !e.collecting() {
			return false
		}
		if e.seen.has(here, d.trigger) {
			ok = e.apply(d.rule, v, d.keyword, evaluated) && ok
		}
	}
	return ok
}

func (e *evaluation) allPresent(r *rule, v uint32, here int, names []requirement, keyword, below string) bool {
	ok := true
	for i, required := range names {
		if !e.seen.has(here, required.index) {
			if ok = e.fail(failure{rule: r, keyword: keyword, below: below, index: i + 1, value: v, name: required.name}); !e.collecting() {
				return false
			}
		}
	}
	return ok
}

func (e *evaluation) array(r *rule, v uint32, evaluated marks) bool {
	n := &e.nodes[v]
	ok := e.between(r, v, int(n.count), r.minItems, "minItems", r.maxItems, "maxItems")
	if !ok && !e.collecting() {
		return false
	}
	if r.uniqueItems && e.duplicate(v) {
		if ok = e.fail(failure{rule: r, keyword: "uniqueItems", value: v}); !e.collecting() {
			return false
		}
	}
	if r.prefix != nil || r.rest != nil {
		child := v + 1
		for i := 0; child < n.next && (i < len(r.prefix) || r.rest != nil); i++ {
			one, via := r.rest, r.restKeyword
			if i < len(r.prefix) {
				one, via = r.prefix[i], r.prefixKeyword
			}
			evaluated.set(i)
			if !e.apply(one, child, via, nil) {
				if ok = false; !e.collecting() {
					return false
				}
			}
			child = e.nodes[child].next
		}
	}
	if r.contains != nil {
		ok = e.contains(r, v, evaluated) && ok
	}
	return ok
}

func (e *evaluation) contains(r *rule, v uint32, evaluated marks) bool {
	matched := 0
	e.quiet++
	for child, i := v+1, 0; child < e.nodes[v].next && !e.stopped; child, i = e.nodes[child].next, i+1 {
		if e.apply(r.contains, child, "contains", nil) {
			matched++
			if r.containsEvaluates {
				evaluated.set(i)
			}
		}
	}
	e.quiet--
	if r.minContains < 0 && matched == 0 {
		return e.fail(failure{rule: r, keyword: "contains", value: v})
	}
	return e.between(r, v, matched, r.minContains, "minContains", r.maxContains, "maxContains")
}

// unevaluated applies a rule to what nothing else on the same value was applied to.
func (e *evaluation) unevaluated(r *rule, v uint32, evaluated marks) bool {
	n := &e.nodes[v]
	ok := true
	switch {
	case n.kind == object && r.unevaluatedProperties != nil:
		for key, i := v+1, 0; key < n.next; key, i = e.nodes[key+1].next, i+1 {
			if e.spend(1) {
				return false
			}
			if !evaluated.has(i) && !e.apply(r.unevaluatedProperties, key+1, "unevaluatedProperties", nil) {
				if ok = false; !e.collecting() {
					return false
				}
			}
		}
		evaluated.all()
	case n.kind == array && r.unevaluatedItems != nil:
		for child, i := v+1, 0; child < n.next; child, i = e.nodes[child].next, i+1 {
			if e.spend(1) {
				return false
			}
			if !evaluated.has(i) && !e.apply(r.unevaluatedItems, child, "unevaluatedItems", nil) {
				if ok = false; !e.collecting() {
					return false
				}
			}
		}
		evaluated.all()
	}
	return ok
}
