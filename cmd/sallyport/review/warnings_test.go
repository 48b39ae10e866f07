package review

import (
	"strings"
	"testing"

	"github.com/sallyport/sallyport/cmd/sallyport/terminal"
	"github.com/sallyport/sallyport/proxy/inspect"
	"github.com/sallyport/sallyport/proxy/pin"
)

// The other of two names is not hidden under anything.
func TestANameThatCollidesIsShownWithTheOther(t *testing.T) {
	for rule, words := range map[string]string{pin.NameCollision: "collides with:", inspect.ToolImitation: "imitates:"} {
		var out strings.Builder
		(&page{&terminal.Page{Out: &out, Columns: 80}}).warnings("  ", []inspect.Finding{
			{Rule: rule, Level: inspect.Critical, Category: "threat", Title: "Two names", Where: "tool:DUP", End: 3, Match: "DUP", Decoded: "dup"},
		})
		if got := out.String(); !strings.Contains(got, words+"\n      │ dup\n") || strings.Contains(got, "hides") {
			t.Errorf("%s:\n%s", rule, got)
		}
	}
}

// The gutter marks what a server says. The title of a warning is ours, however narrow the terminal.
func TestTheTitleOfAWarningIsNeverMarkedAsTheServersWords(t *testing.T) {
	found := func(rule, title, match string, start int) inspect.Finding {
		return inspect.Finding{Rule: rule, Level: inspect.High, Category: "threat", Title: title, Where: "description", Start: start, End: start + len(match), Match: match}
	}
	all := []inspect.Finding{
		found("secret_taken", "It asks for something secret to be read or passed on", "send the keys", 0),
		found("way_out", "It names where something is to be sent", "the keys", 5),
	}
	for _, columns := range []int{40, 60, 80} {
		var out strings.Builder
		(&page{&terminal.Page{Out: &out, Columns: columns}}).warnings("  ", all)
		for line := range strings.Lines(out.String()) {
			words, gutter := strings.CutPrefix(strings.TrimSpace(line), "│")
			if gutter && !strings.Contains("send the keys", strings.TrimSpace(words)) {
				t.Errorf("%d columns: our words are marked as the server's: %s", columns, line)
			}
			if n := terminal.Width(strings.TrimRight(line, "\n")); n > columns {
				t.Errorf("%d columns: %d wide: %s", columns, n, line)
			}
		}
		for _, f := range all {
			if whole := strings.Join(strings.Fields(out.String()), " "); !strings.Contains(whole, f.Title+" ("+f.Rule+")") {
				t.Errorf("%d columns: %q is not whole:\n%s", columns, f.Title, out.String())
			}
		}
	}
}
