package clientconfig

import "testing"

func TestAPassingPlaceIsNotWrittenIntoAClientsFile(t *testing.T) {
	for _, c := range []struct {
		name         string
		path, target string
		ownHome      bool
		stays        bool
	}{
		{"an installed program stays", "/usr/local/bin/sallyport", "/usr/local/bin/sallyport", false, true},
		{"a link that a package manager keeps stays", "/opt/brew/bin/sallyport", "/opt/brew/Cellar/sallyport/1.2/bin/sallyport", false, true},
		{"what go run builds does not", "/home/me/.cache/go-build/ab/cd-d/sallyport", "/home/me/.cache/go-build/ab/cd-d/sallyport", false, false},
		{"nor with a home of its own", "/tmp/go-build4711/b001/exe/sallyport", "/tmp/go-build4711/b001/exe/sallyport", true, false},
		{"nor through a link that stays", "/usr/local/bin/sallyport", "/tmp/go-build4711/b001/exe/sallyport", true, false},
		{"what is only called so stays", "/usr/local/bin/go-build", "/usr/local/bin/go-build", false, true},
		{"the temporary folder does not", "/tmp/try/sallyport", "/tmp/try/sallyport", false, false},
		{"nor another one that the system names", "/scratch/x/sallyport", "/scratch/x/sallyport", false, false},
		{"unless a home was named", "/tmp/try/sallyport", "/tmp/try/sallyport", true, true},
		{"a mounted image does not", "/tmp/.mount_SalZq/usr/bin/sallyport", "/tmp/.mount_SalZq/usr/bin/sallyport", true, false},
		{"a program that macOS moved aside does not", "/private/var/folders/x/AppTranslocation/1/d/sallyport", "/private/var/folders/x/AppTranslocation/1/d/sallyport", true, false},
		{"a folder that only begins like the temporary one stays", "/scratchy/sallyport", "/scratchy/sallyport", false, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			if why := passing(c.path, c.target, "/scratch", c.ownHome); (why == "") != c.stays {
				t.Errorf("said %q", why)
			}
		})
	}
}
