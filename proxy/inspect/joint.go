package inspect

import (
	"slices"
	"strings"
	"unsafe"

	"github.com/sallyport/sallyport/proxy/inspect/decode"
	"github.com/sallyport/sallyport/proxy/inspect/rules"
)

// An order may be cut in pieces that say nothing by themselves: over the blocks of an answer, its keys and values, or several
// answers of a session. Three things are joined, each within a bound:
//
//   - phrases and patterns: one that began in a text may go on in the next, or in the next answer (matcher.open, pending);
//   - words: the end of a text and the head of the next are read as one, without a space between them (zone);
//   - weights: what was found near the end of an answer is weighed with what is found at the head of the next.
const (
	maxEndings = 4        // answers of a session that are remembered
	blobZone   = 2 << 10  // the same, where a blob goes on
	zoneRoom   = 64 << 10 // bytes that are read as one, and twice as many as there are in all texts
)

// joinedEncoding names, in a finding, that it was cut in pieces.
const joinedEncoding = "joined"

// ending is how an answer ended, in offsets from its end.
type ending struct {
	begun rules.Unfinished
	found []rules.Match
	tail  []byte
	seam  rules.Seam // of the tail
}

func (e *ending) empty() bool { return e.begun.Size() == 0 && len(e.found) == 0 && len(e.tail) == 0 }

// cloned are endings that nobody else has.
func cloned(endings []*ending) []*ending {
	all := make([]*ending, len(endings))
	for i, e := range endings {
		c := *e
		c.begun, c.found, c.tail, c.seam = e.begun.Clone(), slices.Clone(e.found), slices.Clone(e.tail), e.seam.Clone()
		all[i] = &c
	}
	return all
}

func (e *ending) reset() {
	e.begun.Reset()
	e.found, e.tail = e.found[:0], e.tail[:0]
}

// joint is what a weigher knows of the texts before the one it looks at.
type joint struct {
	on      bool
	tail    []byte     // the end of the texts so far, without a space between them
	seam    rules.Seam // how they end,
	behind  int        // but for the last bytes of the tail: most texts end where nothing can go on, and need not be counted
	earlier []*ending  // how answers before ended, for the first text of this one
	zone    []byte
	room    int  // bytes that may still be read twice
	short   bool // it was not enough
}

func (j *joint) begin() {
	j.room, j.short = zoneRoom, false
	j.on, j.tail, j.behind, j.earlier = false, j.tail[:0], 0, j.earlier[:0]
	j.seam.Begin()
}

// counted is the seam after all of the tail.
func (j *joint) counted(l *rules.Literals) *rules.Seam {
	if j.behind > 0 {
		j.seam.Keep(l, unsafe.String(&j.tail[len(j.tail)-j.behind], j.behind))
		j.behind = 0
	}
	return &j.seam
}

// open says that the tail may go on in the next text.
func (j *joint) open() bool { return len(j.tail) > 0 && wordEnd(j.tail[len(j.tail)-1]) }

// goesOn says that what stands before may go on in the next text.
func (j *joint) goesOn() bool { return len(j.earlier) > 0 || j.open() }

// resume makes a weigher go on where earlier answers ended. They must stay as they are until it has come to its own end.
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

// ending notes how the answer ended that was looked at.
func (w *weigher) ending() {
	e := w.end
	if e == nil {
		e = new(ending)
		w.end = e
	}
	e.reset()
	w.plain.Leave(&e.begun, w.stream)
	for _, p := range w.found {
		if !p.Before && p.Start >= w.offset-rules.Together && len(e.found) < rules.Crowd {
			p.Before, p.Start = true, p.Start-w.offset
			e.found = append(e.found, p)
		}
	}
	if j := &w.joint; j.open() && j.counted(w.of.Finder).GoesOn() {
		size := decode.Zone
		if j.seam.Run > decode.Zone/2 { // a blob may be long
			size = blobZone
		}
		e.tail = append(e.tail, j.tail[max(0, len(j.tail)-size):]...)
		e.seam.Be(&j.seam)
	}
}

// wordEnd says that a word, or a blob, may go on after a byte.
func wordEnd(c byte) bool {
	return c >= 0x80 || rules.Wordy(decode.FoldByte(c)) || c == '+' || c == '/' || c == '%'
}

// join reads the head of a text as one with what stands before it, and keeps its end for what comes after.
// What is known of the text is only known where it is not longer than zone.
func (w *weigher) join(text string, m *decode.Makeup, where placer) {
	j := &w.joint
	if text == "" {
		return
	}
	j.room += 2 * len(text)
	l, read, known := w.of.Finder, false, false
	var next rules.Start
	if wordEnd(text[0]) && j.goesOn() {
		next = l.StartOf(text, m)
		known = len(text) <= decode.Zone // what it is like, and the seam is counted up to here
		if j.open() && j.counted(l).Meets(l, next) {
			w.across(unsafe.String(unsafe.SliceData(j.tail), len(j.tail)), text, where)
			read = true
		}
		for _, e := range j.earlier {
			if e.seam.Meets(l, next) {
				w.across(unsafe.String(unsafe.SliceData(e.tail), len(e.tail)), text, where)
				read = true
			}
		}
	}
	if n := len(j.earlier); n > 0 {
		last := j.earlier[n-1]
		j.tail = append(j.tail, last.tail...)
		j.seam.Be(&last.seam)
		j.earlier = j.earlier[:0]
	}
	kept := text[max(0, len(text)-blobZone):]
	j.tail = append(j.tail, kept...)
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
		j.behind = min(j.behind, blobZone)
	}
	if read { // a phrase that was put together here may be the first of a pattern that goes on
		j.counted(l).Odd = 0
	}
}

// across looks for what begins in a tail and ends in a text.
func (w *weigher) across(tail, text string, where placer) {
	size := decode.Zone
	if blobRun(tail, true) && blobRun(text, false) {
		size = blobZone
	}
	if w.joint.room -= 2 * size; w.joint.room < 0 {
		w.joint.room, w.joint.short = 0, true
		return
	}
	tail, head := tail[max(0, len(tail)-size):], text[:min(len(text), size)]
	w.joint.zone = append(append(w.joint.zone[:0], tail...), head...)
	joined := unsafe.String(unsafe.SliceData(w.joint.zone), len(w.joint.zone))
	all := []*decode.View{{Text: joined}}
	if !all[0].Simple() {
		all, _ = decode.Views(all[0])
	}
	for _, v := range all {
		folded := decode.Fold(v)
		w.under.Begin()
		w.under.Match(folded.Text, 0)
		for _, h := range w.under.Hits {
			start, end := folded.Span(h.Start, h.End)
			if start >= len(tail) || end <= len(tail) || end > len(tail)+len(text) {
				continue
			}
			chain := append([]string{joinedEncoding}, folded.Chain...)
			w.placed = false
			w.take(w.under, h, text, where, 0, runeEnd(text, end-len(tail)), chain, strings.Clone(folded.Text[h.Start:h.End]))
		}
	}
}

// blobRun says whether a text ends, or begins, with what may be a piece of a blob.
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

// runeEnd is a place in text, at or after the given one, where no character is cut.
func runeEnd(text string, at int) int {
	for at < len(text) && text[at]&0xc0 == 0x80 {
		at++
	}
	return at
}
