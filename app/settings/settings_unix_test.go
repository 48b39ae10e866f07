//go:build unix

package settings

import (
	"os"
	"strings"
	"testing"

	"github.com/sallyport/sallyport/app/office"
)

func TestASettingsFileThatOthersMayReadNamesTheCommandThatMendsIt(t *testing.T) {
	p := newRoom(t)
	write(t, p.home.Settings, `{"pins.recheck": "5s"}`)
	eventually(t, "the value", func() bool { return p.setting("pins.recheck") == "5s" })
	for _, mode := range []os.FileMode{0o644, 0o666} {
		if err := os.Chmod(p.home.Settings, mode); err != nil {
			t.Fatal(err)
		}
		eventually(t, "the problem", func() bool {
			return strings.HasSuffix(p.problem(office.ProblemSettings), "chmod 600 "+p.home.Settings)
		})
		if err := os.Chmod(p.home.Settings, 0o600); err != nil {
			t.Fatal(err)
		}
		eventually(t, "no problem", func() bool { return p.problem(office.ProblemSettings) == "" })
	}
}
