package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/sys/unix"
)

// fullDisk mounts a small file system at folder. Without the right to mount, the test is skipped: app/clientconfig tests the same with a
// limit on file sizes instead of a full disk.
func fullDisk(t *testing.T, folder, options string) bool {
	t.Helper()
	if err := unix.Mount("tmpfs", folder, "tmpfs", 0, options); err != nil {
		if os.Getuid() == 0 && !errors.Is(err, unix.EPERM) {
			t.Fatal(err)
		}
		return false
	}
	t.Cleanup(func() { unix.Unmount(folder, unix.MNT_DETACH) })
	return true
}

func TestAFullDiskLosesNothing(t *testing.T) {
	for way, withHub := range ways {
		t.Run(way, func(t *testing.T) {
			content := fmt.Sprintf(`{"mcpServers": {"weather": {"command": "true"}}, "memory": %q}`, strings.Repeat("x", 20000))
			i := install(t, content)
			if !fullDisk(t, filepath.Dir(i.file), "size=64k") {
				return
			}
			i.write(content)
			stop := i.hub()
			unfill := fill(t, filepath.Dir(i.file))
			refused(t, i, content, "the disk is full", "protect", "--config", i.file)
			unfill()
			i.want(exitFine, "protect", "--config", i.file)
			protected := i.read()
			fill(t, filepath.Dir(i.file))
			if !withHub {
				stop()
			}
			refused(t, i, protected, "the disk is full", "unprotect", "--config", i.file, "--yes")
		})
	}
}

// fill uses up the free space of a disk.
func fill(t *testing.T, folder string) (unfill func()) {
	t.Helper()
	filler, err := os.Create(filepath.Join(folder, "filler"))
	if err != nil {
		t.Fatal(err)
	}
	defer filler.Close()
	for err == nil {
		_, err = filler.Write(make([]byte, 4096))
	}
	if !errors.Is(err, unix.ENOSPC) {
		t.Fatal(err)
	}
	return func() {
		if err := os.Remove(filler.Name()); err != nil {
			t.Fatal(err)
		}
	}
}

func TestAFolderThatTakesNoFileIsLeftWithAClearLine(t *testing.T) {
	for way, withHub := range ways {
		t.Run(way, func(t *testing.T) {
			i := install(t, ordinary)
			folder := filepath.Dir(i.file)
			if !fullDisk(t, folder, "size=1m") {
				return
			}
			i.write(ordinary)
			stop := i.hub()
			readOnly := func(flags uintptr) {
				if err := unix.Mount("", folder, "", unix.MS_REMOUNT|flags, ""); err != nil {
					t.Fatal(err)
				}
			}
			readOnly(unix.MS_RDONLY)
			refused(t, i, ordinary, "read-only", "protect", "--config", i.file)
			readOnly(0)
			i.want(exitFine, "protect", "--config", i.file)
			protected := i.read()
			readOnly(unix.MS_RDONLY)
			if !withHub {
				stop()
			}
			refused(t, i, protected, "read-only", "unprotect", "--config", i.file, "--yes")
		})
	}
}
