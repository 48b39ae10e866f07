package inspect

import (
	"slices"
	"strings"

	"github.com/sallyport/sallyport/proxy/cut"
	"github.com/sallyport/sallyport/proxy/inspect/decode"
	"github.com/sallyport/sallyport/proxy/inspect/rules"
)

// maxLight is how many matches without weight are reported of one definition or response. They are counted apart from the others, so that
// a page full of tags hides nothing.
const maxLight = 64

// takeLight reports a match of a floor.
func (w *weigher) takeLight(m *rules.Matcher, h rules.Hit, text string, where placer, start, end int, chain []string, decoded string) {
	r, most := &m.Rules[h.Rule], maxLight
	if w.grave {
		most = maxAllFindings
	}
	switch _, excepted := w.except[r.Name]; {
	case excepted, w.grave && !isGrave(r):
		return
	case len(w.light) == most:
		w.cut = true
		return
	}
	f := w.finding(m, h, text, where, start, end, chain, decoded)
	f.Level = Low
	w.light = append(w.light, f)
}

// encoded reports each encoding of a text under which nothing was found. others are the ways to read it, and base how many encodings were undone
// before.
func (w *weigher) encoded(text string, base int, others []*decode.View, where placer) {
	if w.grave {
		return
	}
	for n, v := range others {
		if len(v.Chain) != base+1 || len(w.light) == maxLight {
			continue // it is under another that is reported
		}
		name := v.Chain[base]
		if quietEncodings[name] || slices.ContainsFunc(others[:n], func(o *decode.View) bool { return len(o.Chain) == base+1 && o.Chain[base] == name }) {
			continue
		}
		in := w.path(where)
		holds := func(f Finding) bool { return f.Where == in && slices.Contains(f.Encodings, name) }
		if slices.ContainsFunc(w.Findings, holds) || slices.ContainsFunc(w.light, holds) {
			continue
		}
		start, end, decoded := v.Undone()
		if decoded = strings.TrimSpace(decoded); decoded == "" {
			continue
		}
		r := rules.Named(rules.EncodedText)
		w.light = append(w.light, Finding{
			Rule: r.Name, Level: Low, Catalogue: r.Catalogue, Category: "threat", Title: r.Title, Where: in, Start: start, End: end,
			Match: strings.Clone(cut.Runes(text[start:end], maxMatch)), Decoded: strings.Clone(cut.Bytes(decoded, maxDecoded)), Encodings: v.Chain,
		})
	}
}

// quietEncodings are found as hidden characters, or only prepare a text for another reading.
var quietEncodings = map[string]bool{
	decode.InvisibleEncoding: true, decode.CompatibilityEncoding: true, decode.LookalikeEncoding: true, decode.ControlsEncoding: true,
	"tag_characters": true, "variation_selectors": true, "letters_in_tags": true, "letters_in_quotes": true,
	"glued_words": true, "digits_for_letters": true, "rot13": true, "backwards": true, // nothing shows that they are meant to be read so
}

// lighten puts the matches without weight behind the others. Inside a match of the same rule one adds nothing; around it, it widens it.
func (w *weigher) lighten() {
	own := w.Findings
	for _, f := range w.light {
		same := slices.IndexFunc(own, func(o Finding) bool {
			return o.Rule == f.Rule && o.Where == f.Where && slices.Equal(o.Encodings, f.Encodings) && (inside(f, o) || inside(o, f))
		})
		if same < 0 {
			w.Findings = append(w.Findings, f)
			continue
		}
		if o := &own[same]; !inside(f, *o) {
			o.Start, o.End, o.Match, o.Decoded = f.Start, f.End, f.Match, f.Decoded
		}
	}
}

func inside(a, b Finding) bool { return b.Start <= a.Start && a.End <= b.End }
