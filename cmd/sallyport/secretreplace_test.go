package main

import (
	"strings"
	"testing"

	"github.com/sallyport/sallyport/proxy/control"
)

// Beside a window, a value is replaced there in one step; where nobody can decide, deleting and storing it takes two.
func TestWhoCantReplaceASecretHereIsToldWhereItCanBe(t *testing.T) {
	notHere := &control.Error{Code: control.CodeNotHere, Message: "decide in the window"}
	for _, c := range []struct {
		name     string
		err      error
		window   bool
		want, no string
	}{
		{"beside a window", notHere, true, "replace its value in the window: Settings, Keys and passwords", "delete"},
		{"beside a hub without one", notHere, false, "sallyport secret delete openai, then sallyport secret set openai", "in the window"},
		{"inside a guarded server", &control.Error{Code: control.CodeDescends, Message: "this command runs inside a guarded server"}, true, "inside a guarded server", "in the window"},
	} {
		if got := (secretSetCommand{Name: "openai"}).instead(c.err, c.window); !strings.Contains(got.Error(), c.want) || strings.Contains(got.Error(), c.no) {
			t.Errorf("%s: %v", c.name, got)
		}
	}
}
