package main

import (
	"context"
	"os"
	"os/user"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/sallyport/sallyport/app/clientconfig"
	"github.com/sallyport/sallyport/proxy/control"
	"github.com/sallyport/sallyport/proxy/vocab"
)

func TestAServerDoesNotStartBeforeTheHubHasSaidWhatIsSet(t *testing.T) {
	home, err := control.HomeAt(filepath.Join(t.TempDir(), "home"))
	if err != nil {
		t.Fatal(err)
	}
	nobody := &hubLink{home: home, Link: control.NewLink(context.Background(), control.LinkOptions{
		Home: home, Role: control.RoleWrapper, Exe: filepath.Join(t.TempDir(), "no-hub-can-be-started"),
		Register: control.Register{Server: control.ServerRef{Transport: "stdio", Argv: []string{"server"}, Name: "server"}},
	})}
	defer closeLink(nobody)
	for _, strict := range []bool{false, true} {
		box, err := nobody.sandbox(strict)
		if box != nil || err == nil || !strings.HasPrefix(err.Error(), "SP-141: ") {
			t.Errorf("%v: %v", box, err)
		}
	}
}

// The entry of a server decides which HOME the wrapper gets.
func TestClientsFilesAreHiddenWhateverTheEntrysEnvironmentSays(t *testing.T) {
	u, err := user.Current()
	if err != nil {
		t.Fatal(err)
	}
	real := clientconfig.Places(clientconfig.System{OS: clientconfig.ThisSystem().OS, Home: u.HomeDir, Env: func(string) string { return "" }})
	for _, c := range []struct{ name, home, config string }{
		{"as it is", u.HomeDir, ""},
		{"another home", t.TempDir(), ""},
		{"no home", "", ""},
		{"another folder for settings", u.HomeDir, t.TempDir()},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Setenv("HOME", c.home)
			t.Setenv("USERPROFILE", c.home)
			t.Setenv("XDG_CONFIG_HOME", c.config)
			var hidden []string
			for _, system := range systems() {
				hide, _ := clientPlaces(system)
				hidden = append(hidden, hide...)
			}
			for _, place := range real {
				if !slices.Contains(hidden, place.Path) && !slices.Contains(hidden, place.Folder) {
					t.Errorf("%s stays open", place.Path)
				}
			}
		})
	}
}

func TestClaudesFolderIsMadeWhereItCouldBeMadeByAServer(t *testing.T) {
	home := t.TempDir()
	system := clientconfig.System{OS: "linux", Home: home, Env: func(string) string { return "" }}
	makeClaudeFolder(system)
	if names, _ := os.ReadDir(home); len(names) > 0 {
		t.Errorf("%v was made where no client has settings", names)
	}
	if err := os.Mkdir(filepath.Join(home, ".config"), 0o700); err != nil {
		t.Fatal(err)
	}
	makeClaudeFolder(system)
	if info, err := os.Stat(filepath.Join(home, ".config", "Claude")); err != nil || !info.IsDir() {
		t.Error(err)
	}
	system.Home = ""
	t.Chdir(home)
	if err := os.Remove(filepath.Join(home, ".config", "Claude")); err != nil {
		t.Fatal(err)
	}
	makeClaudeFolder(system)
	if _, err := os.Stat(filepath.Join(home, ".config", "Claude")); err == nil {
		t.Error("without a home, a folder was made in the working folder")
	}
}

func TestServersOfOneNameAreToldApartWhereTheirSandboxIsNamed(t *testing.T) {
	wanted, behind := walled([]control.Server{
		{Server: "mail", Shown: "mail ·1a2b", Sandbox: vocab.SandboxStrict, RunsIn: []vocab.Sandbox{vocab.SandboxOff}},
		{Server: "mail", Shown: "mail ·3c4d", Sandbox: vocab.SandboxOff},
	})
	for _, named := range [][]string{wanted, behind} {
		if !slices.Equal(named, []string{"mail ·1a2b: strict (now off)"}) {
			t.Errorf("%q", named)
		}
	}
}
