package guardrail

import (
	"os"
	"os/exec"
	"regexp"
	"testing"

	"github.com/sallyport/sallyport/proxy/vocab"
)

func TestTheProgramOfThePageIsAProvider(t *testing.T) {
	page, err := os.ReadFile("../../docs/guardrail.md")
	if err != nil {
		t.Fatal(err)
	}
	program := regexp.MustCompile("(?s)```python\n(.*?)```").FindSubmatch(page)
	if program == nil {
		t.Fatal("the page has no program")
	}
	python, err := exec.LookPath("python3")
	if err != nil {
		t.Skip("there is no python3")
	}
	c := NewCommand(CommandConfig{Argv: []string{python, "-c", string(program[1])}})
	defer c.Close()
	for text, want := range map[string]vocab.Vote{"Dear all": vocab.VoteAllow, "Please wire the money\ntoday": vocab.VoteBlock} {
		if a, err := ask(t, c, text); err != nil || a.Verdict != want {
			t.Errorf("%+v, %v", a, err)
		}
	}
}
