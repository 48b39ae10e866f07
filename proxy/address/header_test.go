package address

import (
	"strings"
	"testing"
)

func TestHeadersNameWhereTheirValueIs(t *testing.T) {
	for text, words := range map[string]string{
		"X-Key: env:KEY": "", "Authorization: Bearer env:TOKEN": "", "authorization:keychain:work": "",
		"X-Key: secret":               "can't be on the command line",
		"X-Key: Bearer secret":        "can't be on the command line",
		"X-Key: a b env:KEY":          "at most one word",
		"X-Key":                       "write it as",
		"X Key: env:KEY":              "write it as",
		": env:KEY":                   "write it as",
		"X-Key: env:":                 "can't be on the command line",
		"Host: env:H":                 "set by Sallyport itself",
		"content-length: env:H":       "set by Sallyport itself",
		"ACCEPT: env:H":               "set by Sallyport itself",
		"Cookie: env:H":               "set by Sallyport itself",
		"mcp-session-id: env:H":       "set by Sallyport itself",
		"Last-Event-ID: env:H":        "set by Sallyport itself",
		"Proxy: env:H":                "",
		"X-Key: B\u00e9arer env:KEY":  "at most one word",
		"Authorization: Bearer  env:": "can't be on the command line",
	} {
		_, err := ParseHeader(text)
		if (err == nil) != (words == "") || err != nil && !strings.Contains(err.Error(), words) {
			t.Errorf("%q: %v", text, err)
		}
		if err != nil && strings.Contains(err.Error(), "secret") {
			t.Errorf("%q: the error has the value: %v", text, err)
		}
	}
}

func TestAValueWithALineBreakIsNeverSent(t *testing.T) {
	h, err := ParseHeader("Authorization: Bearer env:TOKEN")
	if err != nil {
		t.Fatal(err)
	}
	if got, err := h.Value("abc"); got != "Bearer abc" || err != nil {
		t.Errorf("%q, %v", got, err)
	}
	for _, secret := range []string{"hush\r\nX: y", "hush\n", "hush\x00", ""} {
		if _, err := h.Value(secret); err == nil || strings.Contains(err.Error(), "hush") || !strings.Contains(err.Error(), "env:TOKEN") {
			t.Errorf("%q: %v", secret, err)
		}
	}
}

func TestWhichHeadersAPersonCanHaveSentAlong(t *testing.T) {
	for name, taken := range map[string]bool{
		"Authorization": true, "authorization": true, "X-Api-Key": true, "x_y": true, "!#$%&'*+-.^_`|~": true, "Set-Cookie": true, "Te-X": true, "Proxy-Authorization": true,
		"Contents": true, "Mcp": true,
		"Host": false, "host": false, "CONNECTION": false, "Transfer-Encoding": false, "te": false, "Upgrade": false, "trailer": false, "Cookie": false, "Origin": false,
		"last-event-id": false, "Content-Type": false, "content-x": false, "Accept": false, "accept-encoding": false, "Acceptable": false, "Mcp-Session-Id": false, "mcp-x": false,
		"MCP-Protocol-Version": false, "": false, " ": false, "A B": false, "A:B": false, "A\r\nB": false, "\u00e4": false, "A\x00": false,
	} {
		if HeaderTaken(name) != taken {
			t.Errorf("%q is taken: %t", name, !taken)
		}
	}
}

func TestAHeaderIsGivenOnce(t *testing.T) {
	if all, err := ParseHeaders([]string{"x-a: env:A", "X-B:env:B"}); err != nil || len(all) != 2 || all[0].Name != "X-A" {
		t.Errorf("%v, %v", all, err)
	}
	if _, err := ParseHeaders([]string{"x-a: env:A", "X-A: env:B"}); err == nil || err.Error() != "X-A is given twice" {
		t.Error(err)
	}
}
