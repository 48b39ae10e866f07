package decode

import (
	"math/rand"
	"testing"
)

// What is taken for groups is passed over by every decoder, and has no mark of a character that is not read as it is.
func TestGroupsCanBeReadInOneWayOnly(t *testing.T) {
	const cases = 200_000
	random := rand.New(rand.NewSource(2))
	for _, text := range []string{"3f2504e0-4f89-41d3-9a0c-0305e82c3301", "2026-01-02", "20260102", "deadbeef-1"} {
		if !groups(text) {
			t.Errorf("%q is not taken", text)
		}
	}
	taken := 0
	for _, alphabet := range []string{"0123456789abcdef-", "abcdef-", "a-", "0123456789abcdef", "0369-", "0123456789abcdef--------", "012abcf-gA \x80\xff,/"} {
		for range cases / 7 {
			b := make([]byte, random.Intn(maxGroups+4))
			for i := range b {
				b[i] = alphabet[random.Intn(len(alphabet))]
			}
			text := string(b)
			if !groups(text) {
				continue
			}
			taken++
			v := &View{Text: text}
			if others, whole := Others(v); len(others) > 0 || !whole {
				t.Fatalf("%q is also %q", text, others[0].Text)
			}
			if v.Holds()&(Wide|ControlCharacters|markSlash) != 0 || Fold(v) != v {
				t.Fatalf("%q is folded", text)
			}
		}
	}
	if taken < cases/20 {
		t.Errorf("only %d were taken", taken)
	}
}
