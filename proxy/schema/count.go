package schema

const (
	// spare is how many applications every value gets, besides one for each of its bytes.
	spare = 100_000
	// maxDeep is how many applications can be inside each other. One takes less than a kilobyte of stack.
	maxDeep = 10_000
	// Work is what counting and applying take besides: names looked up, bytes compared. A unit is about 10 ns.
	spareWork   = 20_000_000
	workPerByte = 6
	lookup      = 4  // what it takes to find a name in a table
	remember    = 40 // to remember a rule and a value
	form        = 10 // to write the canonical form of a value, for each value in it
	mark        = 6  // to mark 64 members or elements: a marking is kept while rules inside are applied, so this bounds memory
	powers      = 8  // to raise ten to a power, for each digit of a divisor that is long
)

// counting finds how often rules will be applied to a value and to what is in it, before any is.
//
// The count is never below what an evaluation does, and nearly always above: it knows the type of each value and the names in each object,
// but takes every assertion for one that holds. So every branch of an anyOf counts, every pattern of a patternProperties for every name, and
// for a reference that is bound on the way the most costly of its targets. Of then and else the more costly one counts.
//
// It is a walk of one step an application, which ends at the limit, so that it needs no memory of what a rule costs on a value: a step takes 15 ns,
// and to remember it would take 110. Only where several rules are walked of which one will be applied, the walk can be longer than the
// count, and remembers.
type counting struct {
	*document
	limit int
	total int
	work  int
	deep  int
	seen  seen
	known map[uint64]int // by rule and value
	over  bool
}

// count adds the applications that it takes to apply a rule to a value. It is over if they are too many.
func (c *counting) count(r *rule, v uint32) {
	if c.total++; c.total > c.limit || c.deep > maxDeep {
		c.over = true
	}
	if c.spend(1) || r.always != nil || !r.mayHave(c.nodes[v].kind) {
		return
	}
	c.deep++
	if r.ref != nil {
		c.count(r.ref, v)
	}
	if !r.refOnly {
		c.most(v, r.dynamic.candidates...)
		c.inside(r, v)
		c.sameValue(r, v)
	}
	c.deep--
}

// most adds the most costly of some rules, of which one will be applied.
func (c *counting) most(v uint32, rules ...*rule) {
	before, most := c.total, 0
	for _, one := range rules {
		pair := uint64(one.id)<<32 | uint64(v)
		cost, ok := c.known[pair]
		if c.spend(2 * lookup) {
			return
		}
		if !ok {
			c.spend(remember)
			if c.count(one, v); c.over {
				return
			}
			cost = c.total - before
			if c.total = before; len(rules) > 1 {
				c.known[pair] = cost
			}
		}
		most = max(most, cost)
	}
	c.total += most
}

// mayHave reports whether a value of a kind can pass the rule's type. Nothing but the type is looked at if it can't.
func (r *rule) mayHave(k kind) bool {
	return r.types == 0 || r.types.of(k) || k == number && r.types&wholeNumbers != 0
}

func (c *counting) spend(n int) bool {
	if c.work -= n; c.work < 0 {
		c.over = true
	}
	return c.over
}

func (c *counting) sameValue(r *rule, v uint32) {
	for _, list := range [...][]*rule{r.allOf, r.anyOf, r.oneOf} {
		for _, one := range list {
			if c.over {
				return
			}
			c.count(one, v)
		}
	}
	if r.not != nil {
		c.count(r.not, v)
	}
	if r.condition != nil {
		c.count(r.condition, v)
		c.most(v, r.branches...)
	}
}

func (c *counting) inside(r *rule, v uint32) {
	switch c.nodes[v].kind {
	case object:
		c.object(r, v)
	case array:
		c.array(r, v)
	}
}

func (c *counting) object(r *rule, v uint32) {
	if !r.readsMembers() {
		return
	}
	here := c.seen.open(len(r.names))
	defer c.seen.close(here)
	for key := v + 1; key < c.nodes[v].next && !c.over; key = c.nodes[key+1].next {
		if c.spend(lookup + len(r.patternProperties)) {
			return
		}
		known, named := r.names[c.text(key)]
		if named {
			c.seen.set(here, known.index)
		}
		if known.rule != nil {
			c.count(known.rule, key+1)
		}
		for _, p := range r.patternProperties {
			c.count(p.rule, key+1)
		}
		if r.propertyNames != nil {
			c.count(r.propertyNames, key)
		}
		switch {
		case known.rule != nil:
		case r.additionalProperties != nil:
			c.count(r.additionalProperties, key+1)
		case r.unevaluatedProperties != nil:
			c.count(r.unevaluatedProperties, key+1)
		}
	}
	for _, d := range r.dependentSchemas {
		if c.seen.has(here, d.trigger) {
			c.count(d.rule, v)
		}
	}
}

func (c *counting) array(r *rule, v uint32) {
	if r.prefix == nil && r.rest == nil && r.contains == nil && r.unevaluatedItems == nil {
		return
	}
	i := 0
	for child := v + 1; child < c.nodes[v].next && !c.over; child = c.nodes[child].next {
		if c.spend(1) {
			return
		}
		switch {
		case i < len(r.prefix):
			c.count(r.prefix[i], child)
		case r.rest != nil:
			c.count(r.rest, child)
		case r.unevaluatedItems != nil:
			c.count(r.unevaluatedItems, child)
		}
		if r.contains != nil {
			c.count(r.contains, child)
		}
		i++
	}
}

// circular reports whether a rule comes back to itself on the same value, whatever the value is.
func (s *Schema) circular() bool {
	const open, done = 1, 2
	state := make([]uint8, len(s.all))
	var loops func(r *rule) bool
	loops = func(r *rule) bool {
		if state[r.id] != 0 {
			return state[r.id] == open
		}
		state[r.id] = open
		found := false
		r.sameValue(func(to *rule) { found = found || loops(to) })
		state[r.id] = done
		return found
	}
	found := false
	for _, r := range s.all {
		found = found || loops(r)
	}
	return found
}
