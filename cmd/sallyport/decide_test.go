package main

import (
	"bytes"
	"context"
	"strings"
	"testing"

	"github.com/sallyport/sallyport/cmd/sallyport/terminal"
	"github.com/sallyport/sallyport/proxy/control"
	"github.com/sallyport/sallyport/proxy/inspect"
)

func TestChooseTakesWhatIsNamedAndNothingElse(t *testing.T) {
	item := newServer()
	item.Details[0].Findings = []inspect.Finding{{Level: inspect.Medium}}
	item.Details[1].Findings = []inspect.Finding{{Level: inspect.Low}}
	for _, c := range []struct {
		name   string
		decide control.Decide
		chosen string
		left   string
		bad    bool
	}{
		{"nothing named takes what has no finding of Medium or above", control.Decide{}, "tool:get_forecast prompt:plan", "instructions", false},
		{"all takes everything", control.Decide{All: true}, "instructions tool:get_forecast prompt:plan", "", false},
		{"a rejection takes everything", control.Decide{Reject: true}, "instructions tool:get_forecast prompt:plan", "", false},
		{"a named item is taken in spite of its finding", control.Decide{Items: []string{"instructions"}}, "instructions", "tool:get_forecast prompt:plan", false},
		{"a rejection of one item leaves the rest", control.Decide{Reject: true, Items: []string{"prompt:plan"}}, "prompt:plan", "instructions tool:get_forecast", false},
		{"a name that is not there is an error", control.Decide{Items: []string{"prompt:plan", "tool:get_forcast"}}, "", "", true},
	} {
		t.Run(c.name, func(t *testing.T) {
			chosen, left, err := choose(item, c.decide)
			if (err != nil) != c.bad || keysOf(chosen) != c.chosen || keysOf(left) != c.left {
				t.Errorf("chose %q, left %q, error %v", keysOf(chosen), keysOf(left), err)
			}
		})
	}
}

func keysOf(parts []control.PartDetail) string {
	var keys []string
	for _, p := range parts {
		keys = append(keys, p.Item)
	}
	return strings.Join(keys, " ")
}

func TestAskTakesOnlyAPlainYes(t *testing.T) {
	odd := drifted()
	odd.Server = "wéather"
	for _, c := range []struct {
		name   string
		item   control.ItemDetail
		reject bool
		answer string
		yes    bool
	}{
		{"y allows", newServer(), false, "y\n", true},
		{"yes allows", newServer(), false, " Yes \n", true},
		{"an empty line does not", newServer(), false, "\n", false},
		{"anything else does not", newServer(), false, "yep\n", false},
		{"the end of the input does not", newServer(), false, "", false},
		{"a line that was cut off does not", newServer(), false, "y", false},
		{"y is not enough for a Critical finding", drifted(), false, "y\n", false},
		{"the server's name is", drifted(), false, "weather\n", true},
		{"the name in another case is not", drifted(), false, "Weather\n", false},
		{"a name that cannot be typed plainly is replaced by the code", odd, false, "7CK4\n", true},
		{"and does not count itself", odd, false, "wéather\n", false},
		{"y rejects even what is Critical", drifted(), true, "y\n", true},
	} {
		t.Run(c.name, func(t *testing.T) {
			var out bytes.Buffer
			err := asked(context.Background(), streams{in: strings.NewReader(c.answer), err: &out}, c.item, c.reject, c.item.Details)
			if (err == nil) != c.yes {
				t.Errorf("error %v after %q", err, out.String())
			}
		})
	}
}

func TestAskEndsWithCtrlC(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	never, release := newBlockedReader()
	defer release()
	err := asked(ctx, streams{in: never, err: &bytes.Buffer{}}, newServer(), false, nil)
	if err != errUndecided {
		t.Errorf("got %v", err)
	}
}

func TestWhatWorksIsNotSaidToBeKeptBlocked(t *testing.T) {
	back := drifted()
	back.Details = []control.PartDetail{{Item: "tool:get_forecast", State: "approved"}, {Item: "tool:list_cities", State: "changed"}}
	runs := newServer()
	runs.Kind, runs.Runs, runs.Details = "launch", true, []control.PartDetail{{Item: "launch", State: "changed"}}
	for _, c := range []struct {
		name, asked, said string
		item              control.ItemDetail
		rejected          []string
	}{
		{"changed and changed back", "Block 1 item ", "blocked for weather: tool:get_forecast\n", back, []string{"tool:get_forecast"}},
		{"beside what does not work", "Block 2 items ", "blocked for weather: tool:get_forecast\nkept blocked for weather: tool:list_cities\n", back, []string{"tool:get_forecast", "tool:list_cities"}},
		{"what never worked", "Keep blocked 1 item ", "kept blocked for weather: tool:list_cities\n", back, []string{"tool:list_cities"}},
		{"a launch that runs on", "Block 1 item ", "blocked for weather: launch\n", runs, []string{"launch"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			var out, said bytes.Buffer
			chosen, left, err := choose(c.item, control.Decide{Reject: true, Items: c.rejected})
			if err != nil {
				t.Fatal(err)
			}
			if err := asked(context.Background(), streams{in: strings.NewReader("y\n"), err: &out}, c.item, true, chosen); err != nil || !strings.Contains(out.String(), "\n"+c.asked) {
				t.Errorf("asked %q, %v", out.String(), err)
			}
			(&page{&terminal.Page{Out: &said, Columns: 80}}).decided(control.Decided{Server: "weather", Rejected: c.rejected}, c.item, left)
			if said.String() != c.said {
				t.Errorf("said %q", said.String())
			}
		})
	}
}

// asked is how a person at a terminal answers the question about a decision.
func asked(ctx context.Context, s streams, item control.ItemDetail, reject bool, chosen []control.PartDetail) error {
	text, want := question(item, reject, chosen)
	return answered(ctx, s, text, want)
}

func newServer() control.ItemDetail {
	return control.ItemDetail{
		InboxItem: control.InboxItem{Code: "4F2A", Kind: "new_server", Server: "weather", Severity: "review"},
		Details:   []control.PartDetail{{Item: "instructions", State: "new"}, {Item: "tool:get_forecast", State: "new"}, {Item: "prompt:plan", State: "new"}},
	}
}

func drifted() control.ItemDetail {
	return control.ItemDetail{
		InboxItem: control.InboxItem{Code: "7CK4", Kind: "changed", Server: "weather", Severity: "critical"},
		Details: []control.PartDetail{
			{Item: "tool:get_forecast", State: "changed", Findings: []inspect.Finding{{Rule: "instruction_injection", Level: inspect.Critical}}},
			{Item: "tool:list_cities", State: "removed"},
		},
	}
}
