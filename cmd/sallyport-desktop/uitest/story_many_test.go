//go:build ui

package uitest

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"
)

const (
	manyHeld  = 1000
	manyCalls = 32 // in flight
)

// withheld calls a tool until n of its responses are held. None of them reaches the client.
func (c *client) withheld(tool, order string, n int) {
	c.t.Helper()
	deadline := time.After(patience)
	for sent, refused := 0, 0; refused < n; {
		for ; sent < n && sent < refused+manyCalls; sent++ {
			c.next++
			c.write(fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":%q,"arguments":{"id":"%d"}}}`, c.next, tool, sent))
		}
		select {
		case line, ok := <-c.lines:
			var answer struct {
				ID     json.RawMessage `json:"id"`
				Method string          `json:"method"`
			}
			if !ok || json.Unmarshal([]byte(line), &answer) != nil {
				c.t.Fatalf("the wrapper ended, or wrote %.300s: %s", line, c.said)
			}
			if answer.Method != "" {
				continue
			}
			if !strings.Contains(line, `"isError":true`) || !strings.Contains(line, `"held"`) || strings.Contains(line, order) {
				c.t.Fatalf("a response is not held: %.600s", line)
			}
			refused++
		case <-deadline:
			c.t.Fatalf("%d of %d responses were held within %s", refused, n, patience)
		}
	}
}

// tabsTo presses Tab until the keyboard is on the button of this name.
func (a *app) tabsTo(name string) {
	a.t.Helper()
	a.until("the keyboard reaches "+name, func() bool {
		if n, ok := a.look(button, name); ok && n.is(stateFocused) {
			return true
		}
		a.key(keyTab)
		return false
	})
}

// A thousand responses of one tool were held before the program started: one row, there at once, decided from the row by keyboard, in the
// smallest window with large text. Another server's tool is blocked from its row.
func TestAThousandHeldResponsesAreOneRowThatIsDecidedOnInTheList(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	mail, post := newServer(t, mailFace(), nil), newServer(t, mailFace(), nil)
	h.allowed("mail", mail)
	h.allowed("post", post)
	end := h.headlessHub()
	began := time.Now()
	client := h.wrapped("mail", mail, h.headless())
	client.withheld("read_mail", mailOrder, manyHeld)
	t.Logf("%d responses were held in %.1f s", manyHeld, time.Since(began).Seconds())
	client.close()
	end()

	h.inWindow = append(h.inWindow, "GDK_DPI_SCALE=1.5")
	count := "1,000 responses"
	began = time.Now()
	a := h.start()
	a.press(link, "Inbox (1)") // one item, one number
	a.find(link, count+" held")
	t.Logf("the row of %s is there %.2f s after the program was started", count, time.Since(began).Seconds())
	a.ready()
	if items := h.inbox(); len(items) != 1 {
		t.Errorf("the inbox has %d items", len(items))
	}
	if out, err := h.tool("xdotool", "windowsize", a.shows(), "800", "600"); err != nil {
		t.Fatalf("resize: %v: %s", err, out)
	}
	a.measures("800x600")
	discardAll, blockTool := "Discard all 1,000 responses from read_mail of ", "Block this tool: read_mail of "
	a.onScreen(discardAll+"mail", 800, 600)
	a.onScreen(blockTool+"mail", 800, 600)
	a.says("it disguises orders as system messages")

	a.find(link, count+" held").focus()
	a.tabsTo(discardAll + "mail")
	h.key(keySpace)
	a.find(alert, "Discard 1,000 responses?")
	for _, name := range []string{"Keep them held", "Discard 1,000 responses"} {
		a.onScreen(name, 800, 600)
	}
	h.key(keyEscape) // decides nothing
	a.gone(alert, "Discard")
	if items := h.inbox(); len(items) != 1 {
		t.Fatalf("Escape decided: %+v", items)
	}
	a.press(button, discardAll+"mail")
	began = time.Now()
	a.press(button, "Discard 1,000 responses")
	a.says("you discarded 1,000 responses", "nothing needs your review")
	t.Logf("discarded, and said, %.2f s after the question was there to be answered", time.Since(began).Seconds())
	h.empty()

	client = h.wrapped("post", post, h.env())
	client.withheld("read_mail", mailOrder, 40)
	a.find(link, "40 responses held")
	a.press(button, blockTool+"post")
	a.says("you blocked read_mail of post", "40 responses of it are still held", "tool blocked")
	before := post.count("read_mail")
	answer := client.call("read_mail", `{"id":"1"}`)
	if !strings.Contains(answer, "[Sallyport]") || !strings.Contains(answer, `"isError":true`) || post.count("read_mail") != before {
		t.Errorf("after it was blocked it ran: %.400s", answer)
	}
	client.runs("list_mails", `{}`, "Minutes")
	a.press(button, "Discard all 40")
	a.press(button, "Discard 40 responses")
	a.says("you discarded 40 responses")
	wait(t, "nothing waits but the blocked tool", func() bool {
		left := h.inbox()
		return len(left) == 1 && left[0].Kind == "changed" && left[0].Server == "post"
	})
}
