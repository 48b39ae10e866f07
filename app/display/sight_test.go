package display

import (
	"slices"
	"strings"
	"testing"

	"github.com/sallyport/sallyport/app/guardian"
	"github.com/sallyport/sallyport/app/identity"
	"github.com/sallyport/sallyport/app/office"
	"github.com/sallyport/sallyport/proxy/control"
	"github.com/sallyport/sallyport/proxy/vocab"
)

// A client may fill in parts of a command: then the name tells what an entry starts, in any script.
func TestAnEntryIsKnownByItsNameInAnyScript(t *testing.T) {
	for _, name := range []string{"weather", "天気", "Été à la mer", "طقس", "a   b"} {
		t.Run(name, func(t *testing.T) {
			p := newPlace(t)
			w := p.wrap(name)
			p.allow(w)
			servers, err := p.knownServers()
			if err != nil {
				t.Fatal(err)
			}
			entry := control.ClientEntry{Name: name, State: control.EntryGuarded, Started: true, ServerID: "with ${workspaceFolder} in it"}
			guarded := control.Coverage{Clients: []control.ClientFile{{Client: "claude-desktop", Name: "Claude Desktop", State: control.FileFound, Entries: []control.ClientEntry{entry}}}}
			if b := p.besideFiles(guarded); len(b.apart) != 0 {
				t.Errorf("counted as one that stands in no file: %v", b.apart)
			}
			known := map[string]bool{servers[0].ID: true}
			rows := sight{coverage: guarded, known: known}.rows(servers)
			if len(rows) != 1 || len(rows[0].Entries) != 1 || rows[0].Light.State != LightGuarded {
				t.Errorf("guarded: %+v", rows)
			}
			p.from.Wrappers.Unregister(w)
			if servers, err = p.knownServers(); err != nil {
				t.Fatal(err)
			}
			open := control.Coverage{Unguarded: []control.Unguarded{{Client: "claude-desktop", Name: name, Kind: guardian.UnguardedEntry, Code: office.CoverOpen}}}
			if rows := (sight{coverage: open, known: known}).rows(servers); len(rows) != 1 || rows[0].Light.State != LightUnguarded {
				t.Errorf("its guard was taken out: %+v", rows)
			}
			lost := []control.InboxItem{{Kind: vocab.ItemUnguarded, Severity: vocab.SeverityHigh, Parts: []control.Part{{Item: "entry:" + name}}}}
			if l := p.Light(open, lost, true); l.Words != identity.PersonName(name)+" is not guarded" {
				t.Errorf("the whole: %+v", l)
			}
		})
	}
}

func TestAnEntryThatHasNotStartedIsShownByACleanName(t *testing.T) {
	long := strings.Repeat("weather ", 20) + "end"
	for _, name := range []string{"天気", "[Sallyport] says\nall is \u202efine\x1b[31m", long} {
		s := sight{coverage: control.Coverage{Clients: []control.ClientFile{{Entries: []control.ClientEntry{{Name: name, State: control.EntryGuarded}}}}}}
		rows := s.rows(nil)
		if len(rows) != 1 || rows[0].Server.Server == "" {
			t.Fatalf("%q: %+v", name, rows)
		}
		if short := rows[0].Server.Shown; (short != "") != (name == long) || short != "" && (len([]rune(short)) != 64 || !strings.Contains(short, "…")) {
			t.Errorf("%q is shown as %q", name, short)
		}
		if got := rows[0].Server.Server; strings.ContainsAny(got, "\n\x1b\u202e") || strings.HasPrefix(got, "[Sallyport]") {
			t.Errorf("%q is called %q", name, got)
		}
	}
}

// A running server and one that has not started yet may have the same name: the list tells them apart, as it does two running ones.
func TestARowThatHasNotStartedIsToldApartFromOneOfItsName(t *testing.T) {
	p := newPlace(t)
	p.wrap("notes", "npx", "notes")
	servers, err := p.knownServers()
	if err != nil {
		t.Fatal(err)
	}
	s := sight{coverage: control.Coverage{Clients: []control.ClientFile{{Client: "cursor", Name: "Cursor", Entries: []control.ClientEntry{
		{Name: "notes", State: control.EntryGuarded, ServerID: "abcdef"}, {Name: "mail", State: control.EntryGuarded, ServerID: "123456"},
	}}}}}
	var shown []string
	for _, row := range s.rows(servers) {
		shown = append(shown, row.Server.Server+"="+row.Shown)
	}
	if want := []string{"mail=", "notes=notes ·" + servers[0].ID[:4], "notes=notes ·abcd"}; !slices.Equal(shown, want) {
		t.Errorf("%q, want %q", shown, want)
	}
}
