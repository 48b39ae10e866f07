package control

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
		w    witness
		want error
	}{
		"the same":                 {witness{cred: credentials{pid: os.Getpid(), alive: lives}, file: own}, nil},
		"another":                  {witness{cred: credentials{pid: os.Getpid(), alive: lives}, file: other}, errForeignMessage},
		"one that has ended":       {witness{cred: credentials{pid: os.Getpid(), alive: dead}, file: own}, errPeerEnded},
		"one whose number is free": {witness{cred: credentials{pid: 1 << 30, alive: lives}, file: own}, errPeerEnded},
	} {
		t.Run(name, func(t *testing.T) {
			if err := c.w.still(); !errors.Is(err, c.want) {
				t.Error(err)
			}
		})
	}
}

func TestWhoDoesNotSayWhoWroteIsForeign(t *testing.T) {
	for name, oob := range map[string][]byte{"nothing": nil, "a header alone": make([]byte, unix.SizeofCmsghdr), "files instead": unix.UnixRights(1, 2, 3)} {
		t.Run(name, func(t *testing.T) {
			if from, err := senderIn(oob); !errors.Is(err, errForeignMessage) {
				t.Errorf("%+v, %v", from, err)
			}
		})
	}
	from, err := senderIn(unix.UnixCredentials(&unix.Ucred{Pid: 7, Uid: 8, Gid: 9}))
	if err != nil || from != (sender{told: true, pid: 7, uid: 8}) {
		t.Errorf("%+v, %v", from, err)
	}
}
