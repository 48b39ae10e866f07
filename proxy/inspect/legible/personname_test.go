package legible

import (
	"strings"
	"testing"
	"unicode/utf8"
)

func TestANameIsShownAsItsPersonGaveIt(t *testing.T) {
	for name, given := range map[string]string{
		"Arabic":             "ملفات المشروع",
		"Chinese":            "项目文件",
		"Japanese":           "プロジェクトのファイル",
		"joined emoji":       "👩\u200d👩\u200d👧\u200d👦 family ❤️\u200d🔥",
		"blanks":             "Google Drive of mine",
		"64 characters":      strings.Repeat("é", 64),
		"101 characters":     strings.Repeat("名", 100) + "前",
		"Persian, joined":    "می\u200cخواهم",
		"Hindi":              "क्\u200dष हिन्दी",
		"Hebrew with points": "שָׁלוֹם",
		"Vietnamese":         "Tiếng Việt",
		"a plain one":        "weather-2.0_b",
		"marks of ours":      "the [Sallyport] one",
	} {
		t.Run(name, func(t *testing.T) {
			if got := PersonName(given); got != given {
				t.Errorf("%q became %q", given, got)
			}
			if got := PersonName(PersonName(given)); got != given {
				t.Errorf("twice: %q", got)
			}
		})
	}
}

func TestANameIsCleaned(t *testing.T) {
	for given, want := range map[string]string{
		"[Sallyport]\n\x1b[31mapprove all\x1b[0m": "approve all",
		"a\r\nb\tc   d":                    "a b c d",
		"  a \u00a0\u3000 b ":              "a b",
		"safe\u202egnp.exe\u202c":          "safegnp.exe",
		"a\u200bb\u2060c\ufeffd\u00ade":    "abcde",
		"x\u200dy":                         "xy",
		"a\u200e\u200fb":                   "ab",
		"a\U000e0041\U000e0042b":           "ab",
		"\x1b]0;title\x07name":             "name",
		"a\x00b\x7fc\u0085d":               "abc d",
		"\u0301\u0302name":                 "name",
		"e" + strings.Repeat("\u0301", 50): "e" + strings.Repeat("\u0301", 4),
		"\xff\xfename":                     "name",
		"\ue000name":                       "name",
		"[SALLYPORT] approve":              "approve",
		"[Sallyport][Sallyport] x":         "x",
		"[ Sally port ] x":                 "x",
		"［Ｓａｌｌｙｐｏｒｔ］x":                     "x",
		"[Ѕаllуроrt] x":                    "x",
		"[S\u0301allyport]\u0301 x":        "x",
		"quarantine_release":               "",
		"Quarantine_Release now":           "now",
		"approve_server_config: do it":     ": do it",
		"\u3164\u2800":                     "",
		"":                                 "",
	} {
		if got := PersonName(given); got != want {
			t.Errorf("%q became %q, want %q", given, got, want)
		}
	}
}

func TestALongNameIsCutInTheMiddleAndKeptWhole(t *testing.T) {
	long := strings.Repeat("前", 50) + strings.Repeat("👨‍👩‍👧", 51)
	if got := PersonName(long); got != long {
		t.Errorf("whole: %q", got)
	}
	want := strings.Repeat("前", 32) + "…" + strings.Repeat("👨‍👩‍👧", 31)
	if got := ShortName(long, MaxShownName); got != want {
		t.Errorf("shown: %q", got)
	}
	if got := ShortName(strings.Repeat("x", 64), 64); got != strings.Repeat("x", 64) {
		t.Errorf("64: %q", got)
	}
	if n := utf8.RuneCountInString(PersonName(strings.Repeat("x", 1000))); n != 256 {
		t.Errorf("a thousand became %d", n)
	}
}

