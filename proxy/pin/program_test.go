package pin

import "testing"

func TestTheFingerprintOfAProgramIsOneForAllClientsAndAnotherForOtherCode(t *testing.T) {
	base := LaunchForm{
		Client: "claude-desktop", Dir: "/home/a", Variables: []string{"HOME"}, Loaders: []LaunchLoader{{Name: "NODE_OPTIONS", Hash: "1"}},
		Executable: LaunchFile{Path: "/usr/bin/node", SHA256: "aa"}, Script: &LaunchFile{Path: "/srv/server.js", SHA256: "bb"},
		Package: &LaunchPackage{Manager: "npm", Name: "@acme/weather", Version: "1.4.2", Digest: "cc"},
	}
	fingerprint := base.Program()
	if len(fingerprint) != 64 {
		t.Fatalf("%q", fingerprint)
	}
	for name, c := range map[string]struct {
		change func(*LaunchForm)
		same   bool
	}{
		"another client":     {func(f *LaunchForm) { f.Client = "codex" }, true},
		"another folder":     {func(f *LaunchForm) { f.Dir = "/tmp" }, true},
		"other variables":    {func(f *LaunchForm) { f.Variables = nil }, true},
		"other loaders":      {func(f *LaunchForm) { f.Loaders = nil }, true},
		"another executable": {func(f *LaunchForm) { f.Executable.SHA256 = "ab" }, false},
		"another script":     {func(f *LaunchForm) { f.Script = &LaunchFile{Path: "/srv/server.js", SHA256: "bc"} }, false},
		"another version": {func(f *LaunchForm) {
			f.Package = &LaunchPackage{Manager: "npm", Name: "@acme/weather", Version: "1.4.3", Digest: "cd"}
		}, false},
		"a file that was unread": {func(f *LaunchForm) { f.Executable.SHA256 = "" }, false},
	} {
		other := base
		c.change(&other)
		if same := other.Program() == fingerprint; same != c.same {
			t.Errorf("%s: same is %v", name, same)
		}
	}
	if base.Executable.SHA256 = ""; base.Program() != "" {
		t.Error("a program that is not known whole has a fingerprint")
	}
}
