package app

import (
	"compress/gzip"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/sallyport/sallyport/app/quarantine"
	"github.com/sallyport/sallyport/proxy/control"
	"github.com/sallyport/sallyport/proxy/vocab"
)

// numbered is the n-th response of a tool, with its number in its text.
func numbered(t testing.TB, tool string, n int) control.Held {
	h := heldOne(t, n)
	h.ID = fmt.Sprint(tool, n)
	h.Item, h.Name = "tool:"+tool, tool
	h.Answer = []byte(fmt.Sprintf(`{"content":[{"type":"text","text":"number %d"}]}`, n))
	return h
}

func TestResponsesOfOneToolHeldForOneReasonAreOneItem(t *testing.T) {
	p := newPlace(t)
	w, mail := p.wrap("notes"), p.wrap("mail", "npx", "mail")
	const many = 130
	var codes []string
	for n := range many {
		codes = append(codes, w.hold(numbered(t, "read_note", n)))
	}
	other := w.hold(numbered(t, "write_note", 1)) // another tool
	large := numbered(t, "read_note", 1)
	large.ID, large.Why, large.Findings, large.Answer = "large", vocab.HeldLimit, nil, []byte(`{}`)
	limit := w.hold(large) // another reason
	beside := mail.hold(numbered(t, "read_note", 1))

	counts := map[string]int{}
	var item control.InboxItem
	for _, it := range p.inboxNow() {
		counts[it.Code] = it.Count
		if it.Code == codes[many-1] {
			item = it
		}
	}
	if len(counts) != 4 || counts[other] != 1 || counts[limit] != 1 || counts[beside] != 1 || item.Count != many {
		t.Fatalf("the items: %v", counts)
	}
	newestFirst := slices.Clone(codes)
	slices.Reverse(newestFirst)
	if !slices.Equal(item.Codes, newestFirst[:quarantine.MaxCodes]) || item.First.IsZero() || item.Last.Before(item.First) || item.Severity != p.shown(codes[0]).Severity {
		t.Errorf("the item: %+v", item)
	}
	if !strings.Contains(item.Title, "read_note") || !strings.Contains(item.Title, fmt.Sprintf("(%d responses)", many)) || item.Digest != p.shown(item.Code).Digest {
		t.Errorf("title %q, digest %s", item.Title, item.Digest)
	}

	// Each code, listed in the item or not, is about its own response and names the others.
	for _, n := range []int{0, 17, many - 1} {
		d := p.shown(codes[n])
		if d.Code != codes[n] || !strings.Contains(string(d.Held.Answer), fmt.Sprintf("number %d", n)) || d.Count != many || d.Held.Place != many-n {
			t.Errorf("%s: %s of %d, place %d: %s", codes[n], d.Code, d.Count, d.Held.Place, d.Held.Answer)
		}
		if n > 0 && d.Held.Older != codes[n-1] || n < many-1 && d.Held.Newer != codes[n+1] || n == 0 && d.Held.Older != "" {
			t.Errorf("beside %d: %s and %s", n, d.Held.Older, d.Held.Newer)
		}
	}
	for _, n := range []int{0, 17, many - 1} {
		p.release(codes[n], nil)
		if got := w.take(codes[n]); got.State != vocab.HeldTaken || !strings.Contains(string(got.Answer), fmt.Sprintf("number %d", n)) {
			t.Errorf("release of %d handed over %s: %s", n, got.State, got.Answer)
		}
	}
	for _, it := range p.inboxNow() {
		if it.Group == item.Group && (it.Count != many-3 || it.Code != codes[many-2]) {
			t.Errorf("after three releases: %d, %s", it.Count, it.Code)
		}
	}
	p = p.again()
	for _, it := range p.inboxNow() {
		if it.Group == item.Group && (it.Count != many-3 || it.Code != codes[many-2] || !slices.Equal(it.Codes[:2], []string{codes[many-2], codes[many-3]})) {
			t.Errorf("for the next hub: %+v", it)
		}
	}
	servers, err := p.Servers()
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range servers {
		if want := map[string]int{"notes": many - 1, "mail": 1}[s.Server]; s.Held != want {
			t.Errorf("%s: %d held, want %d", s.Server, s.Held, want)
		}
	}
}

