package guardian

import (
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/sallyport/sallyport/app/stage"
	"github.com/sallyport/sallyport/proxy/control"
)

// A running Claude Code writes its file from what it read before.
func TestAChangeThatAClientWritesOverIsMadeAnewAtMostThreeTimes(t *testing.T) {
	const raw = `{"n":1,"mcpServers":{"a":{"type":"stdio","command":"x"}},"projects":{"/w":{"mcpServers":{"b":{"command":"y"}}}}}`
	for name, c := range map[string]struct {
		overwrites int32
		stays      bool
	}{
		"nobody writes over it":          {0, true},
		"the client writes over it once": {1, true},
		"twice":                          {2, true},
		"again and again":                {100, false},
	} {
		t.Run(name, func(t *testing.T) {
			root := t.TempDir()
			d := deskAt(t, root, claudeFile, "linux")
			d.opts.LookAgain = 200 * time.Millisecond
			file := filepath.Join(root, "person", ".claude.json")
			put(t, file, raw)
			var left atomic.Int32
			left.Store(c.overwrites)
			ended := make(chan struct{})
			stop := make(chan struct{})
			go func() { // the client
				defer close(ended)
				for {
					select {
					case <-stop:
						return
					case <-time.After(5 * time.Millisecond):
					}
					if text, err := os.ReadFile(file); err == nil && strings.Contains(string(text), `"wrap"`) && left.Add(-1) >= 0 {
						stage.Write(t, file, raw)
					}
				}
			}()
			out, err := d.Protect(person, control.Protect{Client: "claude-code"})
			close(stop)
			<-ended
			text, _ := os.ReadFile(file)
			if c.stays && (err != nil || !out.Written || strings.Count(string(text), `"wrap"`) != 2) {
				t.Errorf("%+v, %v\n%s", out, err, text)
			}
			if !c.stays {
				wantError(t, err, control.CodeUnavailable)
				if made := c.overwrites - left.Load(); made != 3 {
					t.Errorf("it was made %d times", made)
				}
			}
		})
	}
}
