package app

import (
	"archive/tar"
	"compress/gzip"
	"encoding/json"
	"errors"
	"io"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/sallyport/sallyport/proxy/control"
	"github.com/sallyport/sallyport/proxy/pin"
	"github.com/sallyport/sallyport/proxy/vocab"
	"github.com/sallyport/sallyport/store"
)

// lastVersion is a home that the last version left: five servers with approvals, two of them changed or new, three held
// responses, exceptions, a client's file that is gone, two backups, settings. The files next to it are what that version printed about
// it (sallyport inbox --json and so on) before it ended.
const lastVersion = "testdata/last-version"

func unpackHome(t *testing.T) control.Home {
	t.Helper()
	dir := t.TempDir()
	packed, err := os.Open(filepath.Join(lastVersion, "home.tar.gz"))
	if err != nil {
		t.Fatal(err)
	}
	defer packed.Close()
	unpacked, err := gzip.NewReader(packed)
	if err != nil {
		t.Fatal(err)
	}
	for files := tar.NewReader(unpacked); ; {
		f, err := files.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		path := filepath.Join(dir, filepath.FromSlash(f.Name))
		if f.Typeflag == tar.TypeDir {
			err = os.MkdirAll(path, 0o700)
		} else {
			var raw []byte
			if raw, err = io.ReadAll(files); err == nil {
				err = os.WriteFile(path, raw, 0o600)
			}
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	home, err := control.HomeAt(filepath.Join(dir, "home"))
	if err != nil {
		t.Fatal(err)
	}
	return home
}

// sentences are our own words, which may change from one version to the next.
var sentences = []string{"title", "doc", "light", "next"}

// plain is a value as JSON shows it, without our sentences.
func plain(t testing.TB, value any) any {
	t.Helper()
	raw, err := json.Marshal(value)
	if err != nil {
		t.Fatal(err)
	}
	var read any
	if err := json.Unmarshal(raw, &read); err != nil {
		t.Fatal(err)
	}
	var strip func(any)
	strip = func(v any) {
		switch v := v.(type) {
		case []any:
			for _, one := range v {
				strip(one)
			}
		case map[string]any:
			for key, one := range v {
				if slices.Contains(sentences, key) {
					delete(v, key)
				}
				strip(one)
			}
		}
	}
	strip(read)
	return read
}

// isAsItWas compares what the hub says about its home with what the last version said.
func (p *place) isAsItWas(when string) {
	t := p.t
	t.Helper()
	servers, err := p.Servers()
	if err != nil {
		t.Fatal(err)
	}
	for i := range servers {
		servers[i].Wrappers, servers[i].LastSeen = 0, time.Time{} // one of them runs below
	}
	exceptions, err1 := p.Exceptions()
	backups, err2 := p.Backups()
	settings, err3 := p.Settings(control.SettingQuery{})
	if err := errors.Join(err1, err2, err3); err != nil {
		t.Fatal(err)
	}
	for name, now := range map[string]any{
		"inbox": p.inboxNow(), "servers": servers, "exceptions": exceptions, "backups": backups, "settings": settings,
	} {
		raw, err := os.ReadFile(filepath.Join(lastVersion, name+".json"))
		if err != nil {
			t.Fatal(err)
		}
		var said struct{ Items []map[string]any }
		if err := json.Unmarshal(raw, &said); err != nil || len(said.Items) == 0 {
			t.Fatalf("%s.json: %v", name, err)
		}
		for i := range said.Items {
			if name == "servers" {
				said.Items[i]["wrappers"] = 0
				delete(said.Items[i], "last_seen")
			}
		}
		if was, is := plain(t, said.Items), plain(t, now); !reflect.DeepEqual(was, withoutNew(was, is)) {
			t.Errorf("%s, the %s are not what they were:\nwas %v\nare %v", when, name, was, is)
		}
	}
	if v, err := p.Verify(); err != nil || v.Bad != "" || v.Records < 38 {
		t.Errorf("%s, the timeline: %+v, %v", when, v, err)
	}
	if found, err := p.office.Store.Tampered(); err != nil || found.Any() {
		t.Errorf("%s, the seals: %+v, %v", when, found, err)
	}
}

// withoutNew leaves out of a value what the last version did not know: members, and settings.
func withoutNew(was, is any) any {
	switch is := is.(type) {
	case map[string]any:
		was, _ := was.(map[string]any)
		for name, value := range is {
			if old, known := was[name]; known {
				is[name] = withoutNew(old, value)
			} else {
				delete(is, name)
			}
		}
	case []any:
		was, _ := was.([]any)
		if len(is) > len(was) {
			is = slices.DeleteFunc(is, func(one any) bool {
				now, named := one.(map[string]any)
				return named && now["key"] != nil && !slices.ContainsFunc(was, func(old any) bool {
					before, _ := old.(map[string]any)
					return before["key"] == now["key"]
				})
			})
		}
		for i := range min(len(is), len(was)) {
			is[i] = withoutNew(was[i], is[i])
		}
		return is
	}
	return is
}

func TestAHomeOfTheLastVersionIsAsItWas(t *testing.T) {
	p := open(t, unpackHome(t), func(o *Options) {
		o.Now = (&clock{t: time.Date(2026, 11, 23, 20, 11, 0, 0, time.UTC)}).now
	})
	p.isAsItWas("opened")

	held := p.inboxNow()[0]
	for _, code := range held.Codes {
		if d := p.stands(code, vocab.HeldWaiting); d.Answer == nil || d.Params == nil {
			t.Errorf("the text of %s is gone", code)
		}
	}
	// Records are read one by one; the first are those of the last version.
	all, err := p.Activity(control.ActivityQuery{Oldest: true, Limit: 1000})
	if err != nil || len(all.Items) < 38 || all.Items[0].Prev != "" || all.Items[37].Hash != "412913331e24f5e03a095b9b7cda557bbc23c3970d629c8e77e3c27a1a56ff0a" {
		t.Errorf("%d records, %v", len(all.Items), err)
	}

	// An allowed server comes again unchanged: what was allowed passes, and nothing new is pending.
	var notes store.Server
	var declares []pin.Item
	if err := p.office.Store.View(func(tx *store.Tx) error {
		for _, s := range tx.Servers() {
			if s.Name == "notes" {
				notes = s
			}
		}
		seen, err2 := tx.Seen(notes.ID)
		for _, one := range seen {
			if name, ok := strings.CutPrefix(one.Item, "tool:"); ok {
				declares = append(declares, raw(pin.Tool, name, string(one.Raw)))
			}
		}
		return errors.Join(err, err2)
	}); err != nil {
		t.Fatal(err)
	}
	if len(declares) != 4 {
		t.Fatalf("notes declared %d tools", len(declares))
	}
	w := p.back("sallyport-demo", "later", "notes", notes.Argv...)
	state := w.report(declares...)
	if a := state.Items["tool:read_note"]; !state.Open || a.State != "approved" || len(a.Approved) != 1 {
		t.Errorf("what was allowed: %+v of %+v", a, state)
	}
	p.isAsItWas("used again")
}
