package guardrail

import (
	"iter"
	"strings"
	"unicode/utf8"

	"github.com/sallyport/sallyport/proxy/cut"
)

const (
	// PieceSize is how many bytes of text a provider gets at once. Models read far less than a response may have.
	PieceSize = 32 << 10
	// PieceOverlap is how many bytes two neighbours share, so that an order of some length lies whole in one of them.
	PieceOverlap = 1 << 10
	// MaxPieces limits what one response costs its provider.
	MaxPieces = 64

	maxText = PieceSize + (MaxPieces-1)*(PieceSize-PieceOverlap)
)

// Pieces puts texts one on a line, leaves empty ones out, and cuts the result into pieces, never inside a character. whole is false if there was more than MaxPieces
// hold: the rest was not read.
func Pieces(texts iter.Seq[string]) (pieces []string, whole bool) {
	var joined strings.Builder
	whole = true
	for text := range texts {
		if joined.Len() > maxText {
			whole = false
			break
		}
		if joined.Len() > 0 && text != "" {
			joined.WriteByte('\n')
		}
		joined.WriteString(strings.ToValidUTF8(text, "\ufffd")) // invalid bytes have no boundaries to cut at
	}
	rest := joined.String()
	for len(rest) > PieceSize && len(pieces) < MaxPieces-1 {
		piece := cut.Bytes(rest, PieceSize)
		pieces = append(pieces, piece)
		from := len(piece) - PieceOverlap
		for !utf8.RuneStart(rest[from]) {
			from--
		}
		rest = rest[from:]
	}
	if rest != "" {
		last := cut.Bytes(rest, PieceSize)
		pieces = append(pieces, last)
		whole = whole && len(last) == len(rest)
	}
	return pieces, whole
}
