package rules

import (
	"slices"
	"strings"

	"github.com/sallyport/sallyport/proxy/inspect/decode"
	"github.com/sallyport/sallyport/proxy/inspect/secrets"
)

// Hit is a match of a rule, in offsets over all texts of one matcher.
type Hit struct {
	Rule       int32
	Start, End int
	Last       int  // where its last phrase ends: a match goes on to the end of a word
	Mark       byte // its last phrase, if that is a single mark, such as a colon
	Known      bool // it began in an earlier response, inside a match that was found there
	Orders     bool // it began in this response, and an order follows it (ordersOn)
	Named      bool // it is only named, not said (named)
}

// begun is how far a pattern has matched, from where and to where, in the run in which it was written.
type begun struct {
	start, end int
	run        int
	known      bool // as in Hit
}

// Matcher is the working memory of one goroutine: clearing it for every short text would cost more than the text. Texts matched one after
// the other in one run are parts of one: a pattern may begin in one and end in the next.
type Matcher struct {
	*Set
	run   int
	open  [][maxParts]begun // by pattern
	last  []begun           // by rule: its last hit
	joint []begun           // by rule: its last hit that began before the run
	Hits  []Hit
	until []int64 // by pattern and part: up to here it may go on with that part, counted over all runs
	past  int64   // the bytes of earlier runs, for until
	read  int64   // the bytes of this run
	far   int     // the latest end of a pattern that began
	want  int     // up to here a pattern waits for a literal of one byte
	stop  int     // the last end of a sentence that counts
	ended int     // the last end of a sentence in the text, up to where it was read

	Seeks  bool            // look for secrets too
	Places []secrets.Place // possible places of secrets in the last text

	Began  bool   // a pattern began in the last text, or its only phrase is there
	Turned [2]int // words of ROT13, and words written backwards, in the last text

	pending []pending // literals unfinished at the end of the last text
	begun   int       // how many patterns began in the run
	recent  [MaxBegun]openEnd
}

func (c *Set) Matcher() *Matcher {
	return &Matcher{
		Set: c, open: make([][maxParts]begun, len(c.owner)), until: make([]int64, len(c.owner)*maxParts),
		last: make([]begun, len(c.Rules)), joint: make([]begun, len(c.Rules)), run: 1,
	}
}

// Release frees the memory that a text with many colons took.
func (m *Matcher) Release() {
	if cap(m.Places) > keptPlaces {
		m.Places = nil
	}
}

// pending is a literal that was unfinished when a text ended.
type pending struct {
	node, start int
	head, known bool
}

// keptPlaces is how many places stay allocated between responses.
const keptPlaces = 1 << 14

const maxPending = 16

// Begin starts a run: earlier texts no longer count.
func (m *Matcher) Begin() {
	m.run++
	m.past, m.read = m.past+m.read+maxGap+1, 0 // what an earlier run waits for is before this one
	m.Hits, m.pending = m.Hits[:0], m.pending[:0]
	m.far, m.want, m.begun = -maxGap-1, -1, 0
	m.stop = -maxGap - 1
}

