package frame

import (
	"bytes"
	"fmt"
	"strings"
	"testing"
)

// Linear code finishes each of these in a moment. Quadratic code, which is easy to write here, would take hours: the test run times out.
func TestT08TwentyMegabytesOfOneThingAreLinearWork(t *testing.T) {
	size := 20 << 20
	if testing.Short() { // under the race detector twenty take minutes; the plain run covers them
		size = 2 << 20
	}
	for _, tt := range []struct {
		name, value string
		pass        bool
	}{
		{"newline escapes", `"` + strings.Repeat(`\n`, size/2) + `"`, true},
		{"quote escapes", `"` + strings.Repeat(`\"`, size/2) + `"`, true},
		{"backslash escapes", `"` + strings.Repeat(`\\`, size/2) + `"`, true},
		{"code point escapes", `"` + strings.Repeat(`\ud83d`, size/6) + `"`, true},
		{"quote escapes without an end", `"` + strings.Repeat(`\"`, size/2), false},
		{"opening brackets", strings.Repeat("[", size), false},
		{"opening objects", strings.Repeat(`{"a":`, size/5), false},
		{"empty arrays", "[" + strings.Repeat("[],", size/3) + "0]", true},
		{"digits", strings.Repeat("7", size), true},
		{"digits behind a point", "0." + strings.Repeat("7", size), true},
		{"digits of an exponent", "1e" + strings.Repeat("7", size), true},
		{"white space", strings.Repeat(" ", size) + "1", true},
		{"commas", strings.Repeat(",", size), false},
		{"strings", `["` + strings.Repeat(`","`, size/3) + `"]`, true},
		{"one key", `{"` + strings.Repeat("k", size) + `":1}`, true},
		{"one key of escapes", `{"` + strings.Repeat(`\u0041`, size/6) + `":1}`, true},
		{"two bytes a character", `"` + strings.Repeat("é", size/2) + `"`, true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			line := callWith(`{"arguments":{"v":` + tt.value + `}}`)
			if !tt.pass {
				refused(t, line, FromClient)
				refused(t, line, FromServer)
			} else {
				scanned(t, line, FromClient)
				m := scanned(t, line, FromServer)
				arguments, _ := Find(m.Raw, m.Params, "arguments")
				if v, ok := Find(m.Raw, arguments, "v"); !ok && !strings.Contains(tt.name, "one key") || ok && string(v.Of(m.Raw)) != strings.TrimSpace(tt.value) {
					t.Error("Find does not find what was scanned")
				}
				if out, err := AppendCanonical(nil, m.Raw, m.Params); err != nil || len(out) == 0 {
					t.Errorf("canonical: %v", err)
				}
				AppendIDKey(nil, []byte(tt.value))
			}
			raw := []byte(tt.value)
			whole := Span{0, len(raw)}
			String(raw, whole)
			EditArray(raw, whole, func(i int, _ Span) bool { return i%2 == 0 })
			if _, ok := FindID([]byte(`{"v":` + tt.value + `,"id":1`)); ok != tt.pass && tt.name != "commas" {
				t.Errorf("FindID: %v", ok)
			}
		})
	}
}

func TestT08AMillionKeysAreLinearWork(t *testing.T) {
	n := 1_000_000
	if testing.Short() {
		n = 100_000
	}
	object := manyKeys(n)
	scanned(t, answerWith(object), FromServer)
	refused(t, answerWith(object[:len(object)-1]+`,"K0":1}`), FromServer)
	raw := []byte(object)
	edits := CutMembers(raw, Root(raw), func(key string, _ Member) bool { return key[len(key)-1] != '7' })
	if out := Splice(nil, raw, edits); Validate(out) != nil {
		t.Error("cut members leave no JSON")
	}
}

