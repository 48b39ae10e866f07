package sandbox

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// realTemp is a temporary folder with no link on the way to it.
func realTemp(t *testing.T) string {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	return dir
}

// TestOtherWaysToAFolderAreFound: with one of them left, hiding the folder would hide nothing.
func TestOtherWaysToAFolderAreFound(t *testing.T) {
	dir := realTemp(t)
	for _, folder := range []string{"data/home/ada/.sallyport/logs", "home/ada/.sallyport/logs", "whole disk/data/home/ada/.sallyport", "covered/ada/.sallyport", "other"} {
		if err := os.MkdirAll(filepath.Join(dir, folder), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	// The same folder under several names, as bind mounts make it: links stand in for them, since mounting needs root.
	real := filepath.Join(dir, "data/home/ada/.sallyport")
	for _, link := range []string{"home/ada", "whole disk/data/home/ada"} {
		path := filepath.Join(dir, link)
		if err := os.RemoveAll(path); err != nil {
			t.Fatal(err)
		}
		if err := os.Symlink(filepath.Dir(real), path); err != nil {
			t.Fatal(err)
		}
	}
	table := strings.NewReplacer("DIR", dir, "whole disk", `whole\040disk`).Replace(
		"21 1 8:1 / / rw - ext4 /dev/sda1 rw\n" +
			"22 21 8:2 / DIR rw - ext4 /dev/sda2 rw\n" +
			"23 22 8:2 /data/home DIR/home rw shared:1 - ext4 /dev/sda2 rw\n" +
			"24 22 8:2 / DIR/whole disk rw - ext4 /dev/sda2 rw\n" +
			"25 22 8:2 /data/home DIR/covered rw - ext4 /dev/sda2 rw\n" +
			"26 22 8:2 /data/home/ada/.sallyport/logs DIR/other rw - ext4 /dev/sda2 rw\n" +
			"27 22 8:3 /data/home DIR/another-disk rw - ext4 /dev/sda3 rw\n" +
			"a line that is none\n")
	got := parseMounts(table).aliases(real)
	slices.Sort(got)
	want := []string{filepath.Join(dir, "home/ada/.sallyport"), filepath.Join(dir, "other"), filepath.Join(dir, "whole disk/data/home/ada/.sallyport")}
	if !slices.Equal(got, want) {
		t.Errorf("got  %q\nwant %q", got, want)
	}
}

func TestTheRealTableOfMountsIsRead(t *testing.T) {
	all := readMounts()
	if !slices.ContainsFunc(all, func(m mount) bool { return m.point == "/" && strings.Contains(m.dev, ":") }) {
		t.Errorf("no root among %d mounts", len(all))
	}
}

func TestControlGroupsAndOtherProcessTablesAreFoundInTheTable(t *testing.T) {
	all := parseMounts("22 27 0:21 / /proc rw,relatime - proc proc rw\n" +
		"23 27 0:21 / /srv/room/proc rw,relatime shared:4 - proc proc rw\n" +
		"24 22 0:40 / /proc/sys/fs/binfmt_misc rw - autofs systemd-1 rw\n" +
		"25 22 0:21 /sys /proc/sys ro - proc proc rw\n" +
		"26 27 0:30 / /sys/fs/cgroup rw,nosuid shared:9 master:1 - cgroup2 cgroup2 rw\n" +
		"27 27 0:31 / /other rw - cgroup cgroup rw,freezer\n" +
		"28 27 0:32 / /plain rw - ext4 proc rw\n")
	if got := all.processTables(); !slices.Equal(got, []string{"/srv/room/proc"}) {
		t.Errorf("process tables %q", got)
	}
	if got := all.controlGroups(); !slices.Equal(got, []string{"/sys/fs/cgroup", "/other"}) {
		t.Errorf("control groups %q", got)
	}
}

func TestAddressesOfSocketsAreRead(t *testing.T) {
	env := []string{
		"DBUS_SESSION_BUS_ADDRESS=unix:path=/run/user/1000/bus,guid=00;unix:abstract=/tmp/dbus-x;unix:guid=1,path=/tmp/second",
		"DOCKER_HOST=unix:///run/docker.sock", "TCP=tcp://127.0.0.1:2375", "ODD=unix:", "EMPTY=",
	}
	for name, want := range map[string][]string{
		"DBUS_SESSION_BUS_ADDRESS": {"/run/user/1000/bus", "/tmp/second"}, "DOCKER_HOST": {"/run/docker.sock"}, "TCP": nil, "ODD": nil, "EMPTY": nil, "NONE": nil,
	} {
		if got := socketOf(env, name); !slices.Equal(got, want) {
			t.Errorf("%s: %q", name, got)
		}
	}
}

func TestSocketsWithoutAFileAreNamed(t *testing.T) {
	table := `Num       RefCount Protocol Flags    Type St Inode Path
0000000000000000: 00000002 00000000 00010000 0001 01 111 @/tmp/.X11-unix/X0
0000000000000000: 00000003 00000000 00000000 0001 03 112 @/tmp/.X11-unix/X0
0000000000000000: 00000002 00000000 00010000 0001 01 113 /tmp/.X11-unix/X0
0000000000000000: 00000002 00000000 00010000 0001 01 114 @/tmp/dbus-Abc
0000000000000000: 00000002 00000000 00010000 0001 01 115 @something
0000000000000000: 00000002 00000000 00010000 0001 01 116
`
	if got := abstractSockets(table); !slices.Equal(got, []string{"@/tmp/.X11-unix/X0", "@/tmp/dbus-Abc"}) {
		t.Errorf("%q", got)
	}
}

// TestWhatAProgramNeedsToStartIsItsInstallation under strict, and never a home.
func TestWhatAProgramNeedsToStartIsItsInstallation(t *testing.T) {
	home := realTemp(t)
	file := func(path, content string) string {
		path = filepath.Join(home, path)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(content), 0o755); err != nil {
			t.Fatal(err)
		}
		return path
	}
	link := func(target, path string) string {
		path = filepath.Join(home, path)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.Symlink(target, path); err != nil {
			t.Fatal(err)
		}
		return path
	}
	file(".config/x", "")
	file("package.json", "{}") // many a home has one
	node := file(".nvm/versions/node/v22/bin/node", "\x7fELF")
	file(".nvm/versions/node/v22/lib/x", "")
	file("app/node_modules/tool/package.json", "{}")
	file("app/node_modules/tool/index.js", "#!/usr/bin/env node\n")
	bin := link("../tool/index.js", "app/node_modules/.bin/tool")
	python := file(".local/share/uv/python/3.12/bin/python3", "\x7fELF")
	file(".local/share/uv/python/3.12/lib/x", "")
	file("venv/pyvenv.cfg", "")
	file(".local/lib/x", "")
	link(python, "venv/bin/python")
	served := file("venv/bin/served", "#!"+home+"/venv/bin/python\n")
	shim := link(served, ".local/bin/served")
	file("project/package.json", "{}")
	script := file("project/build/index.js", "")
	lone := file("lone.py", "")
	letter := file("letter.txt", "dear")
	thief := file("thief.js", "#!"+letter+"\n")
	burglar := file("burglar.py", "#!"+file("project/bin/tool", "\x7fELF")+"\n")
	env := []string{"HOME=" + home, "PATH=" + filepath.Dir(node) + ":/usr/bin:/bin"}
	in := func(parts ...string) (all []string) {
		for _, p := range parts {
			all = append(all, filepath.Join(home, p))
		}
		return all
	}
	for _, c := range []struct {
		name string
		path string
		args []string
		want []string
	}{
		{"a program of node modules, with the node of its first line", bin, nil, in("app", ".nvm/versions/node/v22")},
		{"a virtual environment behind a link, with the python it is made of", shim, nil, in("venv", ".local/bin/served", ".local/share/uv/python/3.12")},
		{"an interpreter with a script of a project", node, []string{"--flag", script, letter}, in("project", ".nvm/versions/node/v22")},
		{"a script that lies in the home goes alone", "/usr/bin/python3", []string{lone}, in("lone.py")},
		{"a first line that names a private file, in a script that an interpreter runs", node, []string{thief}, in("thief.js", ".nvm/versions/node/v22")},
		{"a first line that names a program of a private project", "/usr/bin/python3", []string{burglar}, in("burglar.py")},
		{"a script that is given to what is no interpreter is data", "/usr/bin/cat", []string{script}, nil},
		{"a file that is no program is data", "/usr/bin/cat", []string{letter}, nil},
		{"a program of the system", "/bin/sh", []string{"-c", "true"}, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			var got []string
			for _, n := range needs(Server{Argv: append([]string{c.path}, c.args...), Path: c.path, Dir: "/", Env: env}) {
				if below(n, home) {
					got = append(got, n)
				}
			}
			slices.Sort(got)
			slices.Sort(c.want)
			if !slices.Equal(got, c.want) {
				t.Errorf("got  %q\nwant %q", got, c.want)
			}
		})
	}
}

func TestOnlyDevicesThatNeitherTypeNorListenAreGiven(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"uinput", "tty1", "tty0", "vcs", "vcsa7", "ttyUSB0", "video0", "pts", "null", "mem", "input", "hidraw0", "sda", "something-new"} {
		if err := os.WriteFile(filepath.Join(dir, name), nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	got := devices(dir)
	for i := range got {
		got[i] = filepath.Base(got[i])
	}
	if !slices.Equal(got, []string{"ttyUSB0", "video0"}) {
		t.Errorf("%q", got)
	}
}
