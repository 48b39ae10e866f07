package inspect

import (
	"slices"
	"strings"
	"unsafe"

	"github.com/sallyport/sallyport/proxy/inspect/decode"
	"github.com/sallyport/sallyport/proxy/inspect/rules"
)

// An attack can be cut into pieces that look harmless alone: over the blocks of a response, its keys and values, or several responses of a
// session. Two things are joined, each within a limit:
//
//   - phrases and patterns: one that began in a text may continue in the next, or in the next response (matcher.open, pending);
//   - words: the end of a text and the head of the next are read as one, without a space between them (zone).
//
// Over several responses only such a match counts, one that has bytes of both. What was found inside an earlier response was weighed when
// it came and adds nothing: the verdict on a response that completes nothing is the same, whatever came before it.
const (
	maxEndings = 4        // responses of a session that are remembered
	minRest    = 5        // the least that completes an order whose first part was found: any response may begin with "Your"
	maxWhole   = 16       // of the last matches of a response, whose places are remembered
	blobZone   = 2 << 10  // bytes at the end of a text that are read again if a blob continues
	zoneRoom   = 64 << 10 // bytes that are read as one, plus twice the bytes of all texts
)

// joinedEncoding marks a finding whose text was cut into pieces.
const joinedEncoding = "joined"

// ending is how a response ended, in offsets from its end.
type ending struct {
	begun rules.Unfinished
	found []rules.Match // those with bytes of earlier responses
	tail  []byte
	cuts  []int      // of the tail, as in joint
	seam  rules.Seam // of the tail
}

func (e *ending) empty() bool { return e.begun.Size() == 0 && len(e.found) == 0 && len(e.tail) == 0 }

func cloned(endings []*ending) []*ending {
	all := make([]*ending, len(endings))
	for i, e := range endings {
		c := *e
		c.begun, c.found, c.tail, c.seam = e.begun.Clone(), slices.Clone(e.found), slices.Clone(e.tail), e.seam.Clone()
		c.cuts = slices.Clone(e.cuts)
		all[i] = &c
	}
	return all
}

func (e *ending) reset() {
	e.begun.Reset()
	e.found, e.tail, e.cuts = e.found[:0], e.tail[:0], e.cuts[:0]
}

// joint is what a weigher knows of the texts before the current one.
type joint struct {
	on      bool
	tail    []byte     // the end of the texts so far, joined without spaces
	cuts    []int      // where texts begin in the tail, after the first
	mine    int        // bytes of the tail that are of this response
	whole   [][2]int   // the last matches of this response, over the folded texts
	seam    rules.Seam // how they end
	behind  int        // bytes of the tail not counted in seam yet: most texts end where nothing can continue and need no count
	earlier []*ending  // how earlier responses ended, for the first text of this one
	zone    []byte
	room    int  // bytes that can still be read twice
	short   bool // room was not enough
}

func (j *joint) begin() {
	j.room, j.short = zoneRoom, false
	j.on, j.tail, j.cuts, j.mine, j.behind, j.earlier, j.whole = false, j.tail[:0], j.cuts[:0], 0, 0, j.earlier[:0], j.whole[:0]
	j.seam.Begin()
}

// counted is the seam after the whole tail.
func (j *joint) counted(l *rules.Literals) *rules.Seam {
	if j.behind > 0 {
		j.seam.Keep(l, unsafe.String(&j.tail[len(j.tail)-j.behind], j.behind))
		j.behind = 0
	}
	return &j.seam
}

// open reports whether the tail can continue in the next text.
func (j *joint) open() bool { return len(j.tail) > 0 && wordEnd(j.tail[len(j.tail)-1]) }

// goesOn reports whether anything before can continue in the next text.
func (j *joint) goesOn() bool { return len(j.earlier) > 0 || j.open() }

// resume makes a weigher continue where earlier responses ended. They must not change until it is done.
func (w *weigher) resume(endings []*ending) {
	w.joint.on = true
	for _, e := range endings {
		w.plain.GoOn(&e.begun)
		w.found = append(w.found, e.found...)
		if len(e.tail) > 0 {
			w.joint.earlier = append(w.joint.earlier, e)
		}
	}
}

// ending records how the inspected response ended.
func (w *weigher) ending() {
	e := w.end
	if e == nil {
		e = new(ending)
		w.end = e
	}
	e.reset()
	w.plain.Leave(&e.begun, w.stream, w.joint.whole)
	for _, p := range w.found {
		if p.Joint && !p.Before && p.Start >= w.offset-rules.Together && len(e.found) < rules.Crowd {
			p.Before, p.Start = true, p.Start-w.offset
			e.found = append(e.found, p)
		}
	}
	if j := &w.joint; j.open() && j.counted(w.of.Finder).GoesOn() {
		size := decode.Zone
		if j.seam.Run > decode.Zone/2 { // a blob may be long
			size = blobZone
		}
		from := max(0, len(j.tail)-size)
		e.tail, e.cuts = append(e.tail, j.tail[from:]...), appendCuts(e.cuts, j.cuts, -from)
		e.seam.Be(&j.seam)
	}
}

