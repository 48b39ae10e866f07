package app

import (
	"strings"
	"testing"

	"github.com/sallyport/sallyport/proxy/control"
)

// What replaces a secret is recorded, and only a person who may decide can do it.
func TestReplacingASecretIsADecision(t *testing.T) {
	for _, c := range []struct {
		name   string
		change func(*Options)
		peer   control.Peer
		secret string
		code   int // 0 if it is done
	}{
		{"a person at a hub that takes decisions from the command line", nil, person, "openai", 0},
		{"a person at the window", func(o *Options) { o.Window = true }, window, "openai", 0},
		{"a program inside a guarded server", nil, inside, "openai", control.CodeDescends},
		{"the command line beside a window", func(o *Options) { o.Window = true }, person, "openai", control.CodeNotHere},
		{"a hub that takes no decisions from the command line", func(o *Options) { o.AllowCLI = false }, person, "openai", control.CodeNotHere},
		{"what is no name, and may be the value", nil, person, "sk secret-value", control.CodeBadRequest},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := open(t, newHome(t), c.change)
			err := p.ReplaceSecret(c.peer, c.secret)
			if c.code == 0 && err != nil {
				t.Fatal(err)
			}
			if c.code != 0 {
				wantError(t, err, c.code)
			}
			activity, err := p.Activity(control.ActivityQuery{})
			if err != nil {
				t.Fatal(err)
			}
			recorded := 0
			for _, r := range activity.Items {
				if strings.Contains(r.Summary, "secret-value") {
					t.Errorf("recorded: %s", r.Summary)
				}
				if strings.HasPrefix(r.Summary, "a person replaced the secret openai (") {
					recorded++
				}
			}
			if recorded != 1 && c.code == 0 || recorded != 0 && c.code != 0 {
				t.Errorf("recorded %d times", recorded)
			}
		})
	}
}
