package inspect

import (
	"slices"
	"strings"
	"unsafe"

	"github.com/sallyport/sallyport/proxy/inspect/decode"
	"github.com/sallyport/sallyport/proxy/inspect/rules"
)

// An attack can be cut into pieces that look harmless alone: over the blocks of a response, its keys and values, or several responses of a
// session. Three things are joined, each within a limit:
//
//   - phrases and patterns: one that began in a text may continue in the next, or in the next response (matcher.open, pending);
//   - words: the end of a text and the head of the next are read as one, without a space between them (zone);
//   - weights: matches near the end of a response are weighed together with those at the head of the next.
const (
	maxEndings = 4        // responses of a session that are remembered
	blobZone   = 2 << 10  // the same, if a blob continues
	zoneRoom   = 64 << 10 // bytes that are read as one, plus twice the bytes of all texts
)

// joinedEncoding marks a finding whose text was cut into pieces.
const joinedEncoding = "joined"

// ending is how a response ended, in offsets from its end.
type ending struct {
	begun rules.Unfinished
	found []rules.Match
	tail  []byte
	seam  rules.Seam // of the tail
}

func (e *ending) empty() bool { return e.begun.Size() == 0 && len(e.found) == 0 && len(e.tail) == 0 }

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

// joint is what a weigher knows of the texts before the current one.
type joint struct {
	on      bool
	tail    []byte     // the end of the texts so far, joined without spaces
	seam    rules.Seam // how they end
	behind  int        // bytes of the tail not counted in seam yet: most texts end where nothing can continue and need no count
	earlier []*ending  // how earlier responses ended, for the first text of this one
	zone    []byte
	room    int  // bytes that can still be read twice
	short   bool // room was not enough
}

func (j *joint) begin() {
	j.room, j.short = zoneRoom, false
	j.on, j.tail, j.behind, j.earlier = false, j.tail[:0], 0, j.earlier[:0]
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
	l, read, known := w.of.Finder, false, false
	var next rules.Start
	if wordEnd(text[0]) && j.goesOn() {
		next = l.StartOf(text, m)
		known = len(text) <= decode.Zone // m is valid, and the seam is counted up to here
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
	if read { // a joined phrase may be the first part of a pattern that continues
		j.counted(l).Odd = 0
	}
}

// across looks for matches that begin in a tail and end in a text.
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
			w.report(w.under, h, text, where, 0, runeEnd(text, end-len(tail)), chain, strings.Clone(folded.Text[h.Start:h.End]))
		}
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