// Match adds the rules' hits in a text, whose first byte is number base of the run. Texts of a run must come in order.
func (m *Matcher) Match(text string, base int) {
	l := m.Finder
	m.Places, m.Turned, m.Began, m.ended = m.Places[:0], [2]int{}, false, m.stop
	if len(m.pending) > 0 {
		m.resume(text, base)
	}
	inside := false // the byte before is part of a word
	for i := 0; i < len(text); i++ {
		kind := l.kind[text[i]]
		if kind&kindWordy != 0 && !inside && text[i] != '_' && len(text) >= decode.KeyLetters { // the usual case
			key, n := decode.WordKey(decode.Eight(text, i))
			if end := i + n; end < len(text) || n == decode.KeyLetters { // else a next text may go on with it
				if kind&kindAlone != 0 && base+i <= m.want {
					m.literal(text, base, i, i+1, l.alone[text[i]]-1, true, false)
				}
				if letter := l.starts.letter(key); letter|l.starts.whole(key) != 0 {
					m.word(text, base, i, n, key, letter != 0)
				}
				if end < len(text) && text[end] == ' ' {
					i = end
					continue // nor is it inside of a word then
				}
				i = end - 1
				for inside = true; n == decode.KeyLetters && i+1 < len(text) && l.kind[text[i+1]]&(kindWordy|kindAlone|kindInside) == kindWordy; {
					i++
				}
				continue
			}
		}
		if kind&(kindBegins|kindAlone|kindAssigns|kindStop) != 0 {
			m.mark(text, base, i, kind, inside)
		}
		if inside = kind&kindWordy != 0; inside { // skip to the end of the word
			for i+1 < len(text) && l.kind[text[i+1]]&(kindWordy|kindAlone|kindInside) == kindWordy {
				i++
			}
		}
	}
	if base+len(text)-m.far <= maxGap { // a pattern may continue in the next text
		m.stop = m.ended
	}
	m.read = int64(base + len(text))
}

// word looks for the literals that begin with the word at text[i], by its key of n letters. letter is true if they are looked at one by one.
func (m *Matcher) word(text string, base, i, n int, key uint64, letter bool) {
	l := m.Finder
	if letter {
		if node := l.two(text[i], text[i+1]); node != 0 {
			m.follow(text, base, i, i+2, node, true, false)
		}
		return
	}
	word := l.starts.find(key)
	if word == nil {
		return
	}
	if at := m.past + int64(base+i); word.own != 0 && (word.begins || at <= m.until[word.waits[0]] || at <= m.until[word.waits[1]]) {
		m.literal(text, base, i, i+n, word.own-1, true, false)
	}
	if word.goesOn(l, text, i+n) {
		m.goOn(text, base, i, i+n, int(word.node), true, false)
	}
}

// mark handles a byte that is not the beginning of a word, or of one that a next text may go on with.
func (m *Matcher) mark(text string, base, i int, kind uint8, inside bool) {
	l := m.Finder
	head := !inside || kind&kindWordy == 0 && text[i] != '<' // not of a generic type
	if kind&kindAlone != 0 && base+i <= m.want {
		m.literal(text, base, i, i+1, l.alone[text[i]]-1, head, false)
	}
	if kind&kindBegins != 0 && (head || kind&kindInside != 0) && i+1 < len(text) && (i+2 >= len(text) || l.begins(text[i], text[i+1], text[i+2])) {
		if node := l.two(text[i], text[i+1]); node != 0 {
			m.follow(text, base, i, i+2, node, head, false)
		}
	}
	if kind&kindAssigns != 0 && m.Seeks && i > 2 && l.assigned(text, i) {
		m.place(i, -1)
	}
	if kind&kindStop != 0 && (i+1 >= len(text) || l.kind[text[i+1]]&kindBlank != 0) {
		m.ended = base + i + 1
	}
}

// assigned reports whether a name that may be a secret's stands before text[i], after which a value may follow.
func (l *Literals) assigned(text string, i int) bool {
	before, quoted := text[i-1], false
	if quoted = before == '"' || before == '\''; quoted {
		before = text[i-2]
	}
	if l.kind[before]&kindEnds == 0 || !quoted && text[i] == ',' {
		return false
	}
	_, ok := secrets.NameEnd(text, i)
	return ok
}

// follow walks the tree in text from text[j] on, from the node of text[i:j].
func (m *Matcher) follow(text string, base, i, j, node int, head, known bool) {
	if id := m.Finder.nodes[node].literal; id != 0 && j > 0 {
		m.literal(text, base, i, j, id-1, head, known)
	}
	m.goOn(text, base, i, j, node, head, known)
}

