package sanitize

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/sallyport/sallyport/proxy/frame"
)

func TestControlCharactersBecomeLettersOrGoWhereverTheyStand(t *testing.T) {
	for _, c := range []struct{ name, in, visible, strip string }{
		{"a colour", `"a \u001b[31mred\u001b[0m b"`, `"a ESC[31mredESC[0m b"`, `"a red b"`},
		{"ESC in capitals", `"\u001B[2J"`, `"ESC[2J"`, `""`},
		{"a window title that ends with BEL", `"x\u001b]0;owned\u0007y"`, `"xESC]0;ownedBELy"`, `"xy"`},
		{"a link that ends with ST", `"\u001b]8;;https://evil.example\u001b\\click\u001b]8;;\u001b\\"`,
			`"ESC]8;;https://evil.exampleESC\\clickESC]8;;ESC\\"`, `"click"`},
		{"a clipboard write (OSC 52)", `"\u001b]52;c;cm0gLXJm\u0007"`, `"ESC]52;c;cm0gLXJmBEL"`, `""`},
		{"DCS, APC, PM and SOS", `"\u001bPq\u001b\\\u001b_a\u001b\\\u001b^p\u001b\\\u001bXs\u001b\\."`,
			`"ESCPqESC\\ESC_aESC\\ESC^pESC\\ESCXsESC\\."`, `"."`},
		{"an OSC that does not end takes nothing with it", `"\u001b]0;the rest of the text stays"`, `"ESC]0;the rest of the text stays"`, `"0;the rest of the text stays"`},
		{"C1 as it is", "\"\u009b31mred\u0085\"", `"CSI31mredNEL"`, `"red"`},
		{"C1 written out", `"\u009B31mred\u009d0;t\u009cx"`, `"CSI31mredOSC0;tSTx"`, `"redx"`},
		{"DEL as it is and written out", "\"a\x7fb\\u007Fc\"", `"aDELbDELc"`, `"abc"`},
		{"NUL, backspace, form feed, vertical tab", `"a\u0000\b\f\u000b"`, `"aNULBSFFVT"`, `"a"`},
		{"a carriage return that overwrites a line", `"rm -rf /\rls"`, `"rm -rf /CRls"`, `"rm -rf /ls"`},
		{"two carriage returns before a line feed", `"a\r\r\nb"`, `"aCR\r\nb"`, `"a\r\nb"`},
		{"ESC at the end of a text", `"a\u001b"`, `"aESC"`, `"a"`},
		{"two ESC in a row", `"\u001b\u001b[31mx"`, `"ESCESC[31mx"`, `"x"`},
		{"an escape inside a sequence", `"\u001b[3\u0031mx"`, `"ESC[3\u0031mx"`, `"x"`},
		{"deep in arrays and objects", `{"a":[{"b":"\u001bc"},1,"\u0007"]}`, `{"a":[{"b":"ESCc"},1,"BEL"]}`, `{"a":[{"b":""},1,""]}`},
		{"a pair of surrogates beside it", `"\ud83d\ude00\u0007\ud83d"`, `"\ud83d\ude00BEL\ud83d"`, `"\ud83d\ude00\ud83d"`},
	} {
		for mode, want := range map[string]string{Visible: c.visible, Strip: c.strip, "anything else": c.visible, Off: c.in} {
			out, changed, err := clean([]byte(c.in), mode, false)
			if err != nil || string(out) != want {
				t.Errorf("%s, %s: %s (%v), want %s", c.name, mode, out, err, want)
			}
			if (changed > 0) != (want != c.in) {
				t.Errorf("%s, %s: %d changes", c.name, mode, changed)
			}
		}
	}
}

func TestWhatHasNoControlCharactersComesBackAsTheSameBytes(t *testing.T) {
	for _, in := range []string{
		`"plain"`, `"tab\tand\nlines\r\nand \u000d\u000a\u0009"`, `"a path C:\\boot\\room\\fonts"`, `"\\u001b is written about"`,
		"\"caf\u00e9 \u00a0 \u00b5 \u2028 \u200f\"", `{"\\b":"\\r","n":1e5, "x" : [true,null] }`, `"é ÿ"`, `12`, `"\"\\"`,
	} {
		for _, mode := range []string{Visible, Strip, Off} {
			raw := []byte(in)
			out, changed, err := Line(raw, mode)
			if err != nil || changed != 0 || &out[0] != &raw[0] || string(out) != in {
				t.Errorf("%s, %s: %s, %d changes, %v", in, mode, out, changed, err)
			}
		}
	}
}

func TestTheEnvelopeOfAMessageStaysAsItIs(t *testing.T) {
	in := `{"jsonrpc":"2.0","\u0069d":"a\u001b","method":"x\u0007","params":{"id":"b\u001b","method":"\u0007"}}`
	want := `{"jsonrpc":"2.0","\u0069d":"a\u001b","method":"x\u0007","params":{"id":"bESC","method":"BEL"}}`
	out, changed, err := Line([]byte(in), Visible)
	if string(out) != want || changed != 2 || err != nil {
		t.Errorf("%s, %d, %v", out, changed, err)
	}
	if out, _, _ := clean([]byte(`{"id":"a\u001b"}`), Visible, false); string(out) != `{"id":"aESC"}` {
		t.Errorf("the id of a value that is no message: %s", out)
	}
}

