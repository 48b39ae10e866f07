package clientconfig

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestOnlyThisInstallationsFileAndOurArgumentsAreAWrapper(t *testing.T) {
	by := installed(t)
	dir := t.TempDir()
	copied, linked, gone := filepath.Join(dir, "sallyport"), filepath.Join(dir, "guard"), filepath.Join(dir, "old", "sallyport")
	if err := os.WriteFile(copied, []byte("#!/bin/sh\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(by.Path, linked); err != nil {
		t.Fatal(err)
	}
	const ourArgs = `"wrap","--name","a","--client","claude-desktop","--","npx","x"`
	record := &Record{Name: "a", Client: ClaudeDesktop, Argv: []string{"npx", "x"}}
	for _, c := range []struct {
		name, command, args, env string
		record                   *Record
		kind                     Kind
		reason                   Reason
	}{
		{"as the record would write it", by.Path, ourArgs, "", record, Wrapped, ""},
		{"as Wrap would write it, without a record", by.Path, ourArgs, "", nil, Wrapped, ""},
		{"through a link to the file itself", linked, ourArgs, "", record, Wrapped, ""},
		{"a copy of the file", copied, ourArgs, "", record, LooksWrapped, OtherCommand},
		{"a path where nothing is", gone, ourArgs, "", record, LooksWrapped, MissingFile},
		{"a name looked up by PATH", "sallyport", ourArgs, "", record, LooksWrapped, OtherCommand},
		{"the name in capitals", "/x/Sallyport.EXE", ourArgs, "", record, LooksWrapped, MissingFile},
		{"a shell that mentions our name", "/bin/sh", `"wrap","/x/sallyport","--","npx"`, "", nil, LooksWrapped, OtherCommand},
		{"another command than the record's", by.Path, `"wrap","--name","a","--client","claude-desktop","--","npx","evil"`, "", record, LooksWrapped, OtherArgs},
		{"another name", by.Path, `"wrap","--name","b","--client","claude-desktop","--","npx","x"`, "", nil, LooksWrapped, OtherArgs},
		{"another client", by.Path, `"wrap","--name","a","--client","cursor","--","npx","x"`, "", nil, LooksWrapped, OtherArgs},
		{"a flag more", by.Path, `"wrap","--help","--name","a","--client","claude-desktop","--","npx","x"`, "", nil, LooksWrapped, OtherArgs},
		{"no end to our words", by.Path, `"wrap","npx"`, "", nil, LooksWrapped, OtherArgs},
		{"nothing behind our words", by.Path, `"wrap","--name","a","--client","claude-desktop","--"`, "", nil, LooksWrapped, OtherArgs},
		{"another command of ours", by.Path, `"hub"`, "", nil, LooksWrapped, OtherArgs},
		{"env that moves our home", by.Path, ourArgs, `"SALLYPORT_HOME":"/tmp"`, record, LooksWrapped, MovedHome},
		{"env that moves our home in small letters", by.Path, ourArgs, `"sallyport_home":"/tmp"`, record, LooksWrapped, MovedHome},
		{"env that chooses the display", by.Path, ourArgs, `"DISPLAY":":7"`, record, LooksWrapped, MovedHome},
		{"env that chooses the Wayland display", by.Path, ourArgs, `"WAYLAND_DISPLAY":"x"`, record, LooksWrapped, MovedHome},
		{"env that chooses the right to a display", by.Path, ourArgs, `"Xauthority":"x"`, record, LooksWrapped, MovedHome},
		{"env that chooses the session bus", by.Path, ourArgs, `"DBUS_SESSION_BUS_ADDRESS":"x"`, record, LooksWrapped, MovedHome},
		{"env that moves every home", by.Path, ourArgs, `"A":"1","HOME":"/tmp"`, record, LooksWrapped, MovedHome},
		{"env that moves the socket", by.Path, ourArgs, `"XDG_RUNTIME_DIR":"/tmp"`, record, LooksWrapped, MovedHome},
		{"env of the server", by.Path, ourArgs, `"API_KEY":"x","HOMEPAGE":"y"`, record, Wrapped, ""},
		{"a bare server", "npx", `"x"`, "", nil, Plain, ""},
		{"a bare server although a record is there", "npx", `"x"`, "", record, Plain, ""},
		{"another tool that wraps", "/usr/bin/other", `"wrap","--","npx"`, "", nil, Plain, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			raw := `{"mcpServers":{"a":{"command":` + quote(c.command) + `,"args":[` + c.args + `],"env":{` + c.env + `}}}}`
			got := Classify(mustParse(t, raw, Format{}).Entries[0], by, c.record)
			if got.Kind != c.kind || got.Reason != c.reason {
				t.Errorf("it is %s (%s)", got, got.Reason)
			}
			if (got.Why == "") != (got.Kind == Plain || got.Kind == Wrapped) || strings.Contains(got.Why, "/tmp") {
				t.Errorf("why: %q", got.Why)
			}
		})
	}
}
