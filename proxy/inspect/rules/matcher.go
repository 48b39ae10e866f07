package rules

import (
	"encoding/binary"
	"slices"
	"unsafe"

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
	far   int // the latest end of a pattern that began
	want  int // up to here a pattern waits for a literal of one byte
	stop  stops

	Seeks  bool            // look for secrets too
	Places []secrets.Place // possible places of secrets in the last text

	Began  bool   // a pattern began in the last text, or its only phrase is there
	Turned [2]int // words of ROT13, and words written backwards, in the last text

	pending []pending // literals unfinished at the end of the last text
	begun   int       // how many patterns began in the run
	recent  [MaxBegun]openEnd
}

func (c *Set) Matcher() *Matcher {
	return &Matcher{Set: c, open: make([][maxParts]begun, len(c.owner)), last: make([]begun, len(c.Rules)), joint: make([]begun, len(c.Rules)), run: 1}
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
	m.Hits, m.pending = m.Hits[:0], m.pending[:0]
	m.far, m.want, m.begun = -maxGap-1, -1, 0
	m.stop = stops{last: -maxGap - 1}
}

// Match adds the rules' hits in a text, whose first byte is number base of the run. Texts of a run must come in order.
func (m *Matcher) Match(text string, base int) {
	l := m.Finder
	m.stop.looked, m.Places, m.Turned, m.Began = 0, m.Places[:0], [2]int{}, false
	if len(m.pending) > 0 {
		m.resume(text, base)
	}
	inside := false // the byte before is part of a word
	for i := 0; i < len(text); i++ {
		kind := l.kind[text[i]]
		if kind&kindWordy != 0 && !inside && text[i] != '_' && i+decode.KeyLetters <= len(text) { // the usual case
			if kind&kindAlone != 0 && base+i <= m.want {
				m.literal(text, base, i, i+1, l.alone[text[i]]-1, true, false)
			}
			key, n := decode.WordKey(binary.LittleEndian.Uint64(unsafe.Slice(unsafe.StringData(text), len(text))[i:]))
			switch word, letter := l.starts.find(key); {
			case letter:
				if node := l.two(text[i], text[i+1]); node != 0 {
					m.follow(text, base, i, i+2, node, true, false)
				}
			case word == nil || i+n+1 < len(text) && text[i+n] == ' ' && word.next>>(text[i+n+1]&31)&1 == 0 && l.kind[text[i+n+1]]&kindBlank == 0:
			default:
				m.follow(text, base, i, i+n, int(word.node), true, false)
			}
			if i += n - 1; i+1 < len(text) && text[i+1] == ' ' {
				i++
				continue // nor is it inside of a word then
			}
			for inside = true; n == decode.KeyLetters && i+1 < len(text) && l.kind[text[i+1]]&(kindWordy|kindAlone|kindInside) == kindWordy; {
				i++
			}
			continue
		}
		if kind&(kindBegins|kindAlone|kindAssigns) != 0 {
			head := !inside || kind&kindWordy == 0 && text[i] != '<' // not of a generic type
			if kind&kindAlone != 0 && base+i <= m.want {
				m.literal(text, base, i, i+1, l.alone[text[i]]-1, head, false)
			}
			if kind&kindBegins != 0 && (head || kind&kindInside != 0) && i+1 < len(text) && (i+2 >= len(text) || l.begins(text[i], text[i+1], text[i+2])) {
				if node := l.two(text[i], text[i+1]); node != 0 {
					m.follow(text, base, i, i+2, node, head, false)
				}
			}
			if kind&kindAssigns != 0 && m.Seeks && i > 2 {
				before, quoted := text[i-1], false
				if quoted = before == '"' || before == '\''; quoted {
					before = text[i-2]
				}
				if l.kind[before]&kindEnds != 0 && (quoted || text[i] != ',') {
					if _, ok := secrets.NameEnd(text, i); ok {
						m.place(i, -1)
					}
				}
			}
		}
		if inside = kind&kindWordy != 0; inside { // skip to the end of the word
			for i+1 < len(text) && l.kind[text[i+1]]&(kindWordy|kindAlone|kindInside) == kindWordy {
				i++
			}
		}
	}
	if base+len(text)-m.far <= maxGap { // a pattern may continue in the next text
		m.stop.leave(l, text, base)
	}
}