// wordEnd reports whether a word or a blob can continue after a byte.
func wordEnd(c byte) bool {
	return c >= 0x80 || rules.Wordy(decode.FoldByte(c)) || c == '+' || c == '/' || c == '%'
}

// join reads the head of a text together with the end of the texts before it, and keeps its end for the next. m is only valid if the text
// is not longer than zone.
func (w *weigher) join(text string, m *decode.Makeup, where placer) {
	j := &w.joint
	if text == "" {
		return
	}
	j.room += 2 * len(text)
	l, began, known := w.of.Finder, false, false
	var next rules.Start
	if wordEnd(text[0]) && j.goesOn() {
		next = l.StartOf(text, m)
		known = len(text) <= decode.Zone // m is valid, and the seam is counted up to here
		if j.open() && j.counted(l).Meets(l, next) {
			began = w.across(unsafe.String(unsafe.SliceData(j.tail), len(j.tail)), j.cuts, j.mine, text, where)
		}
		for _, e := range j.earlier {
			if e.seam.Meets(l, next) {
				began = w.across(unsafe.String(unsafe.SliceData(e.tail), len(e.tail)), e.cuts, 0, text, where) || began
			}
		}
	}
	if n := len(j.earlier); n > 0 {
		last := j.earlier[n-1]
		j.tail, j.cuts = append(j.tail, last.tail...), appendCuts(j.cuts, last.cuts, 0)
		j.seam.Be(&last.seam)
		j.earlier = j.earlier[:0]
	}
	kept := text[max(0, len(text)-blobZone):]
	if len(j.tail) > 0 {
		j.cuts = append(j.cuts, len(j.tail))
	}
	j.tail = append(j.tail, kept...)
	j.mine += len(kept)
	if known {
		run := next.Run
		if run < len(text) {
			run = 0
			if len(text) >= rules.ShortText {
				run = m.Blob.Trailing(len(text))
			} else {
				for decode.Base64Letters[text[len(text)-1-run]] {
					run++
				}
			}
		}
		j.seam.KeepOdd(l, text, run, next.Odd)
	} else {
		j.behind += len(kept)
	}
	if n := len(j.tail); n > 2*blobZone {
		j.tail = j.tail[:copy(j.tail, j.tail[n-blobZone:])]
		j.behind, j.mine, j.cuts = min(j.behind, blobZone), min(j.mine, blobZone), appendCuts(j.cuts[:0], j.cuts, blobZone-n)
	}
	if began { // a joined phrase may be the first part of a pattern that continues
		j.counted(l).Odd = 0
	}
}

// across looks for matches that begin in a tail, of which the last bytes are of this response, and end in a text. It reports whether a pattern began
// in what was read, in any of its views.
func (w *weigher) across(tail string, cuts []int, mine int, text string, where placer) (began bool) {
	size := decode.Zone
	if blobRun(tail, true) && blobRun(text, false) {
		size = blobZone
	}
	if w.joint.room -= 2 * size; w.joint.room < 0 {
		w.joint.room, w.joint.short = 0, true
		return true
	}
	before := max(0, len(tail)-size)
	tail, head := tail[before:], text[:min(len(text), size)]
	mine = min(mine, len(tail))
	w.joint.zone = append(append(w.joint.zone[:0], tail...), head...)
	joined := unsafe.String(unsafe.SliceData(w.joint.zone), len(w.joint.zone))
	all := []*decode.View{decode.Joined(joined)}
	if !all[0].Simple() {
		others, _ := decode.Others(all[0])
		all = append(all, others...)
	}
	for n, v := range all {
		folded := decode.Fold(v)
		w.under.Begin()
		w.under.Match(folded.Text, 0)
		began = began || w.under.Began
		for _, h := range w.under.Hits {
			start, end := folded.Span(h.Start, h.End)
			if _, last := folded.Span(h.Start, h.Last); start >= len(tail) || last <= len(tail) || end > len(tail)+len(text) {
				continue
			}
			joint := start < len(tail)-mine
			if joint && n == 0 && w.knownApart(h, start, end-len(tail), spaced(tail, cuts, before), head) {
				continue
			}
			chain := append([]string{joinedEncoding}, folded.Chain...)
			w.placed = false
			w.reportJoint(joint, w.under, h, text, where, 0, runeEnd(text, end-len(tail)), chain, strings.Clone(folded.Text[h.Start:h.End]))
		}
	}
	return began
}

