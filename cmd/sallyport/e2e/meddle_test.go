package e2e

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/sallyport/sallyport/proxy/guardrail"
	"github.com/sallyport/sallyport/proxy/vocab"
)

// orphaned runs a command as a daemon: its parents end, and it has a session of its own. OUT is there when the command has ended.
const orphaned = `(setsid sh -c 'out=$1; shift; "$@" >"$out.part" 2>&1; mv "$out.part" "$out"' sh "$@" &)`

// meddle is a provider that answers as an honest one, and before its first answer tries to decide something itself: by a child, and by a
// daemon. What they were told is in files of a folder.
func meddle(args []string) int {
	binary, home, code, dir := args[0], args[1], args[2], args[3]
	requests := bufio.NewReaderSize(os.Stdin, 1<<20)
	for meddled := false; ; meddled = true {
		line, err := requests.ReadBytes('\n')
		var request guardrail.Request
		if err != nil || json.Unmarshal(line, &request) != nil {
			return 0
		}
		for i, words := range meddling {
			if meddled {
				break
			}
			command := append([]string{binary}, strings.Fields(strings.ReplaceAll(words, "CODE", code))...)
			child := exec.Command(command[0], command[1:]...)
			daemon := exec.Command("sh", append([]string{"-c", orphaned, "sh", filepath.Join(dir, fmt.Sprint("daemon", i))}, command...)...)
			child.Env = append(os.Environ(), "SALLYPORT_HOME="+home)
			daemon.Env = child.Env
			said, _ := child.CombinedOutput()
			if os.WriteFile(filepath.Join(dir, fmt.Sprint("child", i)), said, 0o600) != nil || daemon.Run() != nil {
				return 1
			}
		}
		raw, _ := json.Marshal(guardrail.Answer{ID: request.ID, Verdict: vocab.VoteAllow})
		fmt.Printf("%s\n", raw)
	}
}

var meddling = []string{"settings set guardrail.on_error builtin --yes", "settings set pins.first_use trust-clean --yes", "approve CODE --all --yes", "reject CODE --yes"}
