package inspect

import (
	"encoding/base64"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/sallyport/sallyport/proxy/frame"
	"github.com/sallyport/sallyport/proxy/inspect/legible"
)

// blobEncoding names, in a finding, that it stands in a file that the protocol sends as base64.
const blobEncoding = "base64_content"

const (
	blobSample  = 4 << 10 // characters by which it is seen whether a blob is text
	maxUnlooked = 8       // blobs that are named
)

// blobs are those of an answer that are no text.
type blobs struct {
	named []string
	more  int
}

// read takes one string of an answer, or of a definition.
func (w *weigher) read(r *reading, text string, key bool) {
	if w.place == Metadata {
		w.add(text, r)
		return
	}
	if !key && (r.key("blob") || r.key("data")) && len(text) >= minBlob && w.content(r, text) {
		return
	}
	if w.plain.seeks = w.secret.on; w.plain.seeks {
		w.member.take(r, text, key)
	}
	if key && word(text) { // a name: it is no part of what is said before and after it
		w.name(text, r)
		return
	}
	known := false
	if w.joint.on && !key && r.spoken() {
		if known = len(text) <= zone && len(text) >= shortText && w.joint.goesOn(); known {
			w.makeup = makeupOf(text)
		}
		w.join(text, &w.makeup, r)
		if len(text) < minText && text != "" {
			w.short(text, r)
			return
		}
	}
	if known {
		w.asIs = view{text: text, marks: w.makeup.marks, marked: true, whole: !w.makeup.holds(text)}
		w.addView(text, &w.asIs, r)
		return
	}
	w.add(text, r)
}

// name looks at the name of a member. Rows of a table have the same ones over and over: those in which nothing was found are
// remembered.
func (w *weigher) name(text string, r *reading) {
	if w.placed = false; len(text) < minText {
		return
	}
	seeks := w.secret.on && len(text) >= minForm
	var known *harmless
	if len(text) <= len(known.text) {
		known = &w.names[(int(text[0])+int(text[len(text)-1])<<2+len(text)<<4)%len(w.names)]
		if string(known.text[:known.size]) == text && (known.secrets || !seeks) {
			return
		}
	}
	v := view{text: text}
	w.under.seeks = seeks
	w.beneath(text, &v, r, nil)
	w.under.seeks = false
	secret := seeks && (len(w.under.places) > 0 || w.secret.strict) && w.hold(w.under, text, &v, r)
	if known != nil && len(w.under.hits) == 0 && !secret {
		known.size, known.secrets = copy(known.text[:], text), seeks
	}
}

// harmless is the name of a member in which nothing is found.
type harmless struct {
	size    int
	secrets bool // they were looked for too
	text    [24]byte
}

// spoken says whether a string is what a client shows its model as text, and not one of many values.
func (r *reading) spoken() bool {
	return r.key("text") || len(r.stack) == 0 || r.stack[len(r.stack)-1].array
}

// content looks at a blob (a resource's "blob", the "data" of an image or a sound): if it is text, at what it says, else it is
// named. False: it is no blob.
func (w *weigher) content(r *reading, text string) bool {
	if !inBase64(text) {
		return false
	}
	encoding := base64.StdEncoding
	switch url, padded := strings.ContainsAny(text, "-_"), strings.HasSuffix(text, "="); {
	case url && padded:
		encoding = base64.URLEncoding
	case url:
		encoding = base64.RawURLEncoding
	case !padded:
		encoding = base64.RawStdEncoding
	}
	sample := text[:min(len(text), blobSample)]
	if len(sample) < len(text) {
		sample = strings.TrimRight(sample[:len(sample)/4*4], "\r\n")
	}
	head, err := encoding.DecodeString(sample)
	if err != nil && len(head) == 0 {
		return false
	}
	if !mostlyText(head) {
		w.unlooked(r, len(text)/4*3)
		return true
	}
	whole := head
	if len(sample) < len(text) {
		if whole, err = encoding.DecodeString(text); err != nil && len(whole) < len(text)/2 {
			return false
		}
	}
	w.addView(text, contentView(text, whole), r)
	return true
}

// inBase64 says that a text is nothing but base64, in lines perhaps.
func inBase64(text string) bool {
	for i := range len(text) {
		if c := text[i]; !base64Letters[c] && c != '=' && c != '\r' && c != '\n' {
			return false
		}
	}
	return true
}

// contentView is what a blob says, each few bytes with their share of it.
func contentView(text string, decoded []byte) *view {
	v := &view{text: string(decoded), chain: []string{blobEncoding}, parts: []stretch{}}
	plain, coded := 3, 4
	switch {
	case strings.ContainsAny(text, "\r\n"): // lines of any length: a place is no better than the whole
		plain, coded = max(len(decoded), 1), len(text)
	case len(text) > 1<<20:
		plain, coded = 48, 64
	}
	for at := 0; at < len(decoded); at += plain {
		from := at / plain * coded
		v.parts = append(v.parts, stretch{int32(at), int32(from), int32(min(from+coded, len(text))), false})
	}
	if wide := strings.Count(v.text[:min(len(v.text), blobSample)], "\x00"); wide > min(len(v.text), blobSample)/4 { // UTF-16
		return withoutZeros(v)
	}
	return v
}

func withoutZeros(v *view) *view {
	w := weave(v)
	for from := 0; from < len(v.text); {
		end := strings.IndexByte(v.text[from:], 0)
		if end < 0 {
			end = len(v.text) - from
		}
		w.keep(from, from+end)
		from += end + 1
	}
	return w.view("")
}

// mostlyText says that bytes are text, with some noise perhaps: what a model can read, a person does not want unread.
func mostlyText(b []byte) bool {
	bad, zeros := 0, 0
	for i := 0; i < len(b); {
		r, size := utf8.DecodeRune(b[i:])
		switch {
		case r == 0:
			zeros++
		case r == utf8.RuneError && size == 1, r < 0x20 && r != '\n' && r != '\t' && r != '\r', r == 0x7f:
			bad++
		}
		i += size
	}
	if zeros > len(b)/4 && zeros < len(b)*3/5 { // UTF-16
		zeros = 0
	}
	return (bad+zeros)*5 < len(b)
}

// unlooked names a blob that nobody looked at: where it stands, of what type it says it is, and how large it is.
func (w *weigher) unlooked(r *reading, size int) {
	if len(w.blobs.named) == maxUnlooked {
		w.blobs.more++
		return
	}
	kind := "no type"
	if n := len(r.stack); n > 0 {
		if v, ok := frame.Find(r.raw, frame.Span{Start: r.stack[n-1].start, End: len(r.raw)}, "mimeType"); ok && frame.Type(r.raw, v) == '"' {
			name, _ := frame.String(r.raw, v)
			kind = clip(legible.Escape(name), 64)
		}
	}
	w.blobs.named = append(w.blobs.named, fmt.Sprintf("%s (%s, %d bytes) is no text", clip(legible.Escape(r.at()), maxMatch), kind, size))
}