func TestReadsOfMadeUpResourcesAreOneItem(t *testing.T) {
	p := newPlace(t)
	w := p.wrap("notes")
	for n := range 20 {
		h := heldOne(t, n)
		h.Method, h.Item, h.Name = "resources/read", fmt.Sprint("resource:notes://", n), fmt.Sprint("notes://", n)
		w.hold(h)
	}
	if it := p.item(); it.Count != 20 || it.Parts[0].Item != "resource:notes://19" {
		t.Errorf("%+v", it)
	}
}

func TestDiscardingAllIsAboutThoseHeldWhenItAsked(t *testing.T) {
	for _, c := range []struct {
		name  string
		query control.HeldQuery
		want  int // of 3 of read_note and 2 of write_note of notes, 1 of read_note of mail
		came  int // of one more each
	}{
		{"all", control.HeldQuery{}, 6, 3},
		{"of a server", control.HeldQuery{Server: "notes"}, 5, 2},
		{"of a tool", control.HeldQuery{Tool: "read_note"}, 4, 2},
		{"of a tool of a server", control.HeldQuery{Server: "notes", Tool: "write_note"}, 2, 1},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := newPlace(t)
			w, mail := p.wrap("notes"), p.wrap("mail", "npx", "mail")
			hold := func(from, notes, more, others int) {
				for n := range notes {
					w.hold(numbered(t, "read_note", from+n))
				}
				for n := range more {
					w.hold(numbered(t, "write_note", from+n))
				}
				for n := range others {
					mail.hold(numbered(t, "read_note", from+n))
				}
			}
			hold(0, 3, 2, 1)
			set, err := p.HeldSet(c.query)
			if err != nil || len(set.Codes) != c.want {
				t.Fatalf("%d codes, want %d: %v", len(set.Codes), c.want, err)
			}
			hold(10, 1, 1, 1)
			p.release(set.Codes[0], nil) // decided meanwhile
			done, err := p.DiscardHeld(person, control.DiscardHeld{Codes: set.Codes, Server: c.query.Server, Tool: c.query.Tool})
			if err != nil || done.Discarded != c.want-1 || done.Meanwhile != 1 || done.Came != c.came {
				t.Fatalf("%+v, %v", done, err)
			}
			p.stands(set.Codes[0], vocab.HeldReleased)
			for _, code := range set.Codes[1:] {
				p.stands(code, vocab.HeldDiscarded)
			}
			if n := len(p.records("rejection")); n != c.want-1 {
				t.Errorf("%d records of %d that were discarded", n, c.want-1)
			}
			if all, err := p.HeldSet(control.HeldQuery{}); err != nil || len(all.Codes) != 9-c.want {
				t.Errorf("%d are left, %v", len(all.Codes), err)
			}
		})
	}
}

func TestOnlyAPersonDiscardsAll(t *testing.T) {
	p := open(t, newHome(t), func(o *Options) { o.AllowCLI = false })
	w := p.wrap("notes")
	code := w.hold(heldOne(t, 1))
	_, err := p.DiscardHeld(person, control.DiscardHeld{Codes: []string{code}})
	wantError(t, err, control.CodeNotHere)
	p.stands(code, vocab.HeldWaiting)
	if done, err := p.DiscardHeld(window, control.DiscardHeld{Codes: []string{code, code, "NONE"}}); err != nil || done.Discarded != 1 || done.Meanwhile != 1 {
		t.Errorf("the window: %+v, %v", done, err)
	}
}

// Only the wrapper that sent a held response gets a push; a release is pushed to the wrappers of its server.
func TestAWrapperIsToldOfItsOwnServerOnly(t *testing.T) {
	p := newPlace(t)
	w, beside := p.wrap("notes"), p.wrap("mail", "npx", "mail")
	stranger := p.wrapFor("another", "files", "npx", "files")
	w.report(tool("read_note", "Reads."))
	beside.report(tool("read_mail", "Reads."))
	for _, it := range p.inboxNow() {
		p.approve(it)
	}
	all := []*server{w, beside, stranger}
	before := make([]int, len(all))
	for i, s := range all {
		before[i] = s.Pushes()
	}
	told := func(what string, want ...int) {
		t.Helper()
		for i, s := range all {
			if n := s.Pushes() - before[i]; n != want[i] {
				t.Errorf("%s: wrapper %d was told %d times, want %d", what, i, n, want[i])
			}
			before[i] = s.Pushes()
		}
	}
	code := w.hold(heldOne(t, 0))
	told("something waits for this client now", 1, 1, 0)
	for n := range 50 {
		w.hold(heldOne(t, n+1))
	}
	told("fifty more are held", 0, 0, 0)
	p.release(code, nil)
	told("one is released", 1, 0, 0)
	w.take(code)
	told("it is handed over", 1, 0, 0)
	beside.report(tool("read_mail", "Reads."), tool("send_mail", "Sends."))
	told("another server declares more", 0, 1, 0)
}

