//go:build linux || darwin

package guard

import (
	"os/exec"
	"reflect"
	"slices"
	"strings"
	"testing"
)

func TestOrdersArriveAsTheyWereGiven(t *testing.T) {
	for _, o := range []Order{
		{Path: "/bin/x", Argv: []string{"", "a b", "\xff"}, Env: []string{"A=1", "", "A=2"}, Mark: 1<<62 - 7},
		{Path: "x", Dir: "/home", Argv: []string{"x"}, Env: []string{}, Shell: true},
	} {
		message, err := o.Encode()
		if err != nil {
			t.Fatal(err)
		}
		if length := get(message[:4]); length != uint64(len(message)-4) {
			t.Errorf("says %d bytes follow, and it is %d", length, len(message)-4)
		}
		got, err := decode(message[4:])
		if err != nil || !reflect.DeepEqual(got, o) {
			t.Errorf("%+v, %v", got, err)
		}
		whole := head + len(o.Path) + 1 + len(o.Dir) + 1 + len(strings.Join(o.Argv, "|")) + 1 // all but the environment
		for cut := range whole {
			if _, err := decode(message[4 : 4+cut]); err == nil {
				t.Errorf("an order cut after %d bytes was taken", cut)
			}
		}
	}
}

// A package that needs one of these is initialised after dozens of others, in every wrapper and again in its guard.
func TestTheGuardNeedsNothingThatIsInitialisedLate(t *testing.T) {
	out, err := exec.Command("go", "list", "-deps", ".").Output()
	if err != nil {
		t.Fatal(err)
	}
	deps := strings.Fields(string(out))
	for _, late := range []string{"bytes", "strings", "unicode", "reflect", "fmt", "path/filepath", "encoding/binary", "crypto/rand", "os/exec"} {
		if slices.Contains(deps, late) {
			t.Errorf("needs %s", late)
		}
	}
}
