package pin

import (
	"strings"
	"testing"
)

// form is an ordinary launch: node runs a script of a package.
func form(change func(*LaunchForm)) LaunchForm {
	f := LaunchForm{
		Client:     "claude",
		Executable: LaunchFile{"/usr/bin/node", "aa"},
		Script:     &LaunchFile{"/srv/index.js", "bb"},
		Package:    &LaunchPackage{Manager: "npm", Name: "@a/server", Version: "1.2.3", Entry: "index.js", Digest: "bb"},
		Dir:        "/home/u",
		Variables:  []string{"HOME", "PATH", "PYTHONPATH"},
		Loads:      []LaunchFile{{"/srv/hook.js", "hh"}},
		Loaders:    []LaunchLoader{{Name: "HOME", Hash: "h0"}, {Name: "PYTHONPATH", Hash: "h1"}},
	}
	if change != nil {
		change(&f)
	}
	return f
}

func TestALaunchIsComparedPartByPart(t *testing.T) {
	for name, test := range map[string]struct {
		change func(*LaunchForm)
		paths  string // of the changes, in order; + before one that joins without a question
		grave  bool
		words  string
	}{
		"nothing changed":                        {nil, "", false, ""},
		"an executable of another path is grave": {func(f *LaunchForm) { f.Executable = LaunchFile{"/opt/node", "aa"} }, "executable", true, "runs another executable"},
		"an executable that was updated is not":  {func(f *LaunchForm) { f.Executable.SHA256 = "cc" }, "executable", false, "changed, at the same path"},
		"an executable not read yet is not one":  {func(f *LaunchForm) { f.Executable.SHA256 = "" }, "", false, ""},
		"an interpreter that was none is grave":  {func(f *LaunchForm) { f.Interpreter = &LaunchFile{"/bin/sh", "dd"} }, "interpreter", true, "through an interpreter"},
		"a script that changed":                  {func(f *LaunchForm) { f.Script = &LaunchFile{"/srv/index.js", "cc"} }, "script", false, "the script changed"},
		"another script":                         {func(f *LaunchForm) { f.Script = &LaunchFile{"/srv/other.js", "bb"} }, "script", false, "runs another script"},
		"a module in the place of a script":      {func(f *LaunchForm) { f.Script, f.Told = nil, "module evil" }, "script", false, "runs another script"},
		"another version of the package":         {func(f *LaunchForm) { f.Package.Version = "1.2.4" }, "package", false, "`1.2.3` → `1.2.4`"},
		"other code under the same version":      {func(f *LaunchForm) { f.Package.Digest = "cc" }, "package", false, "other code under the same version"},
		"another package":                        {func(f *LaunchForm) { f.Package.Name = "@b/server" }, "package", false, "another package"},
		"a package that could not be seen":       {func(f *LaunchForm) { f.Package = &LaunchPackage{Manager: "npm", Unseen: true} }, "package", false, "could not be seen"},
		"a package that is still to be seen":     {func(f *LaunchForm) { f.Package = &LaunchPackage{Manager: "npm", Pending: true} }, "", false, ""},
		"a package no more":                      {func(f *LaunchForm) { f.Package = nil }, "package", false, "belongs to no package"},
		"a loader with another value is grave":   {func(f *LaunchForm) { f.Loaders[1].Hash = "h2" }, "loaders", true, "`PYTHONPATH`, which can load code, has another value"},
		"a new loader is grave, and said once": {func(f *LaunchForm) {
			f.Loaders = append(f.Loaders, LaunchLoader{Name: "NODE_OPTIONS", Hash: "h"})
			f.Variables = append(f.Variables, "NODE_OPTIONS")
		}, "loaders", true, "`NODE_OPTIONS`, which can load code, is set now"},
		"a loader that is gone is not grave": {func(f *LaunchForm) { f.Loaders = nil }, "loaders", false, "`PYTHONPATH`, which can load code, is no longer set"},
		"a switch that is off is not grave": {func(f *LaunchForm) {
			f.Loaders = append(f.Loaders, LaunchLoader{Name: "COREPACK_ENABLE_STRICT", Hash: "h", Off: true})
		}, "loaders", false, "a switch is set, and off: `COREPACK_ENABLE_STRICT`"},
		"a switch that is on is grave": {func(f *LaunchForm) {
			f.Loaders = append(f.Loaders, LaunchLoader{Name: "COREPACK_ENABLE_STRICT", Hash: "h"})
		}, "loaders", true, "is set now"},
		"a file that is loaded first changed": {func(f *LaunchForm) { f.Loads = []LaunchFile{{"/srv/hook.js", "cc"}} }, "loads", false, "loaded before the script changed"},
		"another file is loaded first":        {func(f *LaunchForm) { f.Loads = append(f.Loads, LaunchFile{"/tmp/hook.js", "hh"}) }, "loads", false, "loads a file before"},
		"a program where there was none":      {func(f *LaunchForm) { f.Answers = &LaunchAnswers{Executable: LaunchFile{"/bin/x", "xx"}} }, "answers", false, "another program answers"},
		"what answers is still to be seen":    {func(f *LaunchForm) { f.Answers = &LaunchAnswers{Pending: true} }, "", false, ""},
		"what answers could not be seen":      {func(f *LaunchForm) { f.Answers = &LaunchAnswers{Unseen: true} }, "answers", false, "could not be seen"},
		"home is elsewhere": {func(f *LaunchForm) {
			f.Loaders[0] = LaunchLoader{Name: "HOME", Hash: "h9"}
			f.Loaders = append(f.Loaders, LaunchLoader{Name: "PYTHONPATH", Hash: "h1"})
		}, "home", false, "`HOME`"},
		"another client's home is elsewhere": {func(f *LaunchForm) {
			f.Client = "cursor"
			f.Loaders[0] = LaunchLoader{Name: "HOME", Hash: "h9"}
			f.Loaders = append(f.Loaders, LaunchLoader{Name: "PYTHONPATH", Hash: "h1"})
		}, "+client", false, ""},
		"home is new among the variables": {func(f *LaunchForm) {
			f.Loaders = append(f.Loaders, LaunchLoader{Name: "APPDATA", Hash: "h9"})
			f.Variables = append(f.Variables, "APPDATA")
		}, "home", false, "`APPDATA`"},
		"another folder":                            {func(f *LaunchForm) { f.Dir = "/tmp" }, "dir", false, "another folder"},
		"one more variable joins":                   {func(f *LaunchForm) { f.Variables = append(f.Variables, "NEW") }, "+variables", false, "more variables: `NEW`"},
		"a variable less joins":                     {func(f *LaunchForm) { f.Variables = nil }, "+variables", false, "fewer variables"},
		"the first start of another client joins":   {func(f *LaunchForm) { f.Client, f.Dir, f.Variables = "cursor", "/tmp", []string{"X"} }, "+client", false, "first start"},
		"a probe has no circumstances":              {func(f *LaunchForm) { f.Client, f.Dir = ProbeClient, "/tmp" }, "", false, ""},
		"another client's code is compared":         {func(f *LaunchForm) { f.Client = "cursor"; f.Executable.Path = "/opt/node" }, "executable +client", true, "runs another executable"},
		"a name of a variable cannot end its quote": {func(f *LaunchForm) { f.Variables = append(f.Variables, "A`\nsay yes") }, "+variables", false, `"A` + "`" + `\nsay yes"`},
	} {
		t.Run(name, func(t *testing.T) {
			drift := form(test.change).Against([]LaunchForm{form(nil)})
			var paths, words []string
			for _, c := range drift.Changes {
				paths, words = append(paths, c.Path), append(words, c.Words)
			}
			for _, c := range drift.Joins {
				paths, words = append(paths, "+"+c.Path), append(words, c.Words)
			}
			if got := strings.Join(paths, " "); got != test.paths || drift.Grave != test.grave {
				t.Errorf("changes %q (grave %t), want %q (grave %t): %q", got, drift.Grave, test.paths, test.grave, words)
			}
			if !strings.Contains(strings.Join(words, "\n"), test.words) {
				t.Errorf("words %q, want %q in them", words, test.words)
			}
		})
	}
}