// reportJoint is report for a match that may have bytes of an earlier response.
func (w *weigher) reportJoint(joint bool, m *rules.Matcher, h rules.Hit, text string, where placer, start, end int, chain []string, decoded string) *Finding {
	f := w.report(m, h, text, where, start, end, chain, decoded)
	if joint && !m.Rules[h.Rule].Floor {
		last := &w.found[len(w.found)-1]
		last.Joint = true
		if !encoded(chain) {
			last.Weight *= rules.JointWeight
		}
	}
	return f
}

// completed reports whether a match that began in an earlier response completes it. It doesn't if it began inside a match that was found
// there, and ends inside one that is found here, at a colon, or in a "The" that any response may begin with: then neither needs the other,
// and they are only neighbours ("ignore all previous", then "new instructions"). own are the matches of the current text. Nor does a name
// with an underscore complete anything.
func (w *weigher) completed(h rules.Hit, own []rules.Hit) bool {
	ends := func(o rules.Hit) bool { return o.Start >= 0 && o.Start < h.End && h.End <= o.End }
	return h.Mark != '_' && !(h.Known && (h.Mark != 0 || h.Last < minRest || slices.ContainsFunc(own, ends)))
}

// knownApart is the opposite of completed for a match that begins at a place in texts that were joined and ends at a place in the next one.
func (w *weigher) knownApart(h rules.Hit, start, end int, before spacedText, head string) bool {
	if w.apart == nil {
		w.apart = w.of.Matcher()
	}
	start = before.moved(start)
	whole, begins, ends := false, false, h.Mark != 0
	w.placesIn(before.text, func(r int32, from, to int) {
		whole = whole || r == h.Rule && from == start
		begins = begins || from <= start && start < to
	})
	w.placesIn(head, func(_ int32, from, to int) { ends = ends || from < end && end <= to })
	return whole || begins && ends
}

// placesIn finds the matches in a text by itself.
func (w *weigher) placesIn(text string, each func(rule int32, from, to int)) {
	v := decode.Fold(&decode.View{Text: text})
	w.apart.Begin()
	w.apart.Match(v.Text, 0)
	for _, h := range w.apart.Hits {
		from, to := v.Span(h.Start, h.End)
		each(h.Rule, from, to)
	}
}

// spacedText is the end of several texts with a space between them.
type spacedText struct {
	text string
	cuts []int // where the spaces were put, in the text without them
}

// spaced puts spaces where texts begin. cuts are counted from the start of a longer tail, of which from bytes are left out.
func spaced(tail string, cuts []int, from int) spacedText {
	var b strings.Builder
	s := spacedText{cuts: appendCuts(nil, cuts, -from)}
	last := 0
	for _, at := range s.cuts {
		b.WriteString(tail[last:at])
		b.WriteByte(' ')
		last = at
	}
	b.WriteString(tail[last:])
	s.text = b.String()
	return s
}

// moved is where a place of the text without spaces is.
func (s spacedText) moved(at int) int {
	for i, cut := range s.cuts {
		if cut > at {
			return at + i
		}
	}
	return at + len(s.cuts)
}

// appendCuts adds cuts moved by some bytes, without those that are no longer inside.
func appendCuts(to, cuts []int, by int) []int {
	for _, at := range cuts {
		if at+by > 0 {
			to = append(to, at+by)
		}
	}
	return to
}

// remember keeps the places of the last matches of this response.
func (j *joint) remember(hits []rules.Hit) {
	for _, h := range hits {
		if h.Start < 0 {
			continue
		}
		if len(j.whole) == maxWhole {
			j.whole = append(j.whole[:0], j.whole[1:]...)
		}
		j.whole = append(j.whole, [2]int{h.Start, h.End})
	}
}

// blobRun reports whether a text ends, or begins, with a possible piece of a blob.
func blobRun(text string, atEnd bool) bool {
	if len(text) < decode.MinBlob/2 {
		return false
	}
	part := text[:decode.MinBlob/2]
	if atEnd {
		part = text[len(text)-decode.MinBlob/2:]
	}
	for i := range len(part) {
		if !decode.Base64Letters[part[i]] && part[i] != '%' && part[i] != '&' && part[i] != ';' && part[i] != '#' && part[i] != '\\' {
			return false
		}
	}
	return true
}

// runeEnd returns the first character boundary in text at or after the given place.
func runeEnd(text string, at int) int {
	for at < len(text) && text[at]&0xc0 == 0x80 {
		at++
	}
	return at
}
