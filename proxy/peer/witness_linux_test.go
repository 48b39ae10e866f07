package peer

import (
	"errors"
	"os"
	"testing"

	"golang.org/x/sys/unix"
)

func TestAPeerThatRunsAnotherProgramThanItWasProvedWithIsDropped(t *testing.T) {
	other, err := os.Stat("/bin/sh")
	if err != nil {
		t.Fatal(err)
	}
	own, err := selfExecutable()
	if err != nil {
		t.Fatal(err)
	}
	lives, dead := func() bool { return true }, func() bool { return false }
	for name, c := range map[string]struct {
		w    Witness
		want error
	}{
		"the same":                 {Witness{Cred: Credentials{PID: os.Getpid(), Alive: lives}, File: own}, nil},
		"another":                  {Witness{Cred: Credentials{PID: os.Getpid(), Alive: lives}, File: other}, ErrForeignMessage},
		"one that has ended":       {Witness{Cred: Credentials{PID: os.Getpid(), Alive: dead}, File: own}, ErrEnded},
		"one whose number is free": {Witness{Cred: Credentials{PID: 1 << 30, Alive: lives}, File: own}, ErrEnded},
	} {
		t.Run(name, func(t *testing.T) {
			if err := c.w.Still(); !errors.Is(err, c.want) {
				t.Error(err)
			}
		})
	}
}

func TestWhoDoesNotSayWhoWroteIsForeign(t *testing.T) {
	for name, oob := range map[string][]byte{"nothing": nil, "a header alone": make([]byte, unix.SizeofCmsghdr), "files instead": unix.UnixRights(1, 2, 3)} {
		t.Run(name, func(t *testing.T) {
			if from, err := senderIn(oob); !errors.Is(err, ErrForeignMessage) {
				t.Errorf("%+v, %v", from, err)
			}
		})
	}
	from, err := senderIn(unix.UnixCredentials(&unix.Ucred{Pid: 7, Uid: 8, Gid: 9}))
	if err != nil || from != (sender{told: true, pid: 7, uid: 8}) {
		t.Errorf("%+v, %v", from, err)
	}
}