// follow walks the tree in text from text[j] on, from the node of text[i:j].
func (m *Matcher) follow(text string, base, i, j, node int, head, known bool) {
	l := m.Finder
	for ; ; j++ {
		if id := l.nodes[node].literal; id != 0 && j > 0 {
			m.literal(text, base, i, j, id-1, head, known)
		}
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
	phrases := m.phrases[id]
	near := base+i-m.far <= maxGap // an open pattern may continue here
	for k := range phrases {
		p := &phrases[k]
		if p.part > 0 && !near || !head && !p.openHead || !tail && !p.openTail {
			continue
		}
		start, end, last, known := base+i, base+j, base+j, known
		if p.part > 0 {
			before := &m.open[p.pattern][p.part-1]
			if before.run != m.run || start < before.end || start-before.end > int(p.gap) || m.stop.between(l, text, base, before.end, start) {
				continue
			}
			start, known = before.start, before.known
		}
		if !p.last {
			m.open[p.pattern][p.part] = begun{start, end, m.run, known}
			m.far = end
			m.recent[m.begun%MaxBegun] = openEnd{pattern: p.pattern, after: p.after, part: p.part, reach: p.reach}
			m.begun++
			m.Began = m.Began || p.part == 0
			if p.reach {
				m.want = max(m.want, end+int(p.after))
			}
			continue
		}
		for most := min(j+MaxWord, len(text)); p.openTail && base+most > end && l.kind[text[end-base]]&l.kind[text[end-base-1]]&kindWordy != 0; {
			end++ // a finding shows whole words
		}
		m.Began = m.Began || p.part == 0
		r := m.owner[p.pattern]
		if rule := &m.Rules[r]; rule.Floor {
			from, to, ok := rule.around(text, i, j)
			if !ok {
				continue
			}
			start, end = min(start, base+from), max(end, base+to)
		}
		if from := start - base; from >= 0 && m.Rules[r].denied.protects(text, from, end-base) {
			continue
		}
		before := &m.last[r]
		if start < 0 { // begun in an earlier response: it must not hide what this one holds itself
			before = &m.joint[r]
		}
		if before.run == m.run && (before.start == start || start < before.end) {
			continue
		}
		*before = begun{start: start, end: end, run: m.run}
		hit := Hit{Rule: r, Start: start, End: end, Last: last, Known: known}
		if j-i == 1 {
			hit.Mark = text[i]
		}
		hit.Orders = m.Rules[r].leads && start >= 0 && ordersOn(text[end-base:])
		m.Hits = append(m.Hits, hit)
	}
}

// place records a possible place of a secret.
func (m *Matcher) place(at int, literal int32) {
	m.Places = append(m.Places, secrets.Place{At: int32(at), Literal: literal})
}

// stops remembers where the last sentence ended. It does not look further back than a pattern reaches.
type stops struct {
	looked int // offset in the text
	last   int // offset in the run
}

// between reports whether a sentence ends between two places. Ends must be increasing.
func (s *stops) between(l *Literals, text string, base, start, end int) bool {
	s.look(l, text, base, end)
	return s.last > start
}

// ends reports whether a sentence ends with text[i].
func (l *Literals) ends(text string, i int) bool {
	return l.kind[text[i]]&kindStop != 0 && (i+1 >= len(text) || l.kind[text[i+1]]&kindBlank != 0)
}

func (s *stops) look(l *Literals, text string, base, end int) {
	s.looked = max(s.looked, end-base-2*maxGap)
	for ; s.looked < end-base; s.looked++ {
		if l.ends(text, s.looked) {
			s.last = base + s.looked + 1
		}
	}
}

// leave looks for the last end in the rest of a text: from the end on, because only that one counts.
func (s *stops) leave(l *Literals, text string, base int) {
	for i := len(text) - 1; i >= max(s.looked, len(text)-2*maxGap); i-- {
		if l.ends(text, i) {
			s.last = base + i + 1
			return
		}
	}
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
			if b.run == m.run && b.end >= m.stop.last && end-b.end <= int(o.after) && b.end > 0 {
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
		m.open[o.pattern][o.part] = begun{o.start, o.end, m.run, o.known}
		m.far = max(m.far, o.end)
		if o.reach {
			m.want = max(m.want, o.end+int(o.after))
		}
	}
	for _, p := range u.pending {
		if len(m.pending) < maxPending {
			m.pending = append(m.pending, p)
		}
	}
}
