package control

import "testing"

func TestAShellForOneCommandIsNoClient(t *testing.T) {
	for name, c := range map[string]struct {
		argv []string
		one  bool
	}{
		"sh -c":                                {[]string{"sh", "-c", "x"}, true},
		"a path":                               {[]string{"/bin/bash", "-c", "x"}, true},
		"a login shell":                        {[]string{"-zsh", "-lc", "x"}, true},
		"with options before":                  {[]string{"bash", "--norc", "-o", "pipefail", "-c", "x"}, true},
		"busybox":                              {[]string{"busybox", "sh", "-c", "x"}, true},
		"a terminal's shell":                   {[]string{"bash"}, false},
		"a terminal's login shell":             {[]string{"-bash", "-l"}, false},
		"an option that only begins like that": {[]string{"bash", "--command", "x"}, false},
		"another program with -c":              {[]string{"claude", "-c"}, false},
	} {
		t.Run(name, func(t *testing.T) {
			if runsOneCommand(c.argv) != c.one {
				t.Error(!c.one)
			}
		})
	}
}

func TestTheScreenOfAProcessThatIsNotThereIsNobodys(t *testing.T) {
	if s := clientScreen(1 << 30); s != nil {
		t.Errorf("%q", s)
	}
	if s := clientScreen(1); s != nil { // nothing is above it
		t.Errorf("%q", s)
	}
}