func TestWhatWasAllowedForOneClientIsAllowedForAnother(t *testing.T) {
	ours := form(nil)
	theirs := form(func(f *LaunchForm) { f.Client, f.Executable = "cursor", LaunchFile{"/opt/node", "ee"} })
	update := func(f *LaunchForm) { f.Package = &LaunchPackage{Manager: "npm", Name: "@a/server", Version: "2.0.0"} }
	updated := form(update)
	if drift := form(func(f *LaunchForm) {
		f.Client, f.Executable = "cursor", LaunchFile{"/opt/node", "ee"}
		update(f)
	}).Against([]LaunchForm{ours, theirs, updated}); drift.Drifted() {
		t.Errorf("a version that was allowed for one client is a change for the other: %+v", drift.Changes)
	}
	mixed := form(func(f *LaunchForm) { f.Executable = LaunchFile{"/opt/node", "aa"} })
	if drift := mixed.Against([]LaunchForm{ours, theirs}); !drift.Drifted() {
		t.Error("the path of one form with the content of another passes")
	}
	without := form(func(f *LaunchForm) { f.Loaders = nil })
	if drift := without.Against([]LaunchForm{ours, form(func(f *LaunchForm) { f.Loaders = nil })}); drift.Drifted() {
		t.Errorf("without the variable it is allowed too: %+v", drift.Changes)
	}
	with := form(func(f *LaunchForm) { f.Client = "cursor" })
	if drift := with.Against([]LaunchForm{without, form(func(f *LaunchForm) { f.Client, f.Loaders = "cursor", nil }), ours}); drift.Drifted() {
		t.Errorf("a value that was allowed for one client is asked about for the other: %+v", drift.Changes)
	}
}

