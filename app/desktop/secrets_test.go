package desktop

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/sallyport/sallyport/proxy/control"
	"github.com/sallyport/sallyport/proxy/keychain"
)

// Beside a window, replacing a secret is a decision of the window. It takes one step, and the old value stays until the new one is stored.
func TestASecretIsReplacedInTheWindow(t *testing.T) {
	d := newDesk(t)
	value := func() string {
		t.Helper()
		value, err := d.ownSecrets.store.Get(t.Context(), "openai")
		if err != nil {
			t.Fatal(err)
		}
		return value
	}
	for _, name := range []string{"openai", "other"} {
		if err := d.ownSecrets.store.Set(t.Context(), name, "old-value-4711"); err != nil {
			t.Fatal(err)
		}
	}
	listed, err := d.Secrets()
	if err != nil || len(listed.Items) != 2 || listed.Items[0] != (Secret{"openai", keychain.InFile}) || listed.Why != "" {
		t.Fatalf("listed: %+v, %v", listed, err)
	}
	asked := func(name string) Confirm {
		t.Helper()
		c, err := d.ConfirmReplacing(name)
		if err != nil {
			t.Fatal(err)
		}
		d.at = d.at.Add(time.Second)
		return c
	}
	const another = "new-value-0815"
	tooFast, err := d.ConfirmReplacing("openai")
	if err != nil {
		t.Fatal(err)
	}
	if err := d.ReplaceSecret(ReplaceSecret{"openai", another, tooFast.Nonce}); codeOf(err) != control.CodeBadRequest || value() != "old-value-4711" {
		t.Errorf("before it could be read: %v", err)
	}
	for _, c := range []struct {
		name string
		with ReplaceSecret
		code int
	}{
		{"without a question", ReplaceSecret{"openai", another, ""}, control.CodeStale},
		{"with the question about another", ReplaceSecret{"openai", another, asked("other").Nonce}, control.CodeStale},
		{"with nothing", ReplaceSecret{"openai", "", asked("openai").Nonce}, control.CodeBadRequest},
		{"with two lines", ReplaceSecret{"openai", another + "\nX-Key: b", asked("openai").Nonce}, control.CodeBadRequest},
		{"that is not stored", ReplaceSecret{"third", another, asked("openai").Nonce}, control.CodeNotFound},
		{"that can't have that name", ReplaceSecret{"../openai", another, asked("openai").Nonce}, control.CodeUnavailable},
	} {
		if err := d.ReplaceSecret(c.with); codeOf(err) != c.code || strings.Contains(err.Error(), another) {
			t.Errorf("%s: %v", c.name, err)
		}
		if value() != "old-value-4711" {
			t.Fatalf("%s: the value is %s", c.name, value())
		}
	}
	q := asked("openai")
	if err := d.ReplaceSecret(ReplaceSecret{"openai", another, q.Nonce}); err != nil || value() != another {
		t.Fatalf("%s: %v", value(), err)
	}
	if err := d.ReplaceSecret(ReplaceSecret{"openai", "once more", q.Nonce}); codeOf(err) != control.CodeStale || value() != another {
		t.Errorf("one question, two values: %v", err)
	}
	activity, err := d.Activity(control.ActivityQuery{Limit: 100})
	if err != nil {
		t.Fatal(err)
	}
	replaced := 0
	for _, r := range activity.Items {
		if r.Summary == "a person replaced the secret openai (in the window)" {
			replaced++
		}
	}
	listed, err = d.Secrets()
	if raw, _ := json.Marshal([]any{activity, listed, q}); replaced != 1 || err != nil || strings.Contains(string(raw), "value-") {
		t.Errorf("recorded %d times: %s, %v", replaced, raw, err)
	}
	q = asked("openai")
	if err := d.ownSecrets.store.Delete(t.Context(), "openai"); err != nil {
		t.Fatal(err)
	}
	if err := d.ReplaceSecret(ReplaceSecret{"openai", another, q.Nonce}); codeOf(err) != control.CodeNotFound {
		t.Errorf("deleted meanwhile: %v", err)
	}
	if listed, err = d.Secrets(); err != nil || len(listed.Items) != 1 {
		t.Errorf("a deleted secret came back: %+v, %v", listed, err)
	}
}
