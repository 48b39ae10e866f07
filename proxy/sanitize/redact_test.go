package sanitize

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/sallyport/sallyport/proxy/frame"
	"github.com/sallyport/sallyport/proxy/inspect"
	"github.com/sallyport/sallyport/proxy/inspect/secrets"
)

// someKey and someToken look like a key and a token.
const (
	someKey   = "q7Zt3kX9mLw2Rn8Vb5Hd1Yc4"
	someToken = "ghp_" + "w8Jd2kQzX5nB7vT1cR4yL9mP3sF6hG0aE2uK"
)

func TestOnlyTheSecretIsReplaced(t *testing.T) {
	for name, c := range map[string]struct{ line, want string }{
		"a password":               {`{"result":{"content":[{"type":"text","text":"password=hunter2"}]}}`, `{"result":{"content":[{"type":"text","text":"password=[PASSWORD_REDACTED]"}]}}`},
		"a member":                 {`{"result":{"structuredContent":{"password" : "hunter2","n":1.50}}}`, `{"result":{"structuredContent":{"password" : "[PASSWORD_REDACTED]","n":1.50}}}`},
		"JSON in a string":         {`{"result":"{\"api_key\":\"` + someKey + `\"}"}`, `{"result":"{\"api_key\":\"[API_KEY_REDACTED]\"}"}`},
		"escapes before it":        {`{"result":"\u00e9\ud83d\ude00\n\/ token=` + someKey + `\nmore\u0021"}`, `{"result":"\u00e9\ud83d\ude00\n\/ token=[TOKEN_REDACTED]\nmore\u0021"}`},
		"escapes inside of it":     {`{"result":"password=\u0068unter\u0032 \ud800"}`, `{"result":"password=[PASSWORD_REDACTED] \ud800"}`},
		"an error":                 {`{"error":{"code":1,"message":"no redis://a:hunter2@h","data":["Bearer ` + someKey + `"]}}`, `{"error":{"code":1,"message":"no redis://a:[PASSWORD_REDACTED]@h","data":["Bearer [TOKEN_REDACTED]"]}}`},
		"two in one string":        {`{"result":"password=hunter2 password=hunter3"}`, `{"result":"password=[PASSWORD_REDACTED] password=[PASSWORD_REDACTED]"}`},
		"a private key":            {`{"result":"a\n-----BEGIN PRIVATE KEY-----\n` + strings.Repeat("MIIEvQ8x", 8) + `\n-----END PRIVATE KEY-----\nb"}`, `{"result":"a\n[PRIVATE_KEY_REDACTED]\nb"}`},
		"the name of a member":     {`{"result":{"password=hunter2":"password=hunter2"}}`, `{"result":{"password=[PASSWORD_REDACTED]":"password=[PASSWORD_REDACTED]"}}`},
		"a name that is a secret":  {`{"result":{"structuredContent":{"` + someToken + `" : 1,"x":"` + someToken + `"}}}`, `{"result":{"structuredContent":{"[TOKEN_REDACTED]" : 1,"x":"[TOKEN_REDACTED]"}}}`},
		"a name in a list":         {`{"result":[{"x":"` + someToken + `"},{"` + someToken + `":1}]}`, `{"result":[{"x":"[TOKEN_REDACTED]"},{"[TOKEN_REDACTED]":1}]}`},
		"a name with escapes":      {`{"result":{"\u00e9 password=\u0068unter2\n":1}}`, `{"result":{"\u00e9 password=[PASSWORD_REDACTED]\n":1}}`},
		"two in one name":          {`{"result":{"password=hunter2 password=hunter3":1}}`, `{"result":{"password=[PASSWORD_REDACTED] password=[PASSWORD_REDACTED]":1}}`},
		"the id stays":             {`{"id":"password=hunter2","result":{"id":"password=hunter2"}}`, `{"id":"password=hunter2","result":{"id":"password=[PASSWORD_REDACTED]"}}`},
		"an id with escapes stays": {`{"\u0069d":"password=hunter2","result":1}`, `{"\u0069d":"password=hunter2","result":1}`},
	} {
		t.Run(name, func(t *testing.T) {
			out, places, rules, err := Redact([]byte(c.line), secrets.Precise)
			if err != nil || string(out) != c.want {
				t.Errorf("%v\n%s\nis not\n%s", err, out, c.want)
			}
			if (places == 0) != (len(rules) == 0) || (places == 0) != (c.line == c.want) {
				t.Errorf("%d places, rules %q", places, rules)
			}
		})
	}
}