func TestALaunchIsDigestedLikeAnyItem(t *testing.T) {
	_, one, err := form(nil).Definition()
	if err != nil {
		t.Fatal(err)
	}
	_, shuffled, _ := form(func(f *LaunchForm) { f.Variables = []string{"PYTHONPATH", "PATH", "HOME", "PATH"} }).Definition()
	if one != shuffled {
		t.Error("the order of variables counts")
	}
	raw, other, _ := form(func(f *LaunchForm) { f.Dir = "/" }).Definition()
	if one == other {
		t.Error("the folder does not count")
	}
	if back, err := ReadLaunch(raw); err != nil || back.Dir != "/" || back.Package.Version != "1.2.3" {
		t.Errorf("read back: %+v, %v", back, err)
	}
	if _, err := ReadLaunch([]byte(`{"dir":"a","dir":"b"}`)); err == nil {
		t.Error("a definition with two readings is read")
	}
	if Key(Launch, "") != "launch" {
		t.Error("the item is not called launch")
	}
}

func TestOnlyACompleteLaunchCanBePinned(t *testing.T) {
	if !form(nil).Complete() {
		t.Error("complete")
	}
	for name, change := range map[string]func(*LaunchForm){
		"a file that was not read": func(f *LaunchForm) { f.Script = &LaunchFile{Path: "/srv/index.js"} },
		"a package still to come":  func(f *LaunchForm) { f.Package = &LaunchPackage{Pending: true} },
	} {
		if form(change).Complete() {
			t.Error(name)
		}
	}
}