// The home of an earlier version: six held responses, one of them released and one discarded, each an item of its own, with the
// requests in clear text.
func TestAHomeWithAnItemForEachResponseGoesOn(t *testing.T) {
	home := newHome(t)
	if err := home.Make(); err != nil {
		t.Fatal(err)
	}
	packed, err := os.Open(filepath.Join("testdata", "before-grouping", "sallyport.db.gz"))
	if err != nil {
		t.Fatal(err)
	}
	defer packed.Close()
	unpacked, err := gzip.NewReader(packed)
	if err != nil {
		t.Fatal(err)
	}
	raw, err := io.ReadAll(unpacked)
	if err != nil {
		t.Fatal(err)
	}
	key, err := os.ReadFile(filepath.Join("testdata", "before-grouping", "seal.key"))
	if err != nil {
		t.Fatal(err)
	}
	for path, content := range map[string][]byte{home.Store: raw, filepath.Join(home.Dir, "seal.key"): key} {
		if err := os.WriteFile(path, content, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	at := &clock{t: time.Date(2026, 3, 1, 12, 1, 0, 0, time.UTC)}
	p := open(t, home, func(o *Options) { o.Now = at.now })
	p.at = at
	released, discarded, rest, other := "X6MG", "XJBN", []string{"KRXK", "EMFQ", "K7R9"}, "TGM7"
	counts := map[string][]string{}
	for _, it := range p.inboxNow() {
		counts[it.Code] = it.Codes
	}
	if len(counts) != 2 || !slices.Equal(counts[rest[0]], rest) || !slices.Equal(counts[other], []string{other}) {
		t.Fatalf("the items: %v", counts)
	}
	p.stands(discarded, vocab.HeldDiscarded)
	for _, code := range rest {
		if d := p.stands(code, vocab.HeldWaiting); d.Answer == nil || strings.Contains(string(d.Params), "hunter2") {
			t.Errorf("%s: %s", code, d.Params)
		}
	}
	w := p.back("claude-desktop", "later", "notes", weather...)
	// A response released earlier is recognized by the same request, although its digest was kept as it is.
	state := w.Last(t)
	if r := state.Released; len(r) != 1 || r[0].Code != released || r[0].Same != control.Keyed(state.SameKey, heldOne(t, 0).Same) {
		t.Errorf("the wrapper knows of %+v", r)
	}
	if got := w.take(released); got.State != vocab.HeldTaken || string(got.Answer) != poison {
		t.Errorf("taken: %+v", got)
	}
	p.release(rest[2], nil)
	if got := w.take(rest[2]); got.State != vocab.HeldTaken {
		t.Errorf("taken: %+v", got)
	}
	code := w.hold(heldOne(t, 9))
	if it := p.inboxNow(); len(it) != 2 || it[0].Code != code || it[0].Count != 3 {
		t.Errorf("one more joins them: %+v", it)
	}
	if found, err := p.office.Store.Tampered(); err != nil || found.Any() {
		t.Errorf("the seals: %+v, %v", found, err)
	}
	if v, err := p.Verify(); err != nil || v.Bad != "" {
		t.Errorf("the timeline: %+v, %v", v, err)
	}
}

func TestAnItemThatAModelAskedForStaysOnTopWhileMoreCome(t *testing.T) {
	p := newPlace(t)
	w, other := p.wrap("notes"), p.wrapFor("codex", "mail", "npx", "mail")
	first := w.hold(numbered(t, "read_note", 1))
	if out, err := p.Attention(other, control.Attention{}); err != nil || len(out.Items) != 0 {
		t.Fatalf("another client asked for it: %+v, %v", out, err)
	}
	if out, err := p.Attention(w, control.Attention{}); err != nil || len(out.Items) != 1 || out.Items[0].Code != first {
		t.Fatalf("%+v, %v", out, err)
	}
	p.at.pass(time.Second)
	newest := w.hold(numbered(t, "read_note", 2))
	other.hold(numbered(t, "read_mail", 1))
	items := p.inboxNow()
	if len(items) != 2 || items[0].Code != newest || !items[0].Asked || items[1].Asked {
		t.Errorf("%+v", items)
	}
}

func TestTheFirstOfAnItemIsTheOneThatCameFirstHoweverLateItWasStored(t *testing.T) {
	p := newPlace(t)
	w := p.wrap("notes")
	early := p.at.now()
	p.at.pass(time.Hour)
	w.hold(numbered(t, "read_note", 1))
	late := numbered(t, "read_note", 2) // spooled while no hub ran
	late.Time = early
	w.hold(late)
	if it := p.item(); !it.First.Equal(early) || it.Last.Sub(early) < time.Hour {
		t.Errorf("from %s to %s", it.First, it.Last)
	}
}

func TestWhatBecameOfManyIsALineEachForReleasesAndOneForTheRest(t *testing.T) {
	p := newPlace(t)
	w := p.wrap("notes")
	since := p.at.now()
	var codes []string
	for n := range 5 {
		codes = append(codes, w.hold(numbered(t, "read_note", n)))
	}
	p.release(codes[0], nil)
	p.release(codes[1], nil)
	if _, err := p.DiscardHeld(window, control.DiscardHeld{Codes: codes[2:]}); err != nil {
		t.Fatal(err)
	}
	counts := map[vocab.Decision]int{}
	decided, err := p.DecidedSince(since)
	for _, it := range decided {
		counts[it.Decided]++
		if it.Decided == vocab.DecidedRejected && it.Count != 3 {
			t.Errorf("%d were discarded", it.Count)
		}
	}
	if err != nil || counts[vocab.DecidedApproved] != 2 || counts[vocab.DecidedRejected] != 1 {
		t.Errorf("%v, %v", counts, err)
	}
}

func TestANoticeOfAHeldResponseNamesItsItem(t *testing.T) {
	p := newPlace(t)
	heard := &notices{}
	p.opts.Notify = heard.Notify
	w := p.wrap("notes")
	first := w.hold(numbered(t, "read_note", 1))
	_, group := p.HeldCodes(strings.ToLower(first))
	w.hold(numbered(t, "read_note", 2))
	w.hold(numbered(t, "write_note", 1))
	if len(heard.list) != 3 || group == "" || heard.list[1].Group != group || heard.list[2].Group == group {
		t.Errorf("%q, %+v", group, heard.list)
	}
	if _, err := p.DiscardHeld(window, control.DiscardHeld{Codes: []string{first}}); err != nil {
		t.Fatal(err)
	}
	_, got := p.HeldCodes(first)
	if _, none := p.HeldCodes("NONE"); got+none != "" {
		t.Errorf("what waits no more is in %q", got)
	}
}

func TestWhatCameSinceIsCountedForTheItemThatWasShown(t *testing.T) {
	p := newPlace(t)
	w := p.wrap("notes")
	shown := []string{w.hold(numbered(t, "read_note", 1)), w.hold(numbered(t, "read_note", 2))}
	_, group := p.HeldCodes(shown[0])
	w.hold(numbered(t, "read_note", 3))
	w.hold(numbered(t, "write_note", 1))
	if done, err := p.DiscardHeld(window, control.DiscardHeld{Codes: shown, Group: group}); err != nil || done.Discarded != 2 || done.Came != 1 {
		t.Errorf("%+v, %v", done, err)
	}
}

func TestEveryWrapperOfAServerIsToldWhatItDeclares(t *testing.T) {
	p := newPlace(t)
	one, other := p.wrap("notes"), p.wrapFor("codex", "notes")
	a, changed := tool("read_note", "Reads."), tool("read_note", "Reads more.")
	one.report(a)
	other.report(a)
	p.approve(p.item())
	before := other.Pushes()
	one.report(changed)
	if s := other.Last(t); other.Pushes() == before || s.Items["tool:read_note"].State == "approved" && served(s, changed) {
		t.Errorf("told %d times: %+v", other.Pushes()-before, s.Items)
	}
}
