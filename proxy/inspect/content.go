package inspect

import (
	"fmt"

	"github.com/sallyport/sallyport/proxy/cut"
	"github.com/sallyport/sallyport/proxy/frame"
	"github.com/sallyport/sallyport/proxy/inspect/decode"
	"github.com/sallyport/sallyport/proxy/inspect/legible"
	"github.com/sallyport/sallyport/proxy/inspect/rules"
	"github.com/sallyport/sallyport/proxy/inspect/secrets"
)

const maxUnlooked = 8 // blobs that are named in findings

// blobs are the binary blobs of a response.
type blobs struct {
	named []string
	more  int
}

// read takes one string of a response or definition.
func (w *weigher) read(r *reading, text string, key bool) {
	if w.tells == nil {
		w.judge(r, text, key)
		return
	}
	r.ways = r.ways[:0]
	w.judge(r, text, key)
	if !key {
		w.tells(Field{Member: r.member(), Text: text, in: r})
	} else if len(text) > LongKey {
		w.tells(Field{Text: text, Key: true, in: r})
	}
}

// judge looks for threats and secrets in one string.
func (w *weigher) judge(r *reading, text string, key bool) {
	if w.place == Metadata {
		w.add(text, nil, r)
		return
	}
	if !key && (r.key("blob") || r.key("data")) && len(text) >= decode.MinBlob && w.content(r, text) {
		return
	}
	if w.plain.Seeks = w.secret.On; w.plain.Seeks {
		w.member.take(r, text, key)
	}
	if key && word(text) { // a plain name is not part of the sentences around it
		w.name(text, r)
		return
	}
	known := false
	if w.joint.on && !key && (r.spoken() || len(text) == 1) { // nobody has a reason to read a letter for each key, but a model can
		if known = len(text) <= decode.Zone && len(text) >= rules.ShortText && w.joint.goesOn(); known {
			w.makeup = decode.MakeupOf(text)
		}
		w.join(text, &w.makeup, r)
		if len(text) < minText && text != "" {
			w.short(text, r)
			return
		}
	}
	if known {
		w.asIs = w.makeup.View(text)
		w.add(text, &w.asIs, r)
		return
	}
	w.add(text, nil, r)
}

// name checks the name of a member. Rows of a table repeat the same ones, so harmless names are remembered.
func (w *weigher) name(text string, r *reading) {
	if w.placed = false; len(text) < minText {
		return
	}
	seeks := w.secret.On && len(text) >= secrets.MinForm
	var known *harmless
	if len(text) <= len(known.text) {
		known = &w.names[(int(text[0])+int(text[len(text)-1])<<2+len(text)<<4)%len(w.names)]
		if string(known.text[:known.size]) == text && (known.secrets || !seeks) {
			return
		}
	}
	v := decode.View{Text: text}
	w.under.Seeks = seeks
	w.beneath(text, &v, r, nil)
	w.under.Seeks = false
	secret := seeks && (len(w.under.Places) > 0 || w.secret.Strict) && w.hold(w.under, text, &v, r)
	if known != nil && len(w.under.Hits) == 0 && !secret {
		known.size, known.secrets = copy(known.text[:], text), seeks
	}
}

// harmless is the name of a member without a finding.
type harmless struct {
	size    int
	secrets bool // it was searched for secrets too
	text    [24]byte
}

// spoken reports whether a client shows this string to its model as text, rather than as one of many values.
func (r *reading) spoken() bool {
	return r.key("text") || len(r.stack) == 0 || r.stack[len(r.stack)-1].array
}

// content handles a blob (a resource's "blob", the "data" of an image or a sound): it inspects text and names anything else. It returns
// false if the string is not one.
func (w *weigher) content(r *reading, text string) bool {
	v, ok := decode.Content(text)
	switch {
	case !ok:
		return false
	case v == nil:
		w.unlooked(r, len(text)/4*3)
	default:
		w.add(text, v, r)
		r.ways = r.ways[:0] // those of the file are none of the string
	}
	return true
}

// unlooked reports a blob that was not inspected, with its place, declared type and size.
func (w *weigher) unlooked(r *reading, size int) {
	if len(w.blobs.named) == maxUnlooked {
		w.blobs.more++
		return
	}
	kind := "no type"
	if n := len(r.stack); n > 0 {
		if v, ok := frame.Find(r.raw, frame.Span{Start: r.stack[n-1].start, End: len(r.raw)}, "mimeType"); ok && frame.Type(r.raw, v) == '"' {
			name, _ := frame.String(r.raw, v)
			kind = cut.Runes(legible.Escape(name), 64)
		}
	}
	w.blobs.named = append(w.blobs.named, fmt.Sprintf("%s (%s, %d bytes) is not text", cut.Runes(legible.Escape(r.at()), maxMatch), kind, size))
}
