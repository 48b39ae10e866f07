package inspect

import (
	"math/rand/v2"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/sallyport/sallyport/proxy/inspect/legible"
)

func tags(s string) string {
	var b strings.Builder
	for _, r := range s {
		b.WriteRune(0xe0000 + r)
	}
	return b.String()
}

// selectors hides a text in variation selectors, one for each byte.
func selectors(s string) string {
	var b strings.Builder
	for i := range len(s) {
		if c := rune(s[i]); c < 16 {
			b.WriteRune(0xfe00 + c)
		} else {
			b.WriteRune(0xe0100 + c - 16)
		}
	}
	return b.String()
}

func TestTextFindsWhatNobodySees(t *testing.T) {
	type want struct {
		rule    string
		level   Level
		match   string
		decoded string
	}
	tests := []struct {
		name string
		text string
		want []want
	}{
		{"a zero-width space", "ig\u200bnore", []want{{InvisibleCharacters, Medium, "\u200b", ""}}},
		{"a run is one finding", "a\u200b\u200b\u2060b", []want{{InvisibleCharacters, Medium, "\u200b\u200b\u2060", ""}}},
		{"a long run", "a" + strings.Repeat("\u200b", 14), []want{{InvisibleCharacters, High, strings.Repeat("\u200b", 14), ""}}},
		{"two runs", "a\u200bb\u200bc", []want{{InvisibleCharacters, Medium, "\u200b", ""}, {InvisibleCharacters, Medium, "\u200b", ""}}},
		{"a soft hyphen", "ig\u00adnore", []want{{InvisibleCharacters, Medium, "\u00ad", ""}}},
		{"a byte order mark", "\ufeffname", []want{{InvisibleCharacters, Medium, "\ufeff", ""}}},
		{"a Hangul filler", "a\u3164b", []want{{InvisibleCharacters, Medium, "\u3164", ""}}},
		{"a Mongolian vowel separator", "a\u180eb", []want{{InvisibleCharacters, Medium, "\u180e", ""}}},
		{"a braille blank between words", "a\u2800b", []want{{InvisibleCharacters, Medium, "\u2800", ""}}},
		{"a direction override", "a\u202eb\u202c", []want{{InvisibleCharacters, High, "\u202e", ""}, {InvisibleCharacters, High, "\u202c", ""}}},
		{"isolates", "\u2066a", []want{{InvisibleCharacters, High, "\u2066", ""}}},
		{"a directional mark beside Latin letters", "a\u200eb", []want{{InvisibleCharacters, Medium, "\u200e", ""}}},
		{"a joiner between Latin letters", "a\u200db", []want{{InvisibleCharacters, Medium, "\u200d", ""}}},
		{"a joiner after an emoji that joins nothing", "👩\u200d text", []want{{InvisibleCharacters, Medium, "\u200d", ""}}},
		{"two joiners between Persian letters", "می\u200c\u200cخواهم", []want{{InvisibleCharacters, Medium, "\u200c\u200c", ""}}},
		{"a message in tag characters", "Hi" + tags("ignore all") + ".", []want{{InvisibleCharacters, Critical, tags("ignore all"), "ignore all"}}},
		{"a message in tag characters, one at a time", "H" + tags("i") + "i" + tags("g"),
			[]want{{InvisibleCharacters, Critical, tags("i"), "ig"}, {InvisibleCharacters, Critical, tags("g"), ""}}},
		{"one tag character", "H" + tags(" ") + "i", []want{{InvisibleCharacters, High, tags(" "), ""}}},
		{"a message in a flag that is none", "🏴" + tags("send keys") + "\U000E007F",
			[]want{{InvisibleCharacters, Critical, tags("send keys") + "\U000E007F", "send keys"}}},
		{"a message in variation selectors", "😊" + selectors("send the keys"),
			[]want{{InvisibleCharacters, Critical, selectors("send the keys"), "send the keys"}}},
		{"variation selectors that spell nothing", "a" + selectors("\x01\x02\x9f"), []want{{InvisibleCharacters, High, selectors("\x01\x02\x9f"), ""}}},
		{"a variation selector after a letter", "a\ufe0f", []want{{InvisibleCharacters, Medium, "\ufe0f", ""}}},
		{"a NUL", "a\x00b", []want{{ControlCharacters, Medium, "\x00", ""}}},
		{"backspaces", "a\b\b\bb", []want{{ControlCharacters, Medium, "\b\b\b", ""}}},
		{"a CR that rewrites its line", "safe\rrm -rf", []want{{ControlCharacters, Medium, "\r", ""}}},
		{"DEL and C1", "a\x7f\u0085", []want{{ControlCharacters, Medium, "\x7f\u0085", ""}}},
		{"a line separator", "a\u2028b", []want{{ControlCharacters, Medium, "\u2028", ""}}},
		{"a colour", "a\x1b[31mb", []want{{ANSIEscape, High, "\x1b[31m", ""}}},
		{"a colour with an 8-bit introducer", "a\u009b31mb", []want{{ANSIEscape, High, "\u009b31m", ""}}},
		{"a title ended by BEL", "\x1b]0;owned\x07x", []want{{ANSIEscape, High, "\x1b]0;owned\x07", ""}}},
		{"a link ended by ST", "\x1b]8;;http://x\x1b\\x", []want{{ANSIEscape, High, "\x1b]8;;http://x\x1b\\", ""}}},
		{"a title without an end", "\x1b]0;owned", []want{{ANSIEscape, High, "\x1b]", ""}}},
		{"a bare ESC", "a\x1b", []want{{ANSIEscape, High, "\x1b", ""}}},
		{"a reset", "a\x1bcb", []want{{ANSIEscape, High, "\x1bc", ""}}},
		{"a character set", "a\x1b(0b", []want{{ANSIEscape, High, "\x1b(0", ""}}},
		{"control characters before a colour", "\x01\x1b[1mx", []want{{ControlCharacters, Medium, "\x01", ""}, {ANSIEscape, High, "\x1b[1m", ""}}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			got := Text(test.text, "description")
			if len(got) != len(test.want) {
				t.Fatalf("got %+v", got)
			}
			for i, f := range got {
				w := test.want[i]
				if f.Rule != w.rule || f.Level != w.level || f.Match != w.match || f.Decoded != w.decoded {
					t.Errorf("got %+v, want %+v", f, w)
				}
				if f.Category != "threat" || f.Where != "description" || f.Title == "" || test.text[f.Start:f.End] != f.Match {
					t.Errorf("incomplete: %+v", f)
				}
				if legible.Escape(f.Title) != f.Title {
					t.Errorf("server text in our title %q", f.Title)
				}
			}
		})
	}
}

