package address

import (
	"strings"
	"testing"
)

func TestWhichLabelsAnAccountCanHave(t *testing.T) {
	for label, words := range map[string]string{
		"work": "", "Work-2": "", "ada@example.org": "", "a": "", "7": "", "a.b_c+d": "", strings.Repeat("x", 64): "",
		"":                      "empty",
		strings.Repeat("x", 65): "longer than 64",
		"my work":               "only",
		" work":                 "only",
		"-work":                 "begins with",
		"@work":                 "begins with",
		"work\n":                "only",
		"wo\x00rk":              "only",
		"wo\x1b[31mrk":          "only",
		"w\u00f6rk":             "only",
		"w\u043erk":             "only",
		"work\u200b":            "only",
		"work\xff":              "only",
		"a:b":                   "only",
		"a/b":                   "only",
		"a#b":                   "only",
		"${A}":                  "only",
		"a\"b":                  "only",
	} {
		err := CheckAccount(label)
		if (err == nil) != (words == "") || err != nil && (!strings.Contains(err.Error(), words) || strings.Contains(err.Error(), "\n")) {
			t.Errorf("%q: %v", label, err)
		}
	}
}

func TestAnAddressAndItsAccountComeApartAgain(t *testing.T) {
	for _, c := range [][2]string{{"https://h.example/", ""}, {"https://h.example/", "work"}, {"https://h.example/?a=account:b", "work"}, {"https://h.example/account:x", ""}} {
		known := WithAccount(c[0], c[1])
		if raw, label := SplitAccount(known); raw != c[0] || label != c[1] {
			t.Errorf("%q is %q and %q", known, raw, label)
		}
	}
	if got := WithAccount("https://h.example/mcp", "work"); got != "https://h.example/mcp account:work" {
		t.Error(got)
	}
}
