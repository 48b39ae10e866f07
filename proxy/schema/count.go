package schema

const (
	// spare is how many applications every value gets, besides one for each of its bytes.
	spare = 100_000
	// maxDeep is how many applications can be inside each other. One takes less than a kilobyte of stack.
	maxDeep = 10_000
	// Work is what counting and applying take besides: names looked up, bytes compared. A unit is about 10 ns.
	spareWork   = 20_000_000
	workPerByte = 6
	lookup      = 4 // what it takes to find a name in a table
)

// counting finds how often rules will be applied to a value and to what is in it, before any is.
//
// The count is never below what an evaluation does, and nearly always above: it knows the type of each value and the names in each object,
// but takes every assertion for one that holds. So every branch of an anyOf counts, every pattern of a patternProperties for every name, and
// for a reference that is bound on the way the most costly of its targets. Of then and else the more costly one counts.
//
// What a rule costs on a value depends on the two alone, so it is counted once for each pair, however many ways lead there. A rule with one
// way in needs no memory: each of its pairs is met once for a pair that is itself counted once. A count can be too large to be
// finished, but each pair and each way to it stands for at least one application, so that the walk is over as soon as it has met
// more of them than the limit.
type counting struct {
	*document
	limit  int
	work   int
	deep   int
	pairs  map[uint64]int
	simple []int // counts for values with nothing in them, by rule and kind
	seen   seen
	over   bool
}

// unfinished marks a pair that is being counted. To meet it again means that the rule comes back to the same value without end.
const unfinished = -1

// count returns how many applications it takes to apply a rule to a value, or over.
func (c *counting) count(r *rule, v uint32) int {
	if c.spend(1) {
		return 0
	}
	n := &c.nodes[v]
	if r.always != nil || !r.mayHave(n.kind) {
		return 1
	}
	if r.entries < 2 {
		return c.once(r, v)
	}
	if n.count == 0 {
		known := &c.simple[r.id*kinds+int(n.kind)]
		if *known == 0 {
			*known = unfinished
			*known = c.once(r, v)
		}
		return c.met(*known)
	}
	pair := uint64(r.id)<<32 | uint64(v)
	known, ok := c.pairs[pair]
	if !ok {
		c.pairs[pair] = unfinished
		known = c.once(r, v)
		c.pairs[pair] = known
	}
	return c.met(known)
}

func (c *counting) met(known int) int {
	if known == unfinished {
		c.over = true
		return 0
	}
	return known
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

// once counts a pair that is not known.
func (c *counting) once(r *rule, v uint32) int {
	if c.deep++; c.deep > maxDeep {
		c.over = true
	}
	defer func() { c.deep-- }()
	total := 1
	add := func(n int) {
		if total += n; total > c.limit {
			c.over = true
		}
	}
	if r.ref != nil {
		add(c.count(r.ref, v))
	}
	if r.refOnly {
		return total
	}
	if r.dynamic.initial != nil {
		most := 0
		for _, to := range r.dynamic.candidates {
			most = max(most, c.count(to, v))
		}
		add(most)
	}
	switch c.nodes[v].kind {
	case object:
		c.object(r, v, add)
	case array:
		c.array(r, v, add)
	}
	for _, list := range [...][]*rule{r.allOf, r.anyOf, r.oneOf} {
		for _, one := range list {
			if c.over {
				return total
			}
			add(c.count(one, v))
		}
	}
	if r.not != nil {
		add(c.count(r.not, v))
	}
	if r.condition != nil {
		most := 0
		for _, one := range [...]*rule{r.then, r.otherwise} {
			if one != nil {
				most = max(most, c.count(one, v))
			}
		}
		add(c.count(r.condition, v) + most)
	}
	return total
}

func (c *counting) object(r *rule, v uint32, add func(int)) {
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
			add(c.count(known.rule, key+1))
		}
		for _, p := range r.patternProperties {
			add(c.count(p.rule, key+1))
		}
		if r.propertyNames != nil {
			add(c.count(r.propertyNames, key))
		}
		switch {
		case known.rule != nil:
		case r.additionalProperties != nil:
			add(c.count(r.additionalProperties, key+1))
		case r.unevaluatedProperties != nil:
			add(c.count(r.unevaluatedProperties, key+1))
		}
	}
	for _, d := range r.dependentSchemas {
		if c.seen.has(here, d.trigger) {
			add(c.count(d.rule, v))
		}
	}
}

func (c *counting) array(r *rule, v uint32, add func(int)) {
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
			add(c.count(r.prefix[i], child))
		case r.rest != nil:
			add(c.count(r.rest, child))
		case r.unevaluatedItems != nil:
			add(c.count(r.unevaluatedItems, child))
		}
		if r.contains != nil {
			add(c.count(r.contains, child))
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
