package peer

import (
	"testing"

	"golang.org/x/sys/unix"
)

func TestTheMarkIsReadFromTheLimitsOfAProcess(t *testing.T) {
	const head = "Limit                     Soft Limit           Hard Limit           Units     \nMax cpu time              unlimited            unlimited            seconds   \n"
	for name, c := range map[string]struct {
		limits string
		soft   uint64
		hard   uint64
		known  bool
	}{
		"none":                          {head + "Max file locks            unlimited            unlimited            locks     \n", unix.RLIM_INFINITY, unix.RLIM_INFINITY, true},
		"a mark":                        {head + "Max file locks            2305843009213693953  2305843009213693959  locks     \n", 2305843009213693953, 2305843009213693959, true},
		"what a wrapper shows":          {head + "Max file locks            2305843009213693953  unlimited            locks     \n", 2305843009213693953, unix.RLIM_INFINITY, true},
		"one that was made lower":       {head + "Max file locks            1                    1                    locks     \n", 1, 1, true},
		"a kernel that does not say":    {head, 0, 0, false},
		"a line that is cut":            {head + "Max file locks            unlimited\n", 0, 0, false},
		"a line that is not understood": {head + "Max file locks            many                 many                 locks\n", 0, 0, false},
		"nothing":                       {"", 0, 0, false},
	} {
		t.Run(name, func(t *testing.T) {
			if soft, hard, err := locksOf(c.limits); soft != c.soft || hard != c.hard || (err == nil) != c.known {
				t.Errorf("%d, %d, %v", soft, hard, err)
			}
		})
	}
	if Marked(1 << 30) {
		t.Error("a process that is not there has a mark")
	}
}