// Two names that became one would give their object two readings.
func TestNamesThatHoldSecretsStayApart(t *testing.T) {
	for name, c := range map[string]struct{ line, want string }{
		"two of one object":       {`{"password=hunter2":1,"n":0,"password=hunter3":2}`, `{"password=[PASSWORD_REDACTED]":1,"n":0,"password=[PASSWORD_REDACTED]~2":2}`},
		"a mark stands there":     {`{"password=hunter2":1,"password=[PASSWORD_REDACTED]":2}`, `{"password=[PASSWORD_REDACTED]~2":1,"password=[PASSWORD_REDACTED]":2}`},
		"nearly, but for case":    {`{"Password=hunter2":1,"password=hunter3":2}`, `{"Password=[PASSWORD_REDACTED]":1,"password=[PASSWORD_REDACTED]~2":2}`},
		"one in each of two":      {`[{"password=hunter2":1},{"password=hunter3":2}]`, `[{"password=[PASSWORD_REDACTED]":1},{"password=[PASSWORD_REDACTED]":2}]`},
		"one around the other":    {`{"password=hunter2":{"password=hunter3":"password=hunter4"}}`, `{"password=[PASSWORD_REDACTED]":{"password=[PASSWORD_REDACTED]":"password=[PASSWORD_REDACTED]"}}`},
		"what stands there is ~2": {`{"password=hunter2":1,"password=hunter3":2,"password=[PASSWORD_REDACTED]~2":3}`, `{"password=[PASSWORD_REDACTED]":1,"password=[PASSWORD_REDACTED]~3":2,"password=[PASSWORD_REDACTED]~2":3}`},
	} {
		t.Run(name, func(t *testing.T) {
			out, _, _, err := Redact([]byte(c.line), secrets.Precise)
			if err != nil || string(out) != c.want {
				t.Errorf("%v\n%s\nis not\n%s", err, out, c.want)
			}
		})
	}
	var many strings.Builder
	for i := range maxKeys + 1 {
		fmt.Fprintf(&many, `,"password=hunter%d":1`, i)
	}
	if out, _, _, err := Redact([]byte("{"+many.String()[1:]+"}"), secrets.Precise); !errors.Is(err, ErrPlaces) {
		t.Errorf("%v, %d bytes", err, len(out))
	}
}

func TestWithoutASecretTheLineIsTheSame(t *testing.T) {
	line := []byte(`{"result":{"content":[{"type":"text","text":"The token is ${TOKEN}; password: <your-password>"}]}}`)
	out, places, rules, err := Redact(line, secrets.Precise)
	if err != nil || &out[0] != &line[0] || places != 0 || rules != nil {
		t.Errorf("%s %d %q %v", out, places, rules, err)
	}
}

// Secrets beyond those that a report lists are replaced too.
func TestEveryOneOfManySecretsIsReplaced(t *testing.T) {
	line := []byte(`{"result":"` + strings.Repeat("password=hunter2 ", 3000) + `"}`)
	out, places, _, err := Redact(line, secrets.Precise)
	if err != nil || places != 3000 || bytes.Contains(out, []byte("hunter2")) {
		t.Errorf("%d places, %v", places, err)
	}
}

// Text between secrets stays, and the result is JSON with the same number of keys and nothing left to replace.
func FuzzRedact(f *testing.F) {
	f.Add([]byte(`{"result":"password=hunter2"}`), false)
	f.Add([]byte(`{"password":"\u0068unter2","a":["Bearer `+someKey+`",{"name":"X_TOKEN","value":"`+someKey+`"}]}`), false)
	f.Add([]byte(`{"a":"x://u:p\ud83d\ude00ss1@h curl -u a:b1c2d3 --token \"`+someKey+`\"","b":"kind: Secret\ndata:\n  a: aHVudGVyMmh1bnRlcjI="}`), true)
	f.Add([]byte(`{"password=hunter2":{"`+someToken+`":1,"`+someToken[:39]+`Z":2},"password=hunter3":"x"}`), false)
	f.Add([]byte(`["-----BEGIN PRIVATE KEY-----\nMIIE`+strings.Repeat("QxZ8", 20)+`","eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0NTY3ODkwIn0.dozjgNry"]`), true)
	f.Fuzz(func(t *testing.T, raw []byte, strict bool) {
		if frame.Validate(raw) != nil {
			return
		}
		profile := secrets.Precise
		if strict {
			profile = secrets.Strict
		}
		out, places, _, err := Redact(raw, profile)
		if err != nil {
			return
		}
		if !json.Valid(out) || frame.Validate(out) != nil {
			t.Fatalf("%q is no JSON any more: %q", raw, out)
		}
		if got, want := keysOf(out), keysOf(raw); got != want {
			t.Fatalf("%q has not as many keys as %q", out, raw)
		}
		last, left := 0, 0
		inspect.EachSecret(raw, profile, func(s inspect.Spot) bool {
			if s.From < last || s.To <= s.From || s.To > len(raw) {
				t.Fatalf("a secret at %d to %d after %d in %q", s.From, s.To, last, raw)
			}
			last = s.To
			return true
		})
		if places == 0 && !bytes.Equal(raw, out) {
			t.Fatalf("%q became %q", raw, out)
		}
		_, left, _, err = Redact(out, profile)
		if err == nil && left > places {
			t.Fatalf("%q has more secrets than %q", out, raw)
		}
	})
}

// keysOf counts keys.
func keysOf(raw []byte) (n int) {
	eachString(raw, func(s str) bool {
		if s.key {
			n++
		}
		return true
	})
	return n
}