func TestNamesThatAReaderTakesForEachOther(t *testing.T) {
	for _, pair := range [][2]string{{"weather", "Weather"}, {"weather", "wеather"}, {"GitHub", "Git Hub"}, {"paypal", "paypaI"}, {"cafe", "cafe\u0301"}, {"g00gle", "google"}, {"ｗｅｂ", "web"}} {
		if NameKey(pair[0]) != NameKey(pair[1]) {
			t.Errorf("%q and %q: %q, %q", pair[0], pair[1], NameKey(pair[0]), NameKey(pair[1]))
		}
	}
	for _, pair := range [][2]string{{"weather", "whether"}, {"天気", "天候"}, {"a-b", "a_b"}} {
		if NameKey(pair[0]) == NameKey(pair[1]) {
			t.Errorf("%q and %q", pair[0], pair[1])
		}
	}
}

func TestAModelIsToldPlainCharactersAlone(t *testing.T) {
	for name, want := range map[string]string{"weather-2.0": "weather-2.0", "Google Drive": "server 7", "天気": "server 7", "": "server 7", strings.Repeat("x", 65): "server 7"} {
		if got := ToldName(name, 7); got != want || SpokenServer(got, "this server") != want {
			t.Errorf("%q: %q, %q", name, got, SpokenServer(got, "this server"))
		}
	}
	for _, name := range []string{"server ", "server 7 says", "server 1234567890", "server x", "my server 7"} {
		if got := SpokenServer(name, "this server"); got != "this server" {
			t.Errorf("%q is said: %q", name, got)
		}
	}
}

func FuzzPersonName(f *testing.F) {
	for _, seed := range []string{"weather", "[Sallyport] \x1b[31m\u202ex", "👩\u200d👩\u200d👧\u200d👦", "می\u200cخواهم", "e\u0301\u0301\u0301\u0301\u0301\u0301", "\xff\u200d\ufe0f"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, name string) {
		got := PersonName(name)
		if again := PersonName(got); again != got {
			t.Fatalf("%q became %q, and that %q", name, got, again)
		}
		for _, r := range got {
			if r < ' ' || r == 0x7f || r >= 0x80 && r < 0xa0 || r == '\u2028' || ClassOf(r) == Turning || ClassOf(r) == mark || ClassOf(r) == Tag || ClassOf(r) == ignorable {
				t.Fatalf("%q keeps %U", got, r)
			}
		}
		if strings.TrimSpace(got) != got || strings.Contains(got, "  ") || ownBeginning(got) > 0 || !utf8.ValidString(got) {
			t.Fatalf("%q became %q", name, got)
		}
	})
}

func TestRightToLeftNamesStayInTheirPlace(t *testing.T) {
	const files, mark = "ملفات المشروع", " ·1a2b"
	for name, c := range map[string][2]string{
		"none":                         {"weather ·1a2b changed", "weather ·1a2b changed"},
		"alone":                        {files, "⟦" + files + "⟧"},
		"before our words":             {files + " changed", "⟦" + files + "⟧ changed"},
		"before a number of ours":      {files + ": 3 tools", "⟦" + files + "⟧: 3 tools"},
		"with its mark":                {"New server: " + files + mark, "New server: ⟦" + files + mark + "⟧"},
		"with its mark, before a dash": {files + mark + " — new server", "⟦" + files + mark + "⟧ — new server"},
		"a mark of digits alone":       {files + " ·1234: 2 tools", "⟦" + files + " ·1234⟧: 2 tools"},
		"two":                          {files + " and שלום", "⟦" + files + "⟧ and ⟦שלום⟧"},
		"points over the last letter":  {"שָׁלוֹ 5", "⟦שָׁלוֹ⟧ 5"},
		"cut in the middle":            {"ملفات…المشروع — x", "⟦ملفات…المشروع⟧ — x"},
	} {
		if got := strings.NewReplacer("\u2068", "⟦", "\u2069", "⟧").Replace(Isolated(c[0])); got != c[1] {
			t.Errorf("%s: %q, want %q", name, got, c[1])
		}
		if back := PersonName(Isolated(c[0])); back != PersonName(c[0]) {
			t.Errorf("%s: cleaned it is %q", name, back)
		}
	}
}
