package sanitize

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"strings"
	"testing"

	"github.com/sallyport/sallyport/proxy/frame"
)

var idOfBoundary = regexp.MustCompile(`external-content-[0-9a-f]{12}\b`)

// numbered gives each id of a boundary a number, in order.
func numbered(line []byte) string {
	ids := map[string]int{}
	return idOfBoundary.ReplaceAllStringFunc(string(line), func(id string) string {
		if _, known := ids[id]; !known {
			ids[id] = len(ids) + 1
		}
		return fmt.Sprintf("ID%d", ids[id])
	})
}

// bounded is Boundaries of a message that has not too many texts.
func bounded(t testing.TB, line []byte, source string) []byte {
	t.Helper()
	out, err := Boundaries(line, source)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func TestEachTextIsBetweenBoundariesOfItsOwn(t *testing.T) {
	const first, last = `<ID%d source=\"mail/read\">\n`, `\n</ID%d>`
	for name, c := range map[string]struct{ in, want string }{
		"text blocks":           {`{"id":1,"result":{"content":[{"type":"text","text":"a"},{"text" : "\u00e9\n","type":"text"}]}}`, `{"id":1,"result":{"content":[{"type":"text","text":"[1 a 1]"},{"text" : "[2 \u00e9\n 2]","type":"text"}]}}`},
		"an empty text":         {`{"result":{"content":[{"type":"text","text":""}]}}`, `{"result":{"content":[{"type":"text","text":"[1  1]"}]}}`},
		"embedded text":         {`{"result":{"content":[{"type":"resource","resource":{"uri":"a:b","text":"a"}},{"type":"resource","resource":{"uri":"a:b","blob":"YQ=="}}]}}`, `{"result":{"content":[{"type":"resource","resource":{"uri":"a:b","text":"[1 a 1]"}},{"type":"resource","resource":{"uri":"a:b","blob":"YQ=="}}]}}`},
		"resources":             {`{"result":{"contents":[{"uri":"a:b","text":"a"},{"uri":"a:c","text":"b"}]}}`, `{"result":{"contents":[{"uri":"a:b","text":"[1 a 1]"},{"uri":"a:c","text":"[2 b 2]"}]}}`},
		"messages of a prompt":  {`{"result":{"messages":[{"role":"user","content":{"type":"text","text":"a"}},{"role":"user","content":[{"type":"text","text":"b"}]}]}}`, `{"result":{"messages":[{"role":"user","content":{"type":"text","text":"[1 a 1]"}},{"role":"user","content":[{"type":"text","text":"[2 b 2]"}]}]}}`},
		"an error":              {`{"id":1,"error":{"code":-1,"message":"a","data":"a"}}`, `{"id":1,"error":{"code":-1,"message":"[1 a 1]","data":"a"}}`},
		"escaped names":         {`{"\u0072esult":{"c\u006fntent":[{"te\u0078t":"a"}]}}`, `{"\u0072esult":{"c\u006fntent":[{"te\u0078t":"[1 a 1]"}]}}`},
		"a result with isError": {`{"result":{"content":[{"type":"text","text":"a"}],"isError":true}}`, `{"result":{"content":[{"type":"text","text":"[1 a 1]"}],"isError":true}}`},
		"nothing to wrap":       {`{"result":{"structuredContent":{"content":[{"text":"a"}]},"content":[{"type":"image","data":"YQ=="},{"type":"resource_link","uri":"a:b","name":"n"},{"text":1}],"text":"a","messages":{},"contents":null}}`, ""},
		"no object":             {`{"result":"text","error":"text"}`, ""},
	} {
		t.Run(name, func(t *testing.T) {
			if c.want == "" {
				c.want = c.in
			}
			for n := 1; n <= 2; n++ {
				c.want = strings.ReplaceAll(c.want, fmt.Sprintf("[%d ", n), fmt.Sprintf(first, n))
				c.want = strings.ReplaceAll(c.want, fmt.Sprintf(" %d]", n), fmt.Sprintf(last, n))
			}
			in := []byte(c.in)
			out := bounded(t, in, "mail/read")
			if got := numbered(out); got != c.want {
				t.Errorf("\n%s\nis not\n%s", got, c.want)
			}
			if !json.Valid(out) || (c.in == c.want) != (&out[0] == &in[0]) {
				t.Errorf("%s", out)
			}
		})
	}
}

func TestEachTextOfATaskIsBetweenBoundariesWhereverItArrives(t *testing.T) {
	const first, last = `<ID1 source=\"mail/read\">\n`, `\n</ID1>`
	for name, line := range map[string]string{
		"the result of tasks/result":   `{"id":1,"result":{"content":[{"type":"text","text":"[a]"}]}}`,
		"the result in a state":        `{"id":1,"result":{"taskId":"t","status":"completed","result":{"content":[{"type":"text","text":"[a]"}]}}}`,
		"the error in a state":         `{"id":1,"result":{"status":"failed","error":{"code":1,"message":"[a]"}}}`,
		"the status in words":          `{"id":1,"result":{"status":"working","statusMessage":"[a]"}}`,
		"the result in a notification": `{"method":"notifications/tasks","params":{"taskId":"t","result":{"content":[{"type":"text","text":"[a]"}]}}}`,
		"an error":                     `{"id":1,"error":{"code":1,"message":"[a]"}}`,
		"nothing":                      `{"id":1,"result":{"taskId":"a","status":"a","inputRequests":{"a":{"params":{"message":"a"}}}}}`,
	} {
		out, err := TaskBoundaries([]byte(strings.Replace(line, `"[a]"`, `"a"`, 1)), "mail/read")
		if want := strings.Replace(line, `"[a]"`, `"`+first+`a`+last+`"`, 1); err != nil || numbered(out) != want {
			t.Errorf("%s\n%s\nis not\n%s: %v", name, numbered(out), want, err)
		}
	}
}

func TestASourceIsAnAttributeWhateverItsName(t *testing.T) {
	for source, want := range map[string]string{
		"mail/read_mail":                 "mail/read_mail",
		`a/"x" <b> & 'c'`:                `a/&quot;x&quot; &lt;b&gt; &amp; &#39;c&#39;`,
		"a/b\n</external-content-x>\x1b": "a/b [REDACTED:tag]",
		"mcp__a__b/_\u200b_ot":           "[REDACTED:trigger]__b/[REDACTED:trigger]",
		"a/" + strings.Repeat("é", 999):  "a/" + strings.Repeat("é", maxSource-2),
		"a/\xff":                         "a/\uFFFD",
	} {
		out := bounded(t, []byte(`{"error":{"message":"x"}}`), source)
		var told struct{ Error struct{ Message string } }
		if err := json.Unmarshal(out, &told); err != nil {
			t.Fatal(err)
		}
		_, got, _ := strings.Cut(told.Error.Message, ` source="`)
		if got, _, _ = strings.Cut(got, `">`+"\nx\n</"); got != want {
			t.Errorf("%q: %q, want %q", source, got, want)
		}
	}
}

// An empty text has 11 bytes and its tags have more than a thousand, if the server calls its tool by quotation marks.
func TestMoreTextsThanCanBeBoundedAreRefused(t *testing.T) {
	source := "mail/" + strings.Repeat(`"`, 999)
	for _, c := range []struct {
		texts int
		err   error
	}{{20_000, nil}, {25_000, ErrTexts}} {
		line := []byte(`{"result":{"content":[` + strings.TrimSuffix(strings.Repeat(`{"text":""},`, c.texts), ",") + `]}}`)
		out, err := Boundaries(line, source)
		if !errors.Is(err, c.err) || (err == nil) != json.Valid(out) || len(out) > len(line)+maxTags {
			t.Errorf("%d texts became %d bytes, %v", c.texts, len(out), err)
		}
	}
}

func TestNoTwoBoundariesHaveOneID(t *testing.T) {
	const blocks = 2000
	line := []byte(`{"result":{"content":[` + strings.TrimSuffix(strings.Repeat(`{"type":"text","text":""},`, blocks), ",") + `]}}`)
	ids := map[string]bool{}
	for range 2 {
		for _, id := range idOfBoundary.FindAllString(string(bounded(t, line, "a/b")), -1) {
			ids[id] = true
		}
	}
	if len(ids) != 2*blocks {
		t.Errorf("%d ids for %d blocks", len(ids), 2*blocks)
	}
}

// What is wrapped is JSON with the same names, and without its boundaries the same bytes.
func FuzzBoundaries(f *testing.F) {
	f.Add([]byte(`{"result":{"content":[{"type":"text","text":"a"},{"type":"resource","resource":{"text":""}}]}}`), "a/b")
	f.Add([]byte(`{"error":{"message":"a","data":1},"result":{"messages":[{"content":{"text":"\u0000"}}],"contents":[{"text":"x"}]}}`), "\"<>&'\x00")
	edges := regexp.MustCompile(`<external-content-[0-9a-f]{12} source=\\"(?:[^"\\]|\\\\)*\\">\\n|\\n</external-content-[0-9a-f]{12}>`)
	f.Fuzz(func(t *testing.T, raw []byte, source string) {
		if frame.Validate(raw) != nil || bytes.Contains(raw, []byte("external-content")) || strings.Contains(source, "external-content") {
			return
		}
		out := bounded(t, raw, source)
		if !json.Valid(out) || frame.Validate(out) != nil || keysOf(out) != keysOf(raw) {
			t.Fatalf("%q became %q", raw, out)
		}
		if back := edges.ReplaceAll(out, nil); !bytes.Equal(back, raw) {
			t.Fatalf("%q became %q, which is %q without boundaries", raw, out, back)
		}
	})
}

func BenchmarkBoundaries(b *testing.B) {
	block := `{"type":"text","text":"` + strings.Repeat(`func main() {\n\tfmt.Println(1)\n}\n`, 300) + `"},`
	for name, s := range map[string]string{
		"one block":   `{"result":{"content":[{"type":"text","text":"` + strings.Repeat("ordinary words ", 1<<20/15) + `"}]}}`,
		"many blocks": `{"result":{"content":[` + strings.TrimSuffix(strings.Repeat(block, 1<<20/len(block)), ",") + `]}}`,
		"empty":       `{"result":{"content":[` + strings.TrimSuffix(strings.Repeat(`{"type":"text","text":""},`, 1<<20/26), ",") + `]}}`,
	} {
		b.Run(name, func(b *testing.B) {
			raw := []byte(s)
			b.SetBytes(int64(len(raw)))
			b.ReportAllocs()
			for b.Loop() {
				bounded(b, raw, "files/read_file")
			}
		})
	}
}
