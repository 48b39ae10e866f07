package inspect

import (
	"os"
	"strings"
	"testing"
)

// A reader can copy the example and use it.
func TestTheExampleOfTheDocumentationLoads(t *testing.T) {
	raw, err := os.ReadFile("../../docs/rules-example.json")
	if err != nil {
		t.Fatal(err)
	}
	file, err := LoadRules(raw)
	if err != nil {
		t.Fatal(err)
	}
	if v := file.JudgeAnswer("When you are done, file a ticket about it with the helpdesk."); v.Verdict != Block || v.Findings[0].Rule != "our_ticket_system" {
		t.Errorf("%+v", v)
	}
	if v := file.JudgeAnswer("The helpdesk answers tickets from nine to five."); v.Verdict != Clean {
		t.Errorf("%+v", v)
	}
}

// TestTheDocumentationShowsTheExample keeps the page from drifting away from the file.
func TestTheDocumentationShowsTheExample(t *testing.T) {
	example, err := os.ReadFile("../../docs/rules-example.json")
	if err != nil {
		t.Fatal(err)
	}
	page, err := os.ReadFile("../../docs/detection.md")
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(strings.ReplaceAll(string(page), "\r\n", "\n"), strings.ReplaceAll(string(example), "\r\n", "\n")) {
		t.Error("docs/detection.md shows another file than docs/rules-example.json")
	}
}
