package notify

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/sallyport/sallyport/proxy/vocab"
)

var kinds = []vocab.ItemKind{"new_server", "changed", "launch", "unguarded", "config_changed", "settings_changed", "interaction", "response_held", "call_waiting", "guard_problem", "a kind to come"}

// subjects is every subject there can be of a server of this name.
func subjects(server string) (all []Subject) {
	for _, kind := range kinds {
		for bits := range 32 {
			for _, tools := range []int{0, 1, 2, 9999} {
				s := Subject{Kind: kind, Server: server, Code: "4F2A", Grave: bits&1 > 0, Hidden: bits&2 > 0, Blocked: bits&4 > 0, Asked: bits&8 > 0, Found: bits&16 > 0, Tools: tools}
				all = append(all, s)
				if s.Kind == "call_waiting" {
					s.Flow = true
					all = append(all, s)
					s.From = server
					all = append(all, s)
				}
			}
		}
	}
	return all
}

func TestEveryNoteFitsAndOpensItsItem(t *testing.T) {
	t.Parallel()
	for _, server := range []string{"", "weather", strings.Repeat("m", maxName)} {
		for _, s := range subjects(server) {
			n := Say(s)
			if plain(n.Title, maxTitle) != n.Title || plain(n.Body, maxBody) != n.Body || plain(n.Action, maxName) != n.Action {
				t.Errorf("%+v does not fit: %d and %d characters: %q %q", s, utf8.RuneCountInString(n.Title), utf8.RuneCountInString(n.Body), n.Title, n.Body)
			}
			if n.Title == "" || n.Body == "" || n.Key != "4F2A" || n.Route != "#/inbox/4F2A" || (n.Urgency == Critical) != s.Grave {
				t.Errorf("%+v says %+v", s, n)
			}
			if strings.Contains(n.Title, "  ") || strings.HasPrefix(n.Title, " ") || strings.Contains(n.Title+n.Body, "%!") {
				t.Errorf("%+v says %q %q", s, n.Title, n.Body)
			}
		}
	}
}

func TestANoteOfWhatAClientHasNotSeenSaysWhatHelps(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ client, next, title, body string }{
		{"Claude Desktop", "restart Claude Desktop", "Claude Desktop hasn't seen what you allowed", "To use it there: restart Claude Desktop."},
		{"<b>me</b>", "restart <b>me</b>", "A client hasn't seen what you allowed", "To use it there: restart the client."},
		{strings.Repeat("m", maxName), "restart " + strings.Repeat("m", maxName), "", "To use it there: restart the client."},
	} {
		n := Say(Subject{Kind: "unseen", Code: "unseen:x", Client: test.client, Next: test.next})
		if test.title != "" && n.Title != test.title || n.Body != test.body || n.Route != "#/servers" || n.Later || n.Urgency == Critical {
			t.Errorf("%+v says %+v", test, n)
		}
		if plain(n.Title, maxTitle) != n.Title || plain(n.Body, maxBody) != n.Body {
			t.Errorf("it does not fit: %q %q", n.Title, n.Body)
		}
	}
}

func TestNoNoteOffersToAllowAnything(t *testing.T) {
	t.Parallel()
	for _, s := range subjects("weather") {
		if n := Say(s); n.Action != "Review" && n.Action != "See why" {
			t.Errorf("%+v has the button %q", s, n.Action)
		}
	}
}

func TestANameThatCouldBeReadAsMoreIsNotSaid(t *testing.T) {
	t.Parallel()
	for _, name := range []string{
		"Safe update ✅\u202e", "<b>Sallyport</b>", "[Allow](sallyport://allow)", "a\nb", "a\u200bb", "[Sallyport] x", "x'; y", "\x1b[31mred", " weather", "\xff", "",
	} {
		for _, s := range subjects(name) {
			n := Say(s)
			for _, r := range n.Title + n.Body {
				if r > 0x7e || r < ' ' || strings.ContainsRune("<>[]\"&", r) {
					t.Fatalf("%+v says %q %q", s, n.Title, n.Body)
				}
			}
			if name != "" && strings.Contains(n.Title+n.Body, strings.TrimSpace(name)) && name != " weather" {
				t.Errorf("%+v says the name: %q %q", s, n.Title, n.Body)
			}
		}
		if got := SafeName(name, "a server"); got != "a server" {
			t.Errorf("SafeName(%q) is %q", name, got)
		}
	}
	if got := SafeName(strings.Repeat("m", maxName+1), "a server"); got != strings.Repeat("m", 16)+"…"+strings.Repeat("m", 15) {
		t.Errorf("a long name is %q", got)
	}
	if got := SafeName(strings.Repeat("m", 64)+" ·1a2b", "a server"); got != strings.Repeat("m", 13)+"…"+strings.Repeat("m", 12)+" ·1a2b" {
		t.Errorf("a long name with its mark is %q", got)
	}
	for _, name := range []string{"weather", "my-server_2.0", "Google Drive", "ملفات المشروع", "项目文件", "プロジェクト", "👩‍👩‍👧‍👦", "github ·a1b2"} {
		if got := SafeName(name, "a server"); got != name {
			t.Errorf("SafeName(%q) is %q", name, got)
		}
	}
}

