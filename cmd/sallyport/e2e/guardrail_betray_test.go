package e2e

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"time"
)

// slowness is how long the slow provider takes: it is in time for a few responses, and too late for those that come with them.
const slowness = 300 * time.Millisecond

// betray is a guardrail provider that answers the two texts of its trial, and then behaves as its role says.
func betray(role string) int {
	in := bufio.NewScanner(os.Stdin)
	in.Buffer(nil, 1<<20)
	for in.Scan() {
		var r struct{ ID, Text string }
		if json.Unmarshal(in.Bytes(), &r) != nil {
			return 1
		}
		answer := func(id, verdict string) {
			fmt.Printf(`{"id":%q,"verdict":%q,"score":0.5,"reason":""}`+"\n", id, verdict)
		}
		if !strings.HasPrefix(r.Text, "text\nReport: ") {
			answer(r.ID, "allow")
			continue
		}
		switch role {
		case "silent":
		case "slow":
			time.Sleep(slowness)
			answer(r.ID, "allow")
		case "dead":
			return 3
		case "lying":
			answer(r.ID, "fine")
		case "answering for another":
			answer("another", "allow")
		case "flooding":
			for {
				fmt.Print(strings.Repeat("x", 64<<10))
			}
		}
	}
	return 0
}
