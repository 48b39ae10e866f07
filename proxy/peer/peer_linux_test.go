package peer

import (
	"errors"
	"os"
	"testing"
)

func TestWhatIsProved(t *testing.T) {
	in, err := OurInstallation(nil)
	if err != nil {
		t.Fatal(err)
	}
	lives := func() bool { return true }
	for name, c := range map[string]struct {
		cred Credentials
		ok   bool
	}{
		"this process":                   {Credentials{PID: os.Getpid(), UID: os.Getuid(), Alive: lives}, true},
		"another user's":                 {Credentials{PID: os.Getpid(), UID: os.Getuid() + 1, Alive: lives}, false},
		"one that ended, its pid reused": {Credentials{PID: os.Getpid(), UID: os.Getuid(), Alive: func() bool { return false }}, false},
		"another executable":             {Credentials{PID: os.Getppid(), UID: os.Getuid(), Alive: lives}, false},
		"no process":                     {Credentials{PID: 1 << 30, UID: os.Getuid(), Alive: lives}, false},
	} {
		t.Run(name, func(t *testing.T) {
			if _, err := in.Prove(c.cred); (err == nil) != c.ok || (err != nil && !errors.Is(err, ErrForeign)) {
				t.Errorf("%v", err)
			}
		})
	}
}

func TestAncestryThatCannotBeReadIsDescent(t *testing.T) {
	in, err := OurInstallation(nil)
	if err != nil {
		t.Fatal(err)
	}
	if !in.Descends(1<<30, nil) {
		t.Error("a process that is not there may decide")
	}
	if in.Descends(os.Getpid(), nil) {
		t.Error("this test descends from a wrapper")
	}
	if !in.Descends(os.Getpid(), []int{os.Getppid()}) {
		t.Error("a parent that is a wrapper was overlooked")
	}
}
