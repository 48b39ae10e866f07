package guardrail

import (
	"encoding/json"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/sallyport/sallyport/proxy/vocab"
)

func TestAnAnswerIsReadInOneWayOrNotAtAll(t *testing.T) {
	const good = `{"id":"7","verdict":"flag","score":0.5,"reason":"why"}`
	for _, c := range []struct {
		name, raw string
		fails     string // "" if it is read
	}{
		{"the object", good, ""},
		{"with white space and members of its own", ` { "x":[{"id":"8"}], "reason":"why", "score":5e-1, "verdict":"flag", "id":"\u0037" } `, ""},
		{"whole scores", `{"id":"7","verdict":"flag","score":1,"reason":""}`, ""},
		{"nothing", ``, "not one JSON object"},
		{"a word", `allow`, "not one JSON object"},
		{"null", `null`, "not one JSON object"},
		{"an array", `[` + good + `]`, "not one JSON object"},
		{"two objects", good + good, "not one JSON object"},
		{"half an object", good[:20], "not one JSON object"},
		{"a trailing comma", `{"id":"7","verdict":"flag","score":0.5,"reason":"why",}`, "not one JSON object"},
		{"a verdict twice", `{"id":"7","verdict":"flag","verdict":"allow","score":0.5,"reason":"why"}`, "not one JSON object"},
		{"a verdict twice, in another case", `{"id":"7","verdict":"flag","Verdict":"allow","score":0.5,"reason":"why"}`, "not one JSON object"},
		{"invalid UTF-8", "{\"id\":\"7\",\"verdict\":\"flag\",\"score\":0.5,\"reason\":\"\xff\"}", "not one JSON object"},
		{"half a character", `{"id":"7","verdict":"flag","score":0.5,"reason":"\ud800"}`, "half a character in reason"},
		{"no id", `{"verdict":"flag","score":0.5,"reason":"why"}`, "without id"},
		{"an id that is a number", `{"id":7,"verdict":"flag","score":0.5,"reason":"why"}`, "without id"},
		{"another id", `{"id":"8","verdict":"flag","score":0.5,"reason":"why"}`, "another request"},
		{"no verdict", `{"id":"7","score":0.5,"reason":"why"}`, "without verdict"},
		{"a verdict in another case", `{"id":"7","verdict":"Allow","score":0.5,"reason":"why"}`, "a verdict other than"},
		{"an empty verdict", `{"id":"7","verdict":"","score":0.5,"reason":"why"}`, "a verdict other than"},
		{"no score", `{"id":"7","verdict":"flag","reason":"why"}`, "without score"},
		{"a score in words", `{"id":"7","verdict":"flag","score":"0.5","reason":"why"}`, "a score that is not"},
		{"a score of null", `{"id":"7","verdict":"flag","score":null,"reason":"why"}`, "a score that is not"},
		{"a score of true", `{"id":"7","verdict":"flag","score":true,"reason":"why"}`, "a score that is not"},
		{"a score below", `{"id":"7","verdict":"flag","score":-0.1,"reason":"why"}`, "a score that is not"},
		{"a score beyond numbers", `{"id":"7","verdict":"flag","score":1e999,"reason":"why"}`, "a score that is not"},
		{"no reason", `{"id":"7","verdict":"flag","score":0.5}`, "without reason"},
		{"a reason of null", `{"id":"7","verdict":"flag","score":0.5,"reason":null}`, "without reason"},
		{"more than 64 KiB", `{"id":"7","verdict":"flag","score":0.5,"reason":"` + strings.Repeat("x", MaxAnswer) + `"}`, "more than 64 KiB"},
	} {
		t.Run(c.name, func(t *testing.T) {
			a, err := readAnswer([]byte(c.raw), "7")
			if c.fails != "" {
				failed(t, err, c.fails)
				return
			}
			if err != nil || a.ID != "7" || a.Verdict != vocab.VoteFlag {
				t.Errorf("%+v, %v", a, err)
			}
		})
	}
}

func TestAReasonIsCutBetweenCharacters(t *testing.T) {
	a, err := readAnswer([]byte(`{"id":"7","verdict":"block","score":1,"reason":"`+strings.Repeat("ä", 1000)+`"}`), "7")
	if err != nil || a.Reason != strings.Repeat("ä", MaxReason) {
		t.Errorf("%+v, %v", a, err)
	}
}

func FuzzReadAnswer(f *testing.F) {
	for _, seed := range []string{
		`{"id":"7","verdict":"flag","score":0.5,"reason":"why"}`,
		` {"reason":"\ud83d\ude00","score":1E-2,"verdict":"block","id":"\u0037","ran":["REGEX"],"not_run":{"PROMPT_GUARD":"x"}} `,
		`{"id":"7","verdict":"allow","Verdict":"block","score":0,"reason":""}`,
		`[{"id":"7"}]`, `{"id":{"id":"7"},"score":-0,"verdict":[],"reason":null}`,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		a, err := readAnswer(raw, "7")
		if err != nil {
			failed(t, err, "")
			return
		}
		readScanners(&a, raw, llamaScanners)
		var other Answer // another reader must have read the same
		var loose struct {
			ID, Verdict, Reason string
			Score               float64
		}
		if err := json.Unmarshal(raw, &loose); err != nil {
			t.Fatalf("another reader refuses it: %v", err)
		}
		other = Answer{ID: loose.ID, Verdict: vocab.Vote(loose.Verdict), Score: loose.Score}
		if a.ID != "7" || other.ID != a.ID || other.Verdict != a.Verdict || other.Score != a.Score || !strings.HasPrefix(loose.Reason, a.Reason) {
			t.Errorf("%+v, another reader: %+v", a, loose)
		}
		if a.Score < 0 || a.Score > 1 || rank(a.Verdict) == 0 || utf8.RuneCountInString(a.Reason) > MaxReason || !utf8.ValidString(a.Reason) {
			t.Errorf("%+v", a)
		}
		if len(a.Ran) > len(llamaScanners) || len(a.NotRun) > len(llamaScanners) {
			t.Errorf("%+v", a)
		}
	})
}