// If hashes collide, an object costs the square of its keys. A server that knew the seeds could make them collide. A weak hash collides on
// these families of keys without any knowledge.
func TestT08HashesOfKeysSpread(t *testing.T) {
	var s keySet
	s.seed()
	for name, key := range map[string]func(i int) string{
		"counted":                func(i int) string { return fmt.Sprintf("k%d", i) },
		"equal at both ends":     func(i int) string { return fmt.Sprintf("aaaaaaaaaaaaaaaa%08dbbbbbbbbbbbbbbbb", i) },
		"equal but for the head": func(i int) string { return fmt.Sprintf("%08d%s", i, strings.Repeat("x", 40)) },
		"of many lengths":        func(i int) string { return strings.Repeat("a", i%2000) + fmt.Sprint(i) },
		"three bytes":            func(i int) string { return string([]byte{byte(i%90) + ' ', byte(i/90%90) + ' ', byte(i / 8100 % 90)}) },
		"escaped":                func(i int) string { return fmt.Sprintf(`\u%04x%d`, i%0x700+0x100, i) },
	} {
		const n = 50_000
		texts, sums := map[string]bool{}, map[uint64]bool{}
		for i := range n {
			k := key(i)
			texts[k] = true
			tr := traits(0)
			if strings.Contains(k, `\`) {
				tr = escaped
			}
			sums[s.sum([]byte(k), tr, false)] = true
		}
		if len(sums) < len(texts)-2 {
			t.Errorf("%s: %d keys, %d hashes", name, len(texts), len(sums))
		}
	}
}

func TestHashesCannotBePredicted(t *testing.T) {
	var a, b keySet
	a.seed()
	b.seed()
	if a.sum([]byte("name"), 0, true) == b.sum([]byte("name"), 0, true) {
		t.Error("two sets hash alike")
	}
}

func TestHashesOfFoldedKeysAreEqual(t *testing.T) {
	var s keySet
	s.seed()
	long := strings.Repeat("abcdefgXYZ", 10)
	for _, pair := range [][2]string{{"name", "NAME"}, {"paramſ", "PARAMS"}, {"K", "k"}, {long, strings.ToUpper(long)}, {"@[`{", "@[`{"}, {"σς", "ΣΣ"}} {
		trait := func(k string) (tr traits) {
			for _, c := range []byte(k) {
				if c >= 0x80 {
					tr = nonASCII
				}
			}
			return tr
		}
		if s.sum([]byte(pair[0]), trait(pair[0]), true) != s.sum([]byte(pair[1]), trait(pair[1]), true) {
			t.Errorf("%q and %q differ", pair[0], pair[1])
		}
		if pair[0] != pair[1] && s.sum([]byte(pair[0]), trait(pair[0]), false) == s.sum([]byte(pair[1]), trait(pair[1]), false) {
			t.Errorf("%q and %q are equal without folding", pair[0], pair[1])
		}
	}
	for c := range 256 { // every byte next to A and Z stays itself
		want := uint64(c)
		if 'A' <= c && c <= 'Z' {
			want += 'a' - 'A'
		}
		if got := lower(uint64(c)*ones) & 0xff; got != want {
			t.Errorf("lower(%#x) = %#x", c, got)
		}
	}
}

func TestOnlySmallMemoryStaysAfterAHugeMessage(t *testing.T) {
	var m Message
	if err := Scan([]byte(answerWith(manyKeys(200_000))), FromServer, &m); err != nil {
		t.Fatal(err)
	}
	if cap(m.scan.keys) > 16<<10 || cap(m.scan.table) > 32<<10 {
		t.Errorf("%d keys and %d slots stay", cap(m.scan.keys), cap(m.scan.table))
	}
}

func TestTheFirstSpecialByteIsFound(t *testing.T) {
	for size := 0; size < 3000; size += 37 {
		b := bytes.Repeat([]byte("x"), size)
		if IndexSpecial(b) != size {
			t.Errorf("%d bytes: %d", size, IndexSpecial(b))
		}
		for at := range b {
			b[at], b[min(at+1+at%5, size-1)] = `"\`[at%2], '\\'
			if b[at] == 'x' || IndexSpecial(b) != at {
				t.Errorf("%d of %d bytes: %d", at, size, IndexSpecial(b))
			}
			b[at], b[min(at+1+at%5, size-1)] = 'x', 'x'
		}
	}
}
