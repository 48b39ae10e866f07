package control

import (
	"errors"
	"os"
	"testing"
)

func TestWhatIsProved(t *testing.T) {
	in, err := ourInstallation(nil)
	if err != nil {
		t.Fatal(err)
	}
	lives := func() bool { return true }
	for name, c := range map[string]struct {
		cred credentials
		ok   bool
	}{
		"this process":                   {credentials{pid: os.Getpid(), uid: os.Getuid(), alive: lives}, true},
		"another user's":                 {credentials{pid: os.Getpid(), uid: os.Getuid() + 1, alive: lives}, false},
		"one that ended, its pid reused": {credentials{pid: os.Getpid(), uid: os.Getuid(), alive: func() bool { return false }}, false},
		"another executable":             {credentials{pid: os.Getppid(), uid: os.Getuid(), alive: lives}, false},
		"no process":                     {credentials{pid: 1 << 30, uid: os.Getuid(), alive: lives}, false},
	} {
		t.Run(name, func(t *testing.T) {
			if _, err := in.prove(c.cred); (err == nil) != c.ok || (err != nil && !errors.Is(err, ErrForeign)) {
				t.Errorf("%v", err)
			}
		})
	}
}

func TestAncestryThatCannotBeReadIsDescent(t *testing.T) {
	in, err := ourInstallation(nil)
	if err != nil {
		t.Fatal(err)
	}
	if !in.descendsFromWrapper(1<<30, nil) {
		t.Error("a process that is not there may decide")
	}
	if in.descendsFromWrapper(os.Getpid(), nil) {
		t.Error("this test descends from a wrapper")
	}
	if !in.descendsFromWrapper(os.Getpid(), []int{os.Getppid()}) {
		t.Error("a parent that is a wrapper was overlooked")
	}
}
