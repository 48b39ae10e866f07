package decode

import (
	"encoding/base64"
	"encoding/binary"
	"strings"
	"unicode/utf8"
)

// ContentEncoding marks a finding inside a file that the protocol sends as base64.
const ContentEncoding = "base64_content"

const blobSample = 4 << 10 // characters that decide whether a blob is text

// Content decodes a file that the protocol sends as base64; nil if the file is not text, not ok if the text is not base64.
func Content(text string) (v *View, ok bool) {
	if !IsBase64(text) {
		return nil, false
	}
	encoding := base64.StdEncoding
	switch url, padded := strings.IndexByte(text, '-') >= 0 || strings.IndexByte(text, '_') >= 0, strings.HasSuffix(text, "="); {
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
		return nil, false
	}
	if !mostlyText(head) {
		return nil, true
	}
	whole := head
	if len(sample) < len(text) {
		if whole, err = encoding.DecodeString(text); err != nil && len(whole) < len(text)/2 {
			return nil, false
		}
	}
	return contentView(text, whole), true
}

// IsBase64 reports whether a text is entirely base64, perhaps in lines.
func IsBase64(text string) bool {
	b := bytesOf(text)
	for ; len(b) >= 8; b = b[8:] {
		if blobLetters(binary.LittleEndian.Uint64(b)) != HighBits && !blobBytes(b[:8]) {
			return false
		}
	}
	return blobBytes(b)
}

func blobBytes(b []byte) bool {
	for _, c := range b {
		if !Base64Letters[c] && c != '=' && c != '\r' && c != '\n' {
			return false
		}
	}
	return true
}

// contentView is the text of a blob; each few bytes map to their share of it.
func contentView(text string, decoded []byte) *View {
	v := &View{Text: string(decoded), Chain: []string{ContentEncoding}, Parts: []stretch{}}
	plain, coded := 3, 4
	switch {
	case strings.ContainsAny(text, "\r\n"): // lines of any length: every place is the whole blob
		plain, coded = max(len(decoded), 1), len(text)
	case len(text) > 1<<20:
		plain, coded = 48, 64
	}
	for at := 0; at < len(decoded); at += plain {
		from := at / plain * coded
		v.Parts = append(v.Parts, stretch{int32(at), int32(from), int32(min(from+coded, len(text))), false})
	}
	if wide := strings.Count(v.Text[:min(len(v.Text), blobSample)], "\x00"); wide > min(len(v.Text), blobSample)/4 { // UTF-16
		return withoutZeros(v)
	}
	return v
}

func withoutZeros(v *View) *View {
	w := weave(v)
	for from := 0; from < len(v.Text); {
		end := strings.IndexByte(v.Text[from:], 0)
		if end < 0 {
			end = len(v.Text) - from
		}
		w.keep(from, from+end)
		from += end + 1
	}
	return w.view("")
}

// mostlyText reports whether bytes are text, perhaps with some noise: a person should see what a model can read.
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
