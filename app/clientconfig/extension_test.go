package clientconfig

import (
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
)

func TestExtensionsAreCountedAlsoWhereTheirManifestIsBroken(t *testing.T) {
	s := fake(t, "windows", "/Users/ann", nil)
	folder := s.Root + "/Users/ann/AppData/Roaming/Claude"
	l := Location{Folder: folder}
	if got, err := Extensions(l, s); err != nil || len(got) > 0 {
		t.Errorf("without a folder: %v, %v", got, err)
	}
	put(t, folder+"/Claude Extensions/ant.dir.fs/manifest.json", "\xef\xbb\xbf"+`{"name":"fs","display_name":"Filesystem","version":"0.2.2","server":{"type":"node","entry_point":"dist/index.js","mcp_config":{"command":"node","args":["${__dirname}/dist/index.js","--token","SEKRET"],"env":{"K":"SEKRET"},"platform_overrides":{"win32":{"command":"node.exe"},"darwin":{"command":"no"}}}}}`)
	put(t, folder+"/Claude Extensions Settings/ant.dir.fs.json", `{"isEnabled":false,"userConfig":{"key":"SEKRET"}}`)
	put(t, folder+"/Claude Extensions/bare/manifest.json", `{"server":{"entry_point":"server/main"}}`)
	put(t, folder+"/Claude Extensions/broken/manifest.json", `{"name":["SEKRET"]`)
	put(t, folder+"/Claude Extensions/empty/readme", ``)
	put(t, folder+"/Claude Extensions/a file", ``)
	got, err := Extensions(l, s)
	want := []Extension{
		{ID: "ant.dir.fs", Name: "Filesystem", Version: "0.2.2", Folder: folder + "/Claude Extensions/ant.dir.fs", Runs: "node.exe ${__dirname}/dist/index.js --token ••••", Disabled: true},
		{ID: "bare", Name: "bare", Folder: folder + "/Claude Extensions/bare", Runs: "server/main"},
		{ID: "broken", Name: "broken", Folder: folder + "/Claude Extensions/broken", Problem: "its manifest is not valid"},
		{ID: "empty", Name: "empty", Folder: folder + "/Claude Extensions/empty", Problem: "it has no manifest"},
	}
	if err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("%v\n%+v\nwant\n%+v", err, got, want)
	}
}

func TestAFolderOfExtensionsThatCannotBeListedIsAnError(t *testing.T) {
	folder := t.TempDir()
	put(t, filepath.Join(folder, "Claude Extensions"), "a file")
	if _, err := Extensions(Location{Folder: folder}, fake(t, "linux", "/", nil)); err == nil || os.IsNotExist(err) {
		t.Errorf("error %v", err)
	}
}

func TestAPolicysServersAndSwitchesAreRead(t *testing.T) {
	for _, c := range []struct {
		name, servers, local, extensions string
		want                             Policy
	}{
		{"text that holds JSON", `[{"name":"a","transport":"http","url":"https://a.example/?key=SEKRET"},{"name":"b","transport":"stdio","command":"/opt/b","args":["--token","SEKRET"]}]`, "false", "true",
			Policy{LocalServersOff: true, Servers: []PolicyServer{{Name: "a"}, {Name: "b", Local: true}}}},
		{"text in quotes", `"[{\"name\":\"b\",\"command\":\"/opt/b\"}]"`, `"0"`, `"1"`,
			Policy{LocalServersOff: true, Servers: []PolicyServer{{Name: "b", Local: true}}}},
		{"servers that cannot be read", `[{"name":7}]`, "", "0", Policy{ExtensionsOff: true, Problems: []string{"policy: its managedMcpServers cannot be read"}}},
		{"nothing", "", "", "", Policy{}},
	} {
		t.Run(c.name, func(t *testing.T) {
			var p Policy
			values := map[string]string{keyServers: c.servers, keyLocal: c.local, keyExtensions: c.extensions}
			p.add("policy", func(key string) (string, bool, error) { return values[key], values[key] != "", nil })
			if !reflect.DeepEqual(p, c.want) {
				t.Errorf("%+v\nwant\n%+v", p, c.want)
			}
		})
	}
}

func TestTheAppsOwnLibraryOfConfigurationsIsReadOnEachSystem(t *testing.T) {
	for system, folder := range map[string]string{
		"linux":   "/home/ann/.config/Claude-3p/configLibrary",
		"darwin":  "/home/ann/Library/Application Support/Claude-3p/configLibrary",
		"windows": "/home/ann/AppData/Local/Packages/Claude_x/LocalCache/Local/Claude-3p/configLibrary",
	} {
		s := fake(t, system, "/home/ann", nil)
		if p := ReadPolicy(s); len(p.Servers)+len(p.Problems) > 0 {
			t.Errorf("%s: without one: %+v", system, p)
		}
		put(t, s.Root+folder+"/_meta.json", `{"appliedId":"one"}`)
		put(t, s.Root+folder+"/one.json", `{"managedMcpServers":[{"name":"a","command":"/opt/a"}],"isLocalDevMcpEnabled":false}`)
		put(t, s.Root+folder+"/two.json", `{"managedMcpServers":[{"name":"b","command":"/opt/b"}]}`)
		p := ReadPolicy(s)
		if len(p.Servers) != 1 || p.Servers[0].Name != "a" || !p.Servers[0].Local || !p.LocalServersOff || p.ExtensionsOff || len(p.Problems) > 0 {
			t.Errorf("%s: %+v", system, p)
		}
		put(t, s.Root+folder+"/_meta.json", `{"appliedId":"../one"}`)
		if p := ReadPolicy(s); len(p.Problems) != 1 || strings.Contains(p.Problems[0], "one") {
			t.Errorf("%s: a path that leads out: %+v", system, p)
		}
	}
}