// goOn is follow without the literal that ends at text[j].
func (m *Matcher) goOn(text string, base, i, j, node int, head, known bool) {
	l := m.Finder
	for {
		if j > 0 && l.kind[text[j-1]]&kindBlank != 0 {
			for most := j + maxBlanks; j < len(text) && j < most && l.kind[text[j]]&kindBlank != 0; {
				j++
			}
		}
		if j >= len(text) {
			if len(m.pending) < maxPending {
				m.pending = append(m.pending, pending{node, base + i, head, known})
			}
			return
		}
		if node = l.next(node, l.class[text[j]]); node == 0 {
			return
		}
		j++
		if id := l.nodes[node].literal; id != 0 {
			m.literal(text, base, i, j, id-1, head, known)
		}
	}
}

// resume continues the literals that were unfinished at the end of the last text. Two texts count as separated by a space.
func (m *Matcher) resume(text string, base int) {
	l := m.Finder
	var last [maxPending]pending
	n := copy(last[:], m.pending)
	m.pending = m.pending[:0]
	for _, p := range last[:n] {
		node := l.next(p.node, l.class[' '])
		if node == 0 && l.nodes[p.node].spaced {
			node = p.node // it already ended in a space
		}
		if node != 0 && text != "" {
			m.follow(text, base, p.start-base, 0, node, p.head, p.known)
		}
	}
}

// literal handles one literal as a part of all patterns that have it.
func (m *Matcher) literal(text string, base, i, j int, id uint16, head, known bool) {
	l := m.Finder
	tail := j == len(text) || l.kind[text[j-1]]&kindWordy == 0 || l.kind[text[j]]&kindWordy == 0
	if c := m.secret[id]; c != 0 && i >= 0 {
		switch {
		case c > 0 && m.Seeks:
			m.place(i, c-1)
		case c < 0 && head && tail:
			m.Turned[-c-1]++
		}
	}
	near := base+i-m.far <= maxGap // an open pattern may continue here
	phrases, at := m.phrases[id], m.past+int64(base+i)
	for k := range phrases {
		p := &phrases[k]
		if p.part > 0 && (at > m.until[p.slot()] || !near) || !head && !p.openHead || !tail && !p.openTail {
			continue
		}
		start, known := base+i, known
		if p.part > 0 {
			before := &m.open[p.pattern][p.part-1]
			if before.run != m.run || start < before.end || start-before.end > int(p.gap) || m.stopped(before.end) {
				continue
			}
			start, known = before.start, before.known
		}
		m.Began = m.Began || p.part == 0
		if p.last {
			m.hit(text, base, i, j, p, start, known)
			continue
		}
		m.begin(p, begun{start, base + j, m.run, known})
	}
}

// begin records how far a pattern has matched: up to a phrase that is not its last.
func (m *Matcher) begin(p *phrase, b begun) {
	m.setOpen(int(p.pattern), int(p.part), b, int(p.after), p.reach)
	m.far = b.end
	m.recent[m.begun%MaxBegun] = openEnd{pattern: int32(p.pattern), after: int32(p.after), part: int8(p.part), reach: p.reach}
	m.begun++
}

// setOpen is what begin and GoOn have in common. after is the distance to the next part, and reach says that it is of one byte.
func (m *Matcher) setOpen(pattern, part int, b begun, after int, reach bool) {
	m.open[pattern][part] = b
	m.until[pattern*maxParts+part+1] = m.past + int64(b.end+after)
	if reach {
		m.want = max(m.want, b.end+after)
	}
}

