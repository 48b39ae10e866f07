//go:build unix

package settings

import (
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/sallyport/sallyport/app/mask"
	"github.com/sallyport/sallyport/proxy/control"
)

func TestAPipeInTheRuleFilesPlaceHangsNobody(t *testing.T) {
	p := newRoom(t)
	pipe := filepath.Join(t.TempDir(), "pipe")
	if err := syscall.Mkfifo(pipe, 0o600); err != nil {
		t.Fatal(err)
	}
	e := wantError(t, errOf(p.SetSetting(person, control.SettingQuery{Key: KeyRules, Value: pipe})), control.CodeBadRequest)
	if !strings.Contains(e.Message, "it is not a file") {
		t.Error(e.Message)
	}
	write(t, p.home.Settings, `{"inspect.rules": `+mask.PlainJSON(pipe)+`}`)
	eventually(t, "the problem", func() bool { return strings.Contains(p.rulesProblem(), "it is not a file") })
}
