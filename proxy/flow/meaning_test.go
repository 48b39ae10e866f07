package flow

import "testing"

func TestAWordHasItsMeaningWholeAndInEitherCase(t *testing.T) {
	for _, c := range []struct {
		word string
		is   role
		verb string
	}{
		{"you", orders | urges, ""},
		{"Immediately", orders, ""},
		{"order", acts, "buy"},
		{"make", acts | does, "create"},
		{"schedule", acts, "book"},
		{"unsubscribe", acts, "cancel"},
		{"immediat", 0, ""},
		{"immediatelx", 0, ""},
		{"schedules", 0, ""},
		{"yo", 0, ""},
		{"", 0, ""},
	} {
		key, _, end := letterWord(c.word, 0)
		if end != len(c.word) {
			t.Fatalf("%q: its letters end at %d", c.word, end)
		}
		var got meaning
		if m := meaningOf(key, c.word); m != nil {
			got = *m
		}
		if got.is != c.is || got.verb != c.verb {
			t.Errorf("%q: %b %q, want %b %q", c.word, got.is, got.verb, c.is, c.verb)
		}
	}
}

func TestLettersAreReadWithTheirCasesAndTheirEnd(t *testing.T) {
	for _, c := range []struct {
		text  string
		start int
		key   string
		bits  uint16
		end   int
	}{
		{"Word of letters", 0, "word", isLower | isUpper, 4},
		{"a word", 2, "word", isLower, 6},
		{"ID=3 and more", 0, "id", isUpper, 2},
		{"internationalisation of it", 0, "internat", isLower, 20},
		{"3rd of the month", 0, "", 0, 0},
		{"naïve words here", 0, "na", isLower, 2},
		{"x", 0, "x", isLower, 1},
		{"INTERNATIONALx", 0, "internat", isLower | isUpper, 14},
	} {
		if key, bits, end := letterWord(c.text, c.start); key != keyOf(c.key) || bits != c.bits || end != c.end {
			t.Errorf("%q from %d: key %x, bits %b, end %d", c.text, c.start, key, bits, end)
		}
	}
}
