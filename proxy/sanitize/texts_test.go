package sanitize

import (
	"encoding/base64"
	"strings"
	"testing"

	"github.com/sallyport/sallyport/proxy/inspect/secrets"
)

// Nothing of a secret leaves the computer, wherever in a response it is.
func TestRedactedTextsHaveNoSecretAnywhere(t *testing.T) {
	blob := base64.StdEncoding.EncodeToString([]byte(strings.Repeat("A line of an attached file. ", 20) + someToken))
	for name, raw := range map[string]string{
		"in a text":              `{"content":[{"type":"text","text":"keep this, not ` + someToken + `"}]}`,
		"under its name":         `{"keep this":1,"password":"hunter2hunter2"}`,
		"as an id":               `{"id":"` + someToken + `","text":"keep this"}`,
		"as a method":            `{"method":"` + someToken + `","text":"keep this"}`,
		"in a name":              `{"keep this ` + someToken + `":1}`,
		"with escapes":           `{"text":"keep this \u0067` + someToken[1:] + `"}`,
		"in a file":              `{"text":"keep this","blob":"` + blob + `"}`,
		"twice beside one other": `{"text":"keep this ` + someToken + ` ` + someToken + `"}`,
	} {
		t.Run(name, func(t *testing.T) {
			texts, err := RedactedTexts([]byte(raw), secrets.Precise)
			got := strings.Join(texts, "\n")
			if err != nil || strings.Contains(got, someToken[4:20]) || strings.Contains(got, "hunter2") || !strings.Contains(got, "keep this") {
				t.Errorf("got %q, %v", got, err)
			}
		})
	}
	if got, err := RedactedText("nothing in here", secrets.Precise); err != nil || got != "nothing in here" {
		t.Errorf("got %q, %v", got, err)
	}
}
