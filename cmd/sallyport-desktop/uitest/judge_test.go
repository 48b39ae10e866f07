//go:build ui

package uitest

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"strings"
)

// judgeReason is what judge says about a text that it objects to. It is foreign text like the server's.
const judgeReason = "Asks for money on a new account. <b>Typical of fraud.</b>"

// judge is a guardrail provider, one line for each text: it objects to bank accounts.
func judge(in io.Reader, out io.Writer) int {
	lines := bufio.NewScanner(in)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		var asked struct{ ID, Text string }
		if err := json.Unmarshal(lines.Bytes(), &asked); err != nil {
			fmt.Fprintln(os.Stderr, err)
			return 1
		}
		said := map[string]any{"id": asked.ID, "verdict": "allow", "score": 0.02, "reason": ""}
		if strings.Contains(asked.Text, "bank details") {
			said["verdict"], said["score"], said["reason"] = "block", 0.93, judgeReason
		}
		if err := json.NewEncoder(out).Encode(said); err != nil {
			return 1
		}
	}
	return 0
}
