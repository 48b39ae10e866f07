package cut

import "testing"

func TestATextIsCutBetweenCharacters(t *testing.T) {
	for _, c := range []struct {
		text               string
		most               int
		bytes, runes, tail string
	}{
		{"", 0, "", "", ""},
		{"abc", 0, "", "", ""},
		{"abc", 2, "ab", "ab", "bc"},
		{"abc", 3, "abc", "abc", "abc"},
		{"aé€😀", 2, "a", "aé", ""},
		{"aé€😀", 3, "aé", "aé€", ""},
		{"aé€😀", 9, "aé€", "aé€😀", "é€😀"},
		{"aé€😀", 10, "aé€😀", "aé€😀", "aé€😀"},
	} {
		if bytes, runes, tail := Bytes(c.text, c.most), Runes(c.text, c.most), Tail(c.text, c.most); bytes != c.bytes || runes != c.runes || tail != c.tail {
			t.Errorf("%q cut to %d: %q, %q, %q", c.text, c.most, bytes, runes, tail)
		}
	}
}
