//go:build ui

package uitest

import (
	"encoding/json"
	"os"
	"strings"
	"testing"
)

// paying is the start of stories about checks that a person switches on: an allowed server of invoices, and a window.
func paying(t *testing.T, scene func(h *house)) (*house, *app, *client) {
	t.Helper()
	h := newHouse(t)
	bills := newServer(t, billsFace(), nil)
	h.allowed("bills", bills)
	scene(h)
	a := h.open()
	return h, a, h.wrapped("bills", bills, h.env())
}

// judged has a program of the person's check responses.
func judged(h *house) {
	self, err := os.Executable()
	if err != nil {
		h.t.Fatal(err)
	}
	argv, err := json.Marshal([]string{self, "judge"})
	if err != nil {
		h.t.Fatal(err)
	}
	end := h.headlessHub("--allow-cli-approval")
	for _, set := range [][2]string{{"guardrail.command.argv", string(argv)}, {"guardrail.provider", "builtin,command"}} {
		if out, code := h.command("settings", "set", set[0], set[1], "--yes"); code != 0 {
			h.t.Fatalf("settings set %s: status %d: %s", set[0], code, out)
		}
	}
	end()
}

// A tool sends text where it promised a number. Blocked in the settings, the call is refused, and the timeline says what is wrong and where.
func TestAResponseThatIsNotWhatItsToolPromisedIsBlockedFromTheSettings(t *testing.T) {
	t.Parallel()
	_, a, c := paying(t, func(*house) {})
	c.runs("list_invoices", `{}`, `"total":"1,240.00"`)
	a.trayTap()
	a.shows()
	a.press(link, "Settings")
	a.press(radio, "gets an error instead")
	a.says("Saved")
	a.until("the response is refused", func() bool {
		answer := c.call("list_invoices", `{}`)
		return strings.Contains(answer, `"kind":"output_schema"`) && strings.Contains(answer, `"isError":true`) && !strings.Contains(answer, "1,240.00")
	})
	a.press(link, "Activity")
	a.press(button, "Its response isn’t what the tool promised")
	a.says("What Sallyport checked", "Form of the response", "Your setting", "must be a number, but is a string", "/invoices/0/total")
}

// A program of the person's objects to an invoice that no rule of ours objects to: it is held, and the review says who held it and why, in
// the program's own words.
func TestAResponseHeldByAnExtraCheckNamesTheCheckAndItsReason(t *testing.T) {
	t.Parallel()
	h, a, c := paying(t, judged)
	answer := c.call("read_invoice", `{"number":"2231"}`)
	item := h.waits("response_held")
	if !strings.Contains(answer, item.Code) || strings.Contains(answer, "DE02") || strings.Contains(answer, "fraud") {
		t.Fatalf("the answer is not held: %.600s", answer)
	}
	a.trayClick("bills")
	a.shows()
	a.find(heading, "read_invoice")
	a.says("the extra check command says it is an attack", "command: says it is an attack (score 0.93", "explanation from the extra check", "<b>typical of fraud.</b>", "claude hasn’t seen it")
}

// The settings say of each extra check whether it works and how long it takes, and ask one for its verdict.
func TestAnExtraCheckIsTriedFromTheSettings(t *testing.T) {
	t.Parallel()
	_, a, c := paying(t, judged)
	c.runs("list_invoices", `{}`, `"total":"1,240.00"`)
	a.trayTap()
	a.shows()
	a.press(link, "Settings")
	a.says("how the checks are doing", "Ready", "Asked", "Usually takes", "Off", "It has no address; set “Address of the service”")
	a.press(button, "Try it: A program of yours (command)")
	a.says("found nothing (score 0.02")
	a.press(button, "Try it: Sallyport’s own rules")
	a.says("finds it suspicious")
}