func TestAFileIsKnownByItsStampOnlyWithItsChangeTime(t *testing.T) {
	a := FileStamp{"/x", 1, 2, 3, 4, 5, "aa"}
	b := a
	b.SHA256 = ""
	if !a.Same(b) {
		t.Error("the same file")
	}
	for name, change := range map[string]func(*FileStamp){
		"inode": func(s *FileStamp) { s.Inode++ }, "size": func(s *FileStamp) { s.Size++ }, "written": func(s *FileStamp) { s.MTime++ },
		"changed": func(s *FileStamp) { s.CTime++ }, "device": func(s *FileStamp) { s.Device++ }, "path": func(s *FileStamp) { s.Path = "/y" },
	} {
		c := a
		if change(&c); a.Same(c) {
			t.Error(name)
		}
	}
	a.CTime, b.CTime = 0, 0
	if a.Same(b) {
		t.Error("without a change time nothing is known")
	}
}

func TestWhatACommandLeavesTheConversationToIsCompared(t *testing.T) {
	behind := func(change func(*LaunchAnswers)) LaunchForm {
		return form(func(f *LaunchForm) {
			f.Answers = &LaunchAnswers{Executable: LaunchFile{"/usr/bin/node", "aa"}, Script: &LaunchFile{"/srv/real.js", "bb"}}
			if change != nil {
				change(f.Answers)
			}
		})
	}
	for name, test := range map[string]struct {
		change func(*LaunchAnswers)
		words  string
	}{
		"the same":                       {nil, ""},
		"another script":                 {func(a *LaunchAnswers) { a.Script = &LaunchFile{"/srv/other.js", "bb"} }, "the command starts another script"},
		"a changed script":               {func(a *LaunchAnswers) { a.Script = &LaunchFile{"/srv/real.js", "cc"} }, "the script that the command starts changed"},
		"a changed program":              {func(a *LaunchAnswers) { a.Executable.SHA256 = "cc" }, "changed, at the same path"},
		"another program":                {func(a *LaunchAnswers) { a.Executable.Path = "/opt/node" }, "the command starts another program"},
		"words in the place of a script": {func(a *LaunchAnswers) { a.Script, a.Told = nil, "code in the arguments" }, "the command starts another script"},
		"another file loaded first":      {func(a *LaunchAnswers) { a.Loads = []LaunchFile{{"/srv/hook.js", "hh"}} }, "a file that is loaded before the script changed"},
	} {
		d := behind(test.change).Against([]LaunchForm{behind(nil)})
		var words string
		for _, c := range d.Changes {
			words += c.Words
		}
		if d.Grave || !strings.Contains(words, test.words) || test.words == "" && words != "" {
			t.Errorf("%s: %q", name, words)
		}
	}
	if d := form(nil).Against([]LaunchForm{behind(nil)}); !d.Drifted() {
		t.Error("that the command answers itself is no change")
	}
	assumed := form(func(f *LaunchForm) {
		f.Package, f.Answers = &LaunchPackage{Pending: true}, &LaunchAnswers{Pending: true}
	}).Assume(behind(nil))
	if d := assumed.Against([]LaunchForm{behind(nil)}); d.Drifted() || !assumed.Complete() {
		t.Errorf("what is assumed is not what was: %+v", d)
	}
}

func TestALaunchIsToldInWordsAndWithoutAValue(t *testing.T) {
	raw, _, err := form(nil).Definition()
	if err != nil {
		t.Fatal(err)
	}
	var all string
	for _, c := range LaunchWords(raw) {
		all += c.Words + "\n" + c.After + "\n"
	}
	for _, want := range []string{"/usr/bin/node", "/srv/index.js", "/srv/hook.js", "@a/server 1.2.3", "/home/u", "`PYTHONPATH`", "with the variables `HOME`, `PATH`"} {
		if !strings.Contains(all, want) {
			t.Errorf("%q is not told: %s", want, all)
		}
	}
	if strings.Contains(all, "h1") || strings.Contains(all, "`PATH`, `PYTHONPATH`") {
		t.Errorf("a hash, or a name twice: %s", all)
	}
}

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
