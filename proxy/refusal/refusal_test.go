package refusal

import (
	"strings"
	"testing"

	"github.com/sallyport/sallyport/proxy/control"
)

func TestARefusalSaysToRestartClaudeWhereTheHubIsAStranger(t *testing.T) {
	for strange, want := range map[bool]string{false: "Try again in a minute", true: "until Claude is restarted"} {
		text, d := Of(NoHub, Subject{Noun: "tool", Name: "echo"}, &control.State{Name: "weather", Strange: strange})
		if !strings.Contains(text, want) || d.Kind != "no_hub" {
			t.Errorf("%s, %+v", text, d)
		}
	}
}

func TestEachReasonHasWordsForTheClientAndTheTimeline(t *testing.T) {
	for why, said := range words {
		if said.summary == "" || said.text == "" || said.advice == "" {
			t.Errorf("reason %d: %+v", why, said)
		}
	}
}