func TestNoNameOfAMemberBecomesAnother(t *testing.T) {
	for _, c := range []struct{ name, in, want string }{
		{"a name is spelled out in every mode", `{"a\u001b[0m":1,"b\u0007":2}`, `{"aESC[0m":1,"bU+0007":2}`},
		{"one that would be another's", `{"aESC":1,"a\u001b":2}`, `{"aESC":1,"aESC~2":2}`},
		{"one that would nearly be another's", `{"aesc":1,"a\u001b":2}`, `{"aesc":1,"aESC~2":2}`},
		{"two that become one", `{"U+0007":1,"\u0007":2,"\u0007":3}`, `{"U+0007":1,"U+0007~2":2,"U+0007~3":3}`},
		{"a name of the protocol behind a control character", `{"\u001bisError":true,"\u0000sallyport/decision":{}}`, `{"ESCisError":true,"U+0000sallyport/decision":{}}`},
		{"equal names of two objects", `{"a":{"x\u0007":1},"b":{"xU+0007":2}}`, `{"a":{"xU+0007":1},"b":{"xU+0007":2}}`},
	} {
		for _, mode := range []string{Visible, Strip} {
			out, _, err := clean([]byte(c.in), mode, false)
			if err != nil {
				t.Fatal(c.name, err)
			}
			if string(out) != c.want {
				t.Errorf("%s, %s: %s, want %s", c.name, mode, out, c.want)
			}
		}
	}
}

func TestAMessageWithTooManySuchNamesIsRefused(t *testing.T) {
	var b strings.Builder
	for i := range maxKeys + 1 {
		fmt.Fprintf(&b, `,"\u0007%d":0`, i)
	}
	if _, _, err := clean([]byte("{"+b.String()[1:]+"}"), Strip, false); !errors.Is(err, ErrKeys) {
		t.Errorf("%v", err)
	}
}

// Many introducers, each possibly the start of a long sequence, must take linear time: with a look ahead for each, this test would not
// end.
func TestT08HygieneOfAFloodIsLinear(t *testing.T) {
	for _, unit := range []string{`\u001b]`, `\u001b[`, "\u009d", `\u0000`, `\r`, `\u001bP` + strings.Repeat("x", 5000), `\u001b[` + strings.Repeat("0", 5000)} {
		raw := []byte(`"` + strings.Repeat(unit, 4<<20/len(unit)) + `"`)
		for _, mode := range []string{Visible, Strip} {
			out, _, err := clean(raw, mode, false)
			if err != nil || len(out) > 3*len(raw) {
				t.Errorf("%q, %s: %d bytes become %d, %v", unit, mode, len(raw), len(out), err)
			}
		}
	}
}

func FuzzHygiene(f *testing.F) {
	for _, s := range []string{`"\u001b[31mred\u001b]0;x\u0007"`, `{"a\u001b":{"b":"\r"},"aESC":[1,"\u009b"]}`, "\"\x7f\u0085\\ud83d\\u0007\\ude00\"", `{"jsonrpc":"2.0","id":"\u0007","result":{"x":"\u0000"}}`, `"\\u001b\r\r\n"`} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		if frame.Validate(raw) != nil {
			return
		}
		before := bytes.Clone(raw)
		if out, changed, err := clean(raw, Off, false); changed != 0 || err != nil || !bytes.Equal(out, raw) {
			t.Fatalf("off changes %q to %q", raw, out)
		}
		for _, mode := range []string{Visible, Strip} {
			out, changed, err := clean(raw, mode, false)
			if errors.Is(err, ErrKeys) {
				continue
			}
			if !bytes.Equal(raw, before) {
				t.Fatalf("%s wrote into what it was given", mode)
			}
			if err := frame.Validate(out); err != nil {
				t.Fatalf("%s of %q is %q: %v", mode, raw, out, err)
			}
			again, more, err := clean(out, mode, false)
			if err != nil || more != 0 || !bytes.Equal(again, out) {
				t.Fatalf("%s of %q is %q, and of that %q", mode, raw, out, again)
			}
			if bad := uncleanIn(decoded(t, out)); bad != "" {
				t.Fatalf("%s of %q leaves %q in %q", mode, raw, bad, out)
			}
			if (changed > 0) != (uncleanIn(decoded(t, raw)) != "") {
				t.Fatalf("%s of %q: %d changes", mode, raw, changed)
			}
		}
	})
}

func decoded(t *testing.T, raw []byte) (value any) {
	t.Helper()
	in := json.NewDecoder(bytes.NewReader(raw))
	in.UseNumber()
	if err := in.Decode(&value); err != nil {
		t.Fatal(err)
	}
	return value
}

// uncleanIn is the first text with a control character, read with encoding/json and not with this package.
func uncleanIn(value any) string {
	switch v := value.(type) {
	case string:
		for i, r := range v {
			if r < 0x20 && r != '\t' && r != '\n' && !(r == '\r' && strings.HasPrefix(v[i:], "\r\n")) || r >= 0x7f && r <= 0x9f {
				return v
			}
		}
	case []any:
		for _, e := range v {
			if bad := uncleanIn(e); bad != "" {
				return bad
			}
		}
	case map[string]any:
		for key, e := range v {
			if bad := uncleanIn(key); bad != "" {
				return bad
			}
			if bad := uncleanIn(e); bad != "" {
				return bad
			}
		}
	}
	return ""
}

func BenchmarkHygiene(b *testing.B) {
	text := strings.Repeat(`{"path":"src/main.go","text":"func main() {\n\tfmt.Println(\"caf\u00e9 °\")\n}\r\n"},`, 1<<20/90)
	for name, s := range map[string]string{
		"no escapes": `["` + strings.Repeat("ordinary words ", 1<<20/15) + `"]`,
		"source":     `[` + strings.TrimSuffix(text, ",") + `]`,
		"hostile":    `["` + strings.Repeat(`\u001b[1m`, 1<<20/9) + `"]`,
	} {
		b.Run(name, func(b *testing.B) {
			raw := []byte(s)
			b.SetBytes(int64(len(raw)))
			b.ReportAllocs()
			for b.Loop() {
				if _, _, err := Line(raw, Visible); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
