package decode

import (
	"strings"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// veiled removes what disguises an encoding: invisible characters between its letters, letters of another script, other forms of them.
// Rules read folded text, but decoders read it raw: without this, one such character would hide a blob. It changes only text that may be
// encoded, and keeps case.
func veiled(v *View) *View {
	text := v.Text
	w, name, seen := weaver{src: v}, "", 0
	for i := afterASCII(text, 0); i < len(text); i = afterASCII(text, i) {
		r, size := utf8.DecodeRuneInString(text[i:])
		if _, is := uncovered(r); is == coverNone {
			i += size
			continue
		}
		run := coveredRun(text, seen, i)
		seen = run.next
		if run.cover != coverNone && (run.letters >= MinBlob || run.alone >= minSpaced) {
			w.uncover(run)
			if name == "" || run.cover == coverHidden {
				name = coverNames[run.cover]
			}
		}
		i = max(seen, i+size)
	}
	return w.rest(name)
}

// cover is how a character disguises another.
type cover uint8

const (
	coverNone cover = iota
	coverPlain
	coverAlike
	coverForm
	coverHidden // it stands for no character
)

var coverNames = [...]string{coverAlike: LookalikeEncoding, coverForm: CompatibilityEncoding, coverHidden: InvisibleEncoding}

// codedMarks are the characters of encodings, besides the letters of base64.
const codedMarks = "&#;%\\={}"

// uncovered is the encoding's character that r stands for.
func uncovered(r rune) (byte, cover) {
	if r < utf8.RuneSelf {
		if Base64Letters[r] || strings.IndexByte(codedMarks, byte(r)) >= 0 {
			return byte(r), coverPlain
		}
		return 0, coverNone
	}
	f := formOf(r)
	is := coverNone
	switch {
	case f.is&formHidden != 0, f.to == "": // or a mark over the letter before
		return 0, coverHidden
	case f.alike != 0:
		r, is = f.alike, coverAlike
	case r >= 0xff01 && r <= 0xff5e:
		r, is = r-0xff01+'!', coverForm
	case f.is&formCompatible != 0 && len(f.to) == 1: // f.to is in lower case, but a blob has both cases
		p := norm.NFKD.PropertiesString(string(r)).Decomposition()
		if len(p) != 1 {
			return 0, coverNone
		}
		r, is = rune(p[0]), coverForm
	default:
		return 0, coverNone
	}
	if b, plain := uncovered(r); r < utf8.RuneSelf && plain == coverPlain {
		return b, is
	}
	return 0, coverNone
}

// covered is a part of a text that may be encoded.
type covered struct {
	start, end int
	next       int   // where the search continues: no byte is read twice
	letters    int   // without spaces between them
	alone      int   // isolated ones in a row
	cover      cover // the strongest disguise between letters
}

func apartByte(c byte) bool { return c == ' ' || c == '.' || c == '*' } // '-' and '_' are letters of base64url

// coveredRun is the part around text[i], not before low.
func coveredRun(text string, low, i int) covered {
	start := i
	for start > low {
		c := text[start-1]
		_, is := uncovered(rune(c))
		if c < utf8.RuneSelf && is == coverPlain || apartByte(c) && start-2 >= low && wordByte(text[start-2]) && (start-3 < low || !wordByte(text[start-3])) {
			start--
			continue
		}
		break
	}
	run := covered{start: start, end: start}
	word, longest, alone, gap := 0, 0, 0, 0
	pending := coverNone // hidden characters after the last letter
	at := start
	for at < len(text) {
		r, size := utf8.DecodeRuneInString(text[at:])
		_, is := uncovered(r)
		if is == coverNone {
			if r >= utf8.RuneSelf || !apartByte(byte(r)) || word > 1 || gap == 3 {
				break
			}
			if gap++; word == 1 {
				alone++
			}
			run.alone, word = max(run.alone, alone), 0
			at += size
			continue
		}
		at += size
		if is == coverHidden {
			if longest > 0 {
				pending = coverHidden
			}
			continue
		}
		gap = 0
		word++
		if word == 2 {
			alone = 0
		}
		longest = max(longest, word)
		run.cover = max(run.cover, pending)
		if is != coverPlain {
			run.cover = max(run.cover, is)
		}
		pending = coverNone
		run.end = at
	}
	if word == 1 {
		run.alone = max(run.alone, alone+1)
	}
	run.letters, run.next = longest, at
	return run
}

// uncover replaces a run with what it stands for.
func (w *weaver) uncover(run covered) {
	text := w.src.Text
	for i := run.start; i < run.end; {
		r, size := utf8.DecodeRuneInString(text[i:])
		switch b, is := uncovered(r); is {
		case coverAlike, coverForm:
			w.replace(byteText(b), i, i+size)
		case coverHidden:
			w.cut(i, i+size)
		}
		i += size
	}
}

// afterASCII is the place of the next non-ASCII character.
func afterASCII(text string, from int) int {
	for ; from < len(text); from++ {
		if text[from] >= utf8.RuneSelf {
			return from
		}
	}
	return len(text)
}
