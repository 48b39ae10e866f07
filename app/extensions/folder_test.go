package extensions

import (
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"
)

func folder(t *testing.T, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for path, text := range files {
		path = filepath.Join(dir, path)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func TestTheDigestOfAFolderIsThatOfItsPathsAndContents(t *testing.T) {
	files := map[string]string{"manifest.json": "{}", "a/b.js": "1", "a b\".js": "", "node_modules/x/y.js": "2"}
	first := newReader().read(folder(t, files))
	if first.problem != "" || first.files != 4 || first.bytes != 4 || len(first.folders) != 4 {
		t.Fatalf("%+v", first)
	}
	if again := newReader().read(folder(t, files)); again.digest != first.digest {
		t.Error("two equal folders differ")
	}
	for name, change := range map[string]func(map[string]string){
		"a content":       func(f map[string]string) { f["a/b.js"] = "2" },
		"a path":          func(f map[string]string) { delete(f, "a/b.js"); f["a/c.js"] = "1" },
		"a file more":     func(f map[string]string) { f["z"] = "" },
		"a file less":     func(f map[string]string) { delete(f, "manifest.json") },
		"two swapped":     func(f map[string]string) { f["a/b.js"], f["node_modules/x/y.js"] = "2", "1" },
		"one in a folder": func(f map[string]string) { delete(f, "a/b.js"); f["a/b.js/b.js"] = "1" },
	} {
		other := map[string]string{}
		for path, text := range files {
			other[path] = text
		}
		change(other)
		if got := newReader().read(folder(t, other)); got.digest == first.digest || got.digest == "" {
			t.Errorf("%s: digest %q", name, got.digest)
		}
	}
}

func TestDifferencesOfTwoListsAreNamed(t *testing.T) {
	was := newReader().read(folder(t, map[string]string{"a": "1", "b \"c\" d": "1", "é\n": "1", "same": ""}))
	now := newReader().read(folder(t, map[string]string{"b \"c\" d": "2", "é\n": "2", "new": "", "same": ""}))
	want := []difference{{path: "a", gone: true}, {path: "b \"c\" d"}, {path: "new", anew: true}, {path: "é\n"}}
	if got := differences(was.list, now.list); !reflect.DeepEqual(got, want) {
		t.Errorf("%+v", got)
	}
}

func TestALinkIsPinnedAsALinkAndNeverFollowed(t *testing.T) {
	dir := folder(t, map[string]string{"a": "1"})
	outside := folder(t, map[string]string{"secret": "1"})
	link := filepath.Join(dir, "link")
	if err := os.Symlink(outside, link); err != nil {
		t.Skip("no links here")
	}
	r := newReader()
	first := r.read(dir)
	if !reflect.DeepEqual(first.links, []string{"link"}) || first.files != 1 || first.digest == "" || strings.Contains(string(first.list), "secret\"") {
		t.Fatalf("%+v\n%s", first, first.list)
	}
	if err := os.WriteFile(filepath.Join(outside, "secret"), []byte("2"), 0o644); err != nil {
		t.Fatal(err)
	}
	if r.read(dir).digest != first.digest {
		t.Error("what it leads to counts")
	}
	if err := os.Remove(link); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("a", link); err != nil {
		t.Fatal(err)
	}
	if r.read(dir).digest == first.digest {
		t.Error("the link itself doesn't count")
	}
}

func TestAFolderThatIsTooLargeIsNamedAndNotPinned(t *testing.T) {
	dir := folder(t, map[string]string{"a": "1"})
	large, err := os.Create(filepath.Join(dir, "large"))
	if err != nil {
		t.Fatal(err)
	}
	defer large.Close()
	if err := large.Truncate(maxBytes); err != nil { // with the one byte of a it is too much; nothing of it is read
		t.Fatal(err)
	}
	if got := newReader().read(dir); got.digest != "" || got.problem != "its files have more than 512 MiB" {
		t.Errorf("%+v", got)
	}
	if got := newReader().read(filepath.Join(dir, "missing")); got.digest != "" || got.problem == "" {
		t.Errorf("%+v", got)
	}
	r := newReader()
	r.most = 4 // the folder itself counts
	if got := r.read(folder(t, map[string]string{"a": "", "b/c": ""})); got.problem != "" {
		t.Errorf("%+v", got)
	}
	if got := r.read(folder(t, map[string]string{"a": "", "b/c": "", "d": ""})); got.digest != "" || got.problem != "it has more than 4 files" {
		t.Errorf("%+v", got)
	}
}

// A file that looks the same to the system is not read again. Whoever writes one and puts its size and time back is found out.
func TestAFileIsReadAgainOnlyIfTheSystemSawAChange(t *testing.T) {
	dir := folder(t, map[string]string{"a": "1", "b": "1"})
	path := filepath.Join(dir, "a")
	info, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	r := newReader()
	first := r.read(dir)
	old := false
	for end := time.Now().Add(5 * time.Second); !old && time.Now().Before(end); time.Sleep(20 * time.Millisecond) {
		_, old = stampOf(info)
	}
	if old {
		r.read(dir)
		r.known[path] = hashed{r.known[path].stamp, "remembered"}
		if got := r.read(dir); !strings.HasPrefix(string(got.list), "remembered ") {
			t.Errorf("it was read again:\n%s", got.list)
		}
	}
	if err := os.WriteFile(path, []byte("2"), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := os.Chtimes(path, info.ModTime(), info.ModTime()); err != nil {
		t.Fatal(err)
	}
	if got := r.read(dir); got.digest == first.digest || strings.Contains(string(got.list), "remembered") {
		t.Errorf("it wasn't read again:\n%s", got.list)
	}
}