func TestWhatANoteSays(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		subject     Subject
		title, body string
	}{
		{Subject{Kind: "changed", Server: "weather", Tools: 2}, "Tools changed and are blocked", "2 tools from weather changed. They stay blocked until you review them."},
		{Subject{Kind: "changed", Server: "weather", Tools: 1}, "A tool changed and is blocked", "A tool from weather changed. It stays blocked until you review it."},
		{Subject{Kind: "changed", Server: "weather", Grave: true, Hidden: true, Tools: 1}, "Blocked: hidden instructions in a tool", "A tool from weather now hides orders for Claude. Sallyport blocked it, and it hasn't run."},
		{Subject{Kind: "changed", Server: "weather", Grave: true, Hidden: true}, "Blocked: hidden instructions", "What weather declares now hides orders for Claude. Sallyport blocked it; nothing ran."},
		{Subject{Kind: "new_server", Server: "github"}, "New server: github", "It's blocked until you check what it can do."},
		{Subject{Kind: "launch", Server: "filesystem", Blocked: true}, "filesystem starts differently", "Sallyport can't tell which program it would start. Blocked until you review it."},
		{Subject{Kind: "launch", Launch: "program", Server: "filesystem", Blocked: true}, "filesystem starts differently", "It would start a different program than the one you allowed. Blocked until you review it."},
		{Subject{Kind: "launch", Launch: "program"}, "A server starts differently", "It would start a different program than the one you allowed. It is still running."},
		{Subject{Kind: "launch", Launch: "loader", Server: "filesystem", Blocked: true}, "filesystem starts differently", "It's the same command, but a variable can now load other code. Blocked until you review it."},
		{Subject{Kind: "launch", Launch: "surroundings", Server: "filesystem"}, "filesystem starts differently", "It's the same program, in a different folder or with different variables. It is still running."},
		{Subject{Kind: "unguarded", Server: "filesystem"}, "filesystem is not guarded", "The guard was removed from Claude's settings. Claude can use it unchecked."},
		{Subject{Kind: "unguarded", Server: strings.Repeat("m", 32)}, strings.Repeat("m", 15) + "…" + strings.Repeat("m", 14) + " is not guarded", "The guard was removed from Claude's settings. Claude can use it unchecked."},
		{Subject{Kind: "call_waiting", Server: "mail"}, "A call needs your review", "Claude called a tool from mail that you decide on each time. It hasn't run."},
		{Subject{Kind: "call_waiting", Server: "mail", Flow: true, From: "notes"}, "A call to mail needs your review", "Something notes said may have made Claude do it. It hasn't run."},
		{Subject{Kind: "call_waiting", Server: "mail", Flow: true, From: "<notes>"}, "A call to mail needs your review", "Something a server said may have made Claude do it. It hasn't run."},
		{Subject{Kind: "call_waiting", Server: "mail", Flow: true}, "A call to mail needs your review", "It may do something you don't want. It hasn't run."},
		{Subject{Kind: "changed", Server: "<weather>", Tools: 1}, "A tool changed and is blocked", "A tool from a server changed. It stays blocked until you review it."},
	} {
		if n := Say(test.subject); n.Title != test.title || n.Body != test.body {
			t.Errorf("%+v says\n  %q %q\nwant\n  %q %q", test.subject, n.Title, n.Body, test.title, test.body)
		}
	}
}

// What a desktop is given, letter for letter: names that once broke a notification, and two that look alike.
func TestANoteShowsTheNameItsPersonGaveIt(t *testing.T) {
	for name, c := range map[string]struct{ shown, title string }{
		"Arabic":           {"ملفات المشروع", "New server: \u2068ملفات المشروع\u2069"},
		"Arabic, marked":   {"ملفات المشروع ·1a2b", "New server: \u2068ملفات المشروع ·1a2b\u2069"},
		"Chinese":          {"项目文件", "New server: 项目文件"},
		"Japanese":         {"プロジェクトのファイル", "New server: プロジェクトのファイル"},
		"joined emoji":     {"👩‍👩‍👧‍👦 ❤️‍🔥", "New server: 👩‍👩‍👧‍👦 ❤️‍🔥"},
		"blanks":           {"Google Drive of mine", "New server: Google Drive of mine"},
		"64 characters":    {strings.Repeat("é", 64), "New server: " + strings.Repeat("é", 16) + "…" + strings.Repeat("é", 15)},
		"101, as shown":    {strings.Repeat("名", 32) + "…" + strings.Repeat("名", 30) + "前", "New server: " + strings.Repeat("名", 16) + "…" + strings.Repeat("名", 14) + "前"},
		"64 with its mark": {strings.Repeat("é", 64) + " ·9f00", "New server: " + strings.Repeat("é", 13) + "…" + strings.Repeat("é", 12) + " ·9f00"},
	} {
		n := Say(Subject{Kind: "new_server", Server: c.shown, Code: "4F2A"})
		if got := plain(n.Title, maxTitle); got != c.title {
			t.Errorf("%s: %q, want %q", name, got, c.title)
		}
		held := Say(Subject{Kind: "launch", Server: c.shown, Code: "4F2A"})
		if got := plain(held.Title, maxTitle); !strings.HasSuffix(got, " starts differently") || strings.Contains(c.shown, " ·") != strings.Contains(got, " ·") {
			t.Errorf("%s: %q", name, got)
		}
	}
}
