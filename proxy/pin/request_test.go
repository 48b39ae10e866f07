package pin

import "testing"

func TestRequestsThatAskForTheSameHaveOneDigest(t *testing.T) {
	digest := func(method, params string) Digest {
		t.Helper()
		var raw []byte
		if params != "" {
			raw = []byte(params)
		}
		d, err := RequestDigest(method, raw)
		if err != nil {
			t.Fatal(err)
		}
		return d
	}
	base := digest("tools/call", `{"name":"read","arguments":{"path":"a","n":1}}`)
	for name, same := range map[string]string{
		"order and space":        `{ "arguments": {"n":1, "path":"a"}, "name":"read" }`,
		"another progress token": `{"name":"read","arguments":{"path":"a","n":1},"_meta":{"progressToken":7}}`,
		"another spelling":       `{"name":"re\u0061d","arguments":{"path":"a","n":1}}`,
	} {
		if digest("tools/call", same) != base {
			t.Errorf("%s: another digest", name)
		}
	}
	for name, other := range map[string]string{
		"another argument":  `{"name":"read","arguments":{"path":"b","n":1}}`,
		"another number":    `{"name":"read","arguments":{"path":"a","n":1.0}}`,
		"one argument more": `{"name":"read","arguments":{"path":"a","n":1,"m":null}}`,
		"another tool":      `{"name":"reads","arguments":{"path":"a","n":1}}`,
	} {
		if digest("tools/call", other) == base {
			t.Errorf("%s: the same digest", name)
		}
	}
	if digest("prompts/get", `{"name":"read","arguments":{"path":"a","n":1}}`) == base {
		t.Error("another method: the same digest")
	}
	if digest("tools/call", `{"name":"x"}`) != digest("tools/call", `{"name":"x","arguments":{ }}`) {
		t.Error("no arguments are not the same as none")
	}
	if digest("tasks/list", "") != digest("tasks/list", "{}") {
		t.Error("no params are not the same as empty ones")
	}
}

func TestARequestThatReadsTwoWaysHasNoDigest(t *testing.T) {
	for _, params := range []string{`{"name":"\ud800"}`, `{"name":"a","name":"b"}`, `[`} {
		if d, err := RequestDigest("tools/call", []byte(params)); err == nil {
			t.Errorf("%s has the digest %s", params, d)
		}
	}
}
