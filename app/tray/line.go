package tray

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

const maxLine = 64 // characters of a row: a menu is as wide as its widest

// line is text as one row may carry it: without what is not drawn, or changes how the rest is drawn, and cut to a row's length.
func line(text string) string {
	text = strings.Map(func(r rune) rune {
		switch {
		case unicode.IsSpace(r):
			return ' '
		case r == utf8.RuneError, !unicode.IsGraphic(r), unicode.In(r, unicode.Mn, unicode.Me, unicode.Other_Default_Ignorable_Code_Point, unicode.Variation_Selector):
			return -1
		}
		return r
	}, text)
	text = strings.Join(strings.Fields(text), " ")
	if runes := []rune(text); len(runes) > maxLine {
		text = strings.TrimRight(string(runes[:maxLine-1]), " ") + "…"
	}
	return text
}
