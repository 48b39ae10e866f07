package removal

import (
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/sallyport/sallyport/app/clientconfig"
	"github.com/sallyport/sallyport/proxy/control"
)

func put(t *testing.T, path, content string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
}

func TestUsersAreReadWithTheirGroupsAndNotThroughALinkOutOfTheRoot(t *testing.T) {
	root := t.TempDir()
	if _, err := Users(root); err == nil || !strings.Contains(err.Error(), "etc/passwd") {
		t.Errorf("without accounts: %v", err)
	}
	put(t, root+"/etc/passwd", "root:x:0:0::/root:/bin/sh\nann:x:1000:1001:Ann:/home/ann:/bin/sh\nann2:x:1000:1001::/home/ann:\n#:x\nx:x:-5:0::/x:\ny:x:1:1::relative:\n")
	put(t, root+"/etc/group", "wheel:x:10:ann,ben\nann:x:1001:ann\nbad:x:z:ann\n")
	got, err := Users(root)
	want := []User{{"root", 0, 0, []int{}, "/root"}, {"ann", 1000, 1001, []int{10}, "/home/ann"}}
	if err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("%+v, %v", got, err)
	}
	away := filepath.Join(t.TempDir(), "passwd")
	put(t, away, "eve:x:0:0::/root:\n")
	if err := os.Remove(root + "/etc/passwd"); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(away, root+"/etc/passwd"); err != nil {
		t.Skip("no links here")
	}
	if got, err := Users(root); err == nil {
		t.Errorf("through a link: %+v", got)
	}
}

func TestOnlyFilesWithWrappersOrDoubtAreReported(t *testing.T) {
	dir := t.TempDir()
	env := func(name string) string { return map[string]string{"HOME": dir}[name] }
	home, err := control.HomeAt(filepath.Join(dir, "data"))
	if err != nil {
		t.Fatal(err)
	}
	program := filepath.Join(dir, "bin", "sallyport")
	put(t, program, "")
	file, err := os.Stat(program)
	if err != nil {
		t.Fatal(err)
	}
	system := clientconfig.System{OS: "linux", Home: dir, Env: env}
	by := Program{File: file, Paths: []string{"/gone/sallyport"}}
	wrapped := func(command string) string {
		return `{"mcpServers": {"a b": {"command": "` + command + `", "args": ["wrap", "--name", "a b", "--client", "cursor", "--", "npx", "-y"]}}}`
	}
	if err := os.Symlink(program, filepath.Join(dir, "link")); err != nil {
		t.Skip("no links here")
	}
	cursor := filepath.Join(dir, ".cursor/mcp.json")
	for _, c := range []struct {
		name, content string
		entries       int
		why           string
	}{
		{"no file", "", 0, ""},
		{"a wrapper", wrapped(program), 1, ""},
		{"a wrapper by a link", wrapped(dir + "/link"), 1, ""},
		{"a wrapper by a path that is gone", wrapped("/gone/sallyport"), 1, ""},
		{"a wrapper of another installation", wrapped("/other/sallyport"), 0, ""},
		{"a wrapper by its name alone", wrapped("sallyport"), 0, ""},
		{"our command with arguments that name no server", `{"mcpServers": {"a b": {"command": "` + program + `", "args": ["status"]}}}`, 0, "an entry is left"},
		{"a broken file that names us", `{"mcpServers": {"a": {"command": "` + program + `"`, 0, "its servers can't be told: "},
		{"a broken file that doesn't", `{"mcpServers": `, 0, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			os.Remove(cursor)
			if c.content != "" {
				put(t, cursor, c.content)
			}
			os.RemoveAll(home.Dir)
			if got, err := TakeOut(system, home, by); err != nil || got != nil {
				t.Errorf("without a record: %+v, %v", got, err)
			}
			put(t, home.Dir+"/x", "")
			got, err := TakeOut(system, home, by)
			if err != nil {
				t.Fatal(err)
			}
			if c.entries == 0 && c.why == "" {
				if now, _ := os.ReadFile(cursor); len(got) > 0 || string(now) != c.content {
					t.Errorf("%+v, %s", got, now)
				}
				return
			}
			if len(got) != 1 || got[0].Path != cursor || got[0].Entries != c.entries || (got[0].Why == "") != (c.why == "") || !strings.HasPrefix(got[0].Why, c.why) {
				t.Errorf("%+v", got)
			}
			if now, _ := os.ReadFile(cursor); c.entries > 0 && string(now) != `{"mcpServers": {"a b": {"command": "npx", "args": ["-y"]}}}` {
				t.Errorf("%s", now)
			}
		})
	}
}