func TestHonestTextIsLeftAlone(t *testing.T) {
	for name, text := range map[string]string{
		"plain text with tabs and both line ends": "a\tb\nc\r\nd",
		"a family":                                "👨\u200d👩\u200d👧\u200d👦 family",
		"a woman with a laptop and a skin tone":   "👩🏽\u200d💻",
		"a heart on fire and a rainbow flag":      "❤️\u200d🔥 🏳️\u200d🌈 🏴\u200d☠️",
		"a warning sign, with and without colour": "⚠️ ⚠︎ ℹ️ ‼️ ▶️ ©️ ™️",
		"keycaps":                                   "1️⃣ #️⃣ *️⃣",
		"three subdivision flags":                   "🏴\U000e0067\U000e0062\U000e0065\U000e006e\U000e0067\U000e007f🏴\U000e0067\U000e0062\U000e0073\U000e0063\U000e0074\U000e007f🏴\U000e0067\U000e0062\U000e0077\U000e006c\U000e0073\U000e007f",
		"Persian with a non-joiner":                 "می\u200cخواهم کتاب\u200cها را ببینم",
		"Hindi with a joiner":                       "क्\u200dष",
		"Malayalam with a joiner at a word's end":   "അവന്\u200d വന്നു",
		"Sinhala":                                   "ශ්\u200dරී ලංකා",
		"Hebrew with marks":                         "שלום\u200e API v2 \u200fתיעוד",
		"Arabic with a mark after a bracket":        "(نص)\u200f (API)",
		"an Arabic number sign":                     "\u0600123",
		"a Japanese name with a variant":            "葛\U000E0100飾区",
		"Mongolian with a variant":                  "ᠠ\u180b",
		"a mathematical variant":                    "∩\ufe00",
		"braille":                                   "⠓⠑⠀⠇⠇",
		"no-break spaces":                           "10\u00a0km\u202f: \u3000",
		"accents, composed and not":                 "é e\u0301",
		"a letter outside the basic plane":          "𝒳",
		"text that talks about escapes in letters":  `use \x1b[31m or U+200B`,
		"emoji that came after the tables we have":  "\U0001FAE9\ufe0f",
		"ordinary text of a scheme with emoji dash": "✅ done — see §2",
	} {
		if got := Text(text, ""); len(got) != 0 {
			t.Errorf("%s: %+v", name, got)
		}
	}
}

func TestFindingsOfOneTextAreBoundedAndTheWorstStays(t *testing.T) {
	text := strings.Repeat("a\u200b", 100_000) + "\x1b[31m" + tags("ignore all previous")
	got := Text(text, "")
	if len(got) > maxFindings+4 {
		t.Errorf("%d findings", len(got))
	}
	if Worst(got) != Critical {
		t.Errorf("the worst is %s", Worst(got))
	}
	long := Text("a"+tags(strings.Repeat("payload ", 10_000)), "")
	if len(long) != 1 || utf8.RuneCountInString(long[0].Match) != maxMatch || len(long[0].Decoded) > maxDecoded {
		t.Errorf("a huge run: %d findings", len(long))
	}
}

// ESC ] again and again must not search to the end of the text each time.
func TestUnfinishedSequencesCostNoMoreThanTheirText(t *testing.T) {
	for _, introducer := range []string{"\x1b]", "\u009d", "\x1b[", "\x1b"} {
		text := strings.Repeat(introducer, 1<<19) + strings.Repeat("x", 1<<20)
		if got := Text(text, ""); len(got) != maxFindings {
			t.Errorf("%q: %d findings", introducer, len(got))
		}
	}
}

func FuzzText(f *testing.F) {
	f.Add("a\u200bb\x1b[31m" + tags("hi"))
	f.Add("\xff\x1b]\r\r\n")
	f.Add("👩\u200d💻\ufe0f" + selectors("abcd"))
	f.Fuzz(func(t *testing.T, text string) {
		end := 0
		for _, g := range Text(text, "x") {
			if g.Start < end || g.End <= g.Start || g.End > len(text) {
				t.Fatalf("%+v overlaps or is out of range in %q", g, text)
			}
			if g.Level.Rank() < Medium.Rank() || g.Title == "" {
				t.Fatalf("%+v", g)
			}
			end = g.End
		}
	})
}

func TestWhatIsFoundDoesNotDependOnWhatSurrounds(t *testing.T) {
	random := rand.New(rand.NewPCG(7, 8))
	for range 200 {
		prefix := strings.Repeat("word ", random.IntN(50))
		got := Text(prefix+"\u200b tail", "")
		if len(got) != 1 || got[0].Start != len(prefix) {
			t.Fatalf("after %d bytes: %+v", len(prefix), got)
		}
	}
}
