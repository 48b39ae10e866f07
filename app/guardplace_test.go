package app

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/sallyport/sallyport/app/clientconfig"
	"github.com/sallyport/sallyport/app/mask"
	"github.com/sallyport/sallyport/app/stage"
	"github.com/sallyport/sallyport/proxy/control"
	"github.com/sallyport/sallyport/proxy/vocab"
)

// Watching, the item and restoring work the same wherever Claude Desktop keeps its file.
func TestTheFileIsWatchedWhereEachSystemKeepsIt(t *testing.T) {
	windows := map[string]string{"LOCALAPPDATA": "/Users/ann/AppData/Local", "APPDATA": "/Users/ann/AppData/Roaming"}
	const name = "/Claude/claude_desktop_config.json"
	for _, c := range []struct {
		name, system string
		env          map[string]string
		file         string
	}{
		{"Linux", "linux", nil, "/Users/ann/.config" + name},
		{"macOS", "darwin", nil, "/Users/ann/Library/Application Support" + name},
		{"Windows, the MSIX package", "windows", windows, "/Users/ann/AppData/Local/Packages/Claude_pzs8sxrjxfjjc/LocalCache/Roaming" + name},
		{"Windows, an older install", "windows", windows, "/Users/ann/AppData/Roaming" + name},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			root := t.TempDir()
			home := newHome(t)
			start := func() *desk {
				d := &desk{File: &stage.File{T: t, Path: root + c.file, Program: filepath.Join(root, "bin", "sallyport")}}
				d.system = clientconfig.System{OS: c.system, Home: "/Users/ann", Root: root, Env: func(name string) string { return c.env[name] }}
				d.place = open(t, home, func(o *Options) { o.Program, o.System, o.HomeCheck = d.Program, d.system, time.Hour })
				return d
			}
			put(t, root+c.file, claudeFile)
			put(t, filepath.Join(root, "bin", "sallyport"), "#!/bin/sh\n")
			d := start()
			if out := d.protect(); !out.Written || out.Path != d.Path {
				t.Fatalf("protect: %+v", out)
			}
			guarded := d.Text()

			d.Edit(func(servers map[string]any) {
				servers["fresh"] = map[string]any{"command": "npx", "args": []string{"fresh"}}
			})
			eventually(t, "the new entry guarded, and kept as wanted so", func() bool {
				return d.Guarded("fresh") && strings.Contains(mask.PlainJSON(d.records("config_change")), "added to a client's file")
			})
			d.Edit(func(servers map[string]any) { delete(servers, "fresh") })
			d.reject(d.waits(vocab.ItemConfigChanged, "entry:fresh=removed"))

			d.Replace("{\n  \"mcpServers\": {},\n  \"mine\": 1\n}\n") // by a neighbour renamed over it, as Claude writes
			it := d.waits(vocab.ItemConfigChanged, "entry:files=removed entry:weather=removed")
			d.Close()
			d = start() // pending items outlive their hub
			if again := d.waits(vocab.ItemConfigChanged, "entry:files=removed entry:weather=removed"); again.Code != it.Code {
				t.Errorf("it was %s and is %s", it.Code, again.Code)
			}
			d.approve(it)
			if !d.Guarded("files") || !d.Guarded("weather") || !strings.Contains(d.Text(), `"mine": 1`) {
				t.Errorf("put back as\n%s", d.Text())
			}
			d.Replace(guarded)
			d.settles()
			d.unprotect()
			if d.Text() != claudeFile {
				t.Errorf("it came back as\n%s", d.Text())
			}
		})
	}
}

// A package installed next to a protected older file has its own file: both count, and they are not confused.
func TestAPackageThatComesBesideAProtectedFileIsAFileOfItsOwn(t *testing.T) {
	root := t.TempDir()
	older := root + "/Users/ann/AppData/Roaming/Claude/claude_desktop_config.json"
	packaged := root + "/Users/ann/AppData/Local/Packages/Claude_pzs8sxrjxfjjc/LocalCache/Roaming/Claude/claude_desktop_config.json"
	put(t, older, claudeFile)
	d := &desk{File: &stage.File{T: t, Path: older, Program: filepath.Join(root, "bin", "sallyport")}}
	put(t, d.Program, "#!/bin/sh\n")
	d.system = clientconfig.System{OS: "windows", Home: "/Users/ann", Root: root, Env: func(string) string { return "" }}
	d.place = open(t, newHome(t), func(o *Options) { o.Program, o.System, o.HomeCheck = d.Program, d.system, time.Hour })
	d.protect()
	put(t, packaged, claudeFile)
	d.LookAtAll()
	d.quiet()
	if raw, err := os.ReadFile(packaged); err != nil || string(raw) != claudeFile {
		t.Errorf("a file that nobody protected was written: %v\n%s", err, raw)
	}
	coverage, err := d.Coverage(control.CoverageQuery{})
	if err != nil || coverage.Total != 4 || coverage.Guarded != 2 {
		t.Errorf("coverage %+v, %v", coverage, err)
	}
	d.Replace(`{}`)
	d.waits(vocab.ItemConfigChanged, "entry:files=removed entry:weather=removed")
}