// hit adds the hit of a pattern whose last phrase is text[i:j].
func (m *Matcher) hit(text string, base, i, j int, p *phrase, start int, known bool) {
	l, last := m.Finder, base+j
	if text[j-1] == ']' && linksOn(text[j:]) {
		return
	}
	end := last
	for most := min(j+MaxWord, len(text)); p.openTail && base+most > end && l.kind[text[end-base]]&l.kind[text[end-base-1]]&kindWordy != 0; {
		end++ // a finding shows whole words
	}
	r := m.owner[p.pattern]
	if rule := &m.Rules[r]; rule.Floor {
		from, to, ok := rule.around(text, i, j)
		if !ok {
			return
		}
		start, end = min(start, base+from), max(end, base+to)
	}
	if from := start - base; from >= 0 && m.Rules[r].denied.protects(text, from, end-base) {
		return
	}
	before := &m.last[r]
	if start < 0 { // begun in an earlier response: it must not hide what this one holds itself
		before = &m.joint[r]
	}
	if before.run == m.run && (before.start == start || start < before.end) {
		return
	}
	*before = begun{start: start, end: end, run: m.run}
	hit := Hit{Rule: r, Start: start, End: end, Last: last, Known: known}
	if j-i == 1 {
		hit.Mark = text[i]
	}
	if m.Rules[r].leads && start >= 0 {
		hit.Orders, hit.Named = ordersOn(text[end-base:]), named(text, start-base, end-base)
	}
	m.Hits = append(m.Hits, hit)
}

// linksOn reports whether what follows square brackets makes a link of them (CommonMark 0.31, 6.3), with an address that a document has in it: what they
// hold is its text then.
func linksOn(rest string) bool {
	if len(rest) < 3 || rest[0] != '(' {
		return false
	}
	return rest[1] == '#' || rest[1] == '/' || rest[1] == '.' || strings.HasPrefix(rest[1:], "http")
}

// place records a possible place of a secret.
func (m *Matcher) place(at int, literal int32) {
	m.Places = append(m.Places, secrets.Place{At: int32(at), Literal: literal})
}

// stopped reports whether a sentence ends between a place and where the text is being read.
func (m *Matcher) stopped(from int) bool {
	m.stop = m.ended
	return m.stop > from
}

// MaxBegun is how many open patterns are remembered.
const MaxBegun = 16

// openEnd is a pattern that had begun.
type openEnd struct {
	pattern, after int32
	part           int8
	reach, known   bool
	start, end     int
}

// Unfinished is what was open when a matcher reached the end of its texts, in offsets from there.
type Unfinished struct {
	open    []openEnd
	pending []pending
}

func (u *Unfinished) Size() int { return len(u.open) + len(u.pending) }

func (u *Unfinished) Reset() { u.open, u.pending = u.open[:0], u.pending[:0] }

func (u *Unfinished) Clone() Unfinished {
	return Unfinished{open: slices.Clone(u.open), pending: slices.Clone(u.pending)}
}

// Leave adds the open patterns that can still continue after end, where the last text of the run ended. found are the last matches of the
// run, as places.
func (m *Matcher) Leave(u *Unfinished, end int, found [][2]int) {
	known := func(start int) bool {
		return slices.ContainsFunc(found, func(at [2]int) bool { return at[0] <= start && start < at[1] })
	}

	if end-m.far <= maxGap {
		for i := max(0, m.begun-MaxBegun); i < m.begun; i++ {
			o := m.recent[i%MaxBegun]
			b := m.open[o.pattern][o.part]
			if b.run == m.run && b.end >= m.stop && end-b.end <= int(o.after) && b.end > 0 {
				o.start, o.end, o.known = b.start-end, b.end-end, b.known || known(b.start)
				u.open = append(u.open, o)
			}
		}
	}
	for _, p := range m.pending {
		p.known = p.known || known(p.start)
		p.start -= end
		u.pending = append(u.pending, p)
	}
}

// GoOn starts a run with what earlier texts left open.
func (m *Matcher) GoOn(u *Unfinished) {
	for _, o := range u.open {
		m.setOpen(int(o.pattern), int(o.part), begun{o.start, o.end, m.run, o.known}, int(o.after), o.reach)
		m.far = max(m.far, o.end)
	}
	for _, p := range u.pending {
		if len(m.pending) < maxPending {
			m.pending = append(m.pending, p)
		}
	}
}
