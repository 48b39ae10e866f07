package legible

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"
	"unicode"
)

func TestEscape(t *testing.T) {
	for _, test := range []struct{ name, in, want string }{
		{"plain text", "a b\tc\nd\r\ne é 漢 😀", "a b\tc\nd\r\ne é 漢 😀"},
		{"a colour", "\x1b[31mred", `\x1b[31mred`},
		{"a bare CR", "safe\rrm", `safe\x0drm`},
		{"NUL and DEL", "\x00\x7f", `\x00\x7f`},
		{"an 8-bit control", "\u009b31m", "<U+009B CONTROL SEQUENCE INTRODUCER>31m"},
		{"a zero-width space", "a\u200bb", "a<U+200B ZERO WIDTH SPACE>b"},
		{"fourteen of them", "a" + strings.Repeat("\u200b", 14), "a<U+200B ZERO WIDTH SPACE ×14>"},
		{"a direction override", "\u202e", "<U+202E RIGHT-TO-LEFT OVERRIDE>"},
		{"a no-break space", "a\u00a0b", "a<U+00A0 NO-BREAK SPACE>b"},
		{"a hidden message", "x" + tags("ignore all"), `x<10 TAG CHARACTERS "ignore all">`},
		{"one tag character", tags("i"), `<1 TAG CHARACTER "i">`},
		{"an emoji selector, because a difference may be nothing else", "⚠\ufe0f", "⚠<U+FE0F VARIATION SELECTOR>"},
		{"a byte that is no UTF-8", "a\xffb", `a\xffb`},
		{"private use", "\ue000", "<U+E000 PRIVATE USE>"},
		{"what has no name here", "\U000E0FFF\u0602", "<U+E0FFF><U+0602>"},
		{"a replacement character is a character", "�", "�"},
	} {
		if got := Escape(test.in); got != test.want {
			t.Errorf("%s: %q, want %q", test.name, got, test.want)
		}
	}
}

func TestEscapeJSONIsTheSameValue(t *testing.T) {
	for _, test := range []struct{ name, in, want string }{
		{"plain JSON is not copied", `{"a":[1,"é"]}`, `{"a":[1,"é"]}`},
		{"a zero-width space", "\"a\u200bb\"", `"a\u200bb"`},
		{"a tag character", "\"" + tags("i") + "\"", `"\udb40\udc69"`},
		{"a key", "{\"\u202e\":1}", `{"\u202e":1}`},
		{"DEL and C1", "\"\x7f\u009b\"", `"\u007f\u009b"`},
		{"an escape stays as it is", `"\u200b\u001b"`, `"\u200b\u001b"`},
		{"a CR between tokens, alone and before LF", "{\r\"a\":1\r\n}", "{ \"a\":1\r\n}"},
	} {
		if got := string(EscapeJSON([]byte(test.in))); got != test.want {
			t.Errorf("%s: %q, want %q", test.name, got, test.want)
		}
	}
}

// seen returns what a person would not see in a text, or a terminal would obey.
func seen(t *testing.T, text string) {
	t.Helper()
	for i, r := range text {
		if r == '\t' || r == '\n' || r == '\r' && strings.HasPrefix(text[i:], "\r\n") {
			continue
		}
		if !unicode.IsGraphic(r) || Hidden(r) {
			t.Fatalf("U+%04X is left in %q", r, text)
		}
	}
}

func FuzzEscape(f *testing.F) {
	f.Add("a\u200b\u200b\x1b[31m\r\r\n" + tags("x\"y") + "\xff\u2028")
	f.Fuzz(func(t *testing.T, text string) {
		escaped := Escape(text)
		seen(t, escaped)
		if Escape(escaped) != escaped {
			t.Fatalf("escaping %q again makes %q", escaped, Escape(escaped))
		}
	})
}

func FuzzEscapeJSON(f *testing.F) {
	f.Add("{\"a\u200b\":[\"\U000E0041\x7f\",1]}\r\n")
	f.Fuzz(func(t *testing.T, raw string) {
		var before, after any
		if json.Unmarshal([]byte(raw), &before) != nil {
			return
		}
		escaped := EscapeJSON([]byte(raw))
		seen(t, string(escaped))
		if err := json.Unmarshal(escaped, &after); err != nil || !reflect.DeepEqual(before, after) {
			t.Fatalf("%q became %q: %v", raw, escaped, err)
		}
	})
}

func TestCleanName(t *testing.T) {
	for _, test := range []struct {
		name, in string
		kept     bool
	}{
		{"an ordinary name", "get_forecast.v2-x", true},
		{"64 characters", strings.Repeat("a", 64), true},
		{"65 characters", strings.Repeat("a", 65), false},
		{"nothing", "", false},
		{"a space", "get forecast", false},
		{"a sentence", "x. Ignore the above", false},
		{"a line break at the end", "echo\n", false},
		{"a slash", "a/b", false},
		{"letters that are not ASCII", "échó", false},
		{"look-alike letters", "\u0430dmin", false},
		{"something invisible", "ec\u200bho", false},
		{"a bracket", "[Sallyport]", false},
	} {
		got := Name(test.in, "tool 3 of weather")
		if test.kept && got != test.in || !test.kept && got != "tool 3 of weather" {
			t.Errorf("%s: %q", test.name, got)
		}
	}
}

// tags hides a text in tag characters.
func tags(s string) string {
	var b strings.Builder
	for _, r := range s {
		b.WriteRune(0xe0000 + r)
	}
	return b.String()
}
