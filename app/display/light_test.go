package display

import (
	"fmt"
	"strings"
	"testing"

	"github.com/sallyport/sallyport/app/guardian"
	"github.com/sallyport/sallyport/app/office"
	"github.com/sallyport/sallyport/proxy/control"
	"github.com/sallyport/sallyport/proxy/vocab"
)

func TestTheLightOfAServer(t *testing.T) {
	seen := func(s sightedServer) sightedServer {
		s.Seen = true
		if s.State == "" {
			s.State = "open"
		}
		return s
	}
	for name, c := range map[string]struct {
		facts  sightedServer
		colour vocab.Colour
		words  string
		next   string
	}{
		"guarded in its file and never started is not yet":              {sightedServer{State: "new", Restart: "Claude Desktop"}, vocab.Grey, "Hasn't started yet", "Restart Claude Desktop."},
		"allowed, and not started since the file was written, too":      {sightedServer{State: "open", Restart: "Cursor"}, vocab.Grey, "Hasn't started yet", "Restart Cursor."},
		"an old wrapper that still runs is no start of what is written": {sightedServer{State: "open", Running: true, Restart: "Cursor"}, vocab.Grey, "Hasn't started yet", "Restart Cursor."},
		"a client nobody can name is its client":                        {sightedServer{State: "new"}, vocab.Grey, "Hasn't started yet", "Restart its client."},
		"started and allowed is green":                                  {seen(sightedServer{}), vocab.Green, "Guarded", ""},
		"what a person blocked of it takes no green away":               {seen(sightedServer{Blocked: 1}), vocab.Green, "Guarded, 1 tool blocked by you", ""},
		"blocked whole by a person needs nobody":                        {seen(sightedServer{State: "blocked", Blocked: 4}), vocab.Green, "Blocked by you", ""},
		"started, and nothing is known of it":                           {seen(sightedServer{State: "new"}), vocab.Green, "Guarded, no tools seen yet", ""},
		"a new server waits":                                            {seen(sightedServer{State: "new", Waits: 1, Blocked: 4}), vocab.Amber, "Needs your review", "Review it in the Inbox."},
		"it waits before its client was restarted, too":                 {sightedServer{State: "new", Waits: 1, Restart: "Claude Desktop"}, vocab.Amber, "Needs your review", "Review it in the Inbox."},
		"a changed tool waits":                                          {seen(sightedServer{Waits: 1, Blocked: 1}), vocab.Amber, "1 tool blocked, needs your review", "Review it in the Inbox."},
		"a server that wants a sign-in is not merely new":               {seen(sightedServer{State: "new", Waits: 1, SignIn: true}), vocab.Amber, "Wants a sign-in", "Sign in from the Inbox."},
		"a sign-in that ran out comes before its changed tools":         {seen(sightedServer{Waits: 2, Blocked: 1, SignIn: true}), vocab.Amber, "Wants a sign-in", "Sign in from the Inbox."},
		"what is Critical comes before a sign-in":                       {seen(sightedServer{Critical: true, SignIn: true}), vocab.Red, "Critical, needs your review", "Review it in the Inbox."},
		"held responses are said":                                       {seen(sightedServer{Held: 2}), vocab.Amber, "2 responses held", "Release or discard in the Inbox."},
		"beside what else waits, too":                                   {seen(sightedServer{Held: 1000, Waits: 1, Blocked: 2}), vocab.Amber, "2 tools blocked, needs your review, 1000 responses held", "Review it in the Inbox."},
		"and beside what is Critical":                                   {seen(sightedServer{Critical: true, Held: 1}), vocab.Red, "Critical, needs your review, 1 response held", "Review it in the Inbox."},
		"Critical is graver than a lost guard":                          {sightedServer{Critical: true, Open: true}, vocab.Red, "Critical, needs your review", "Review it in the Inbox."},
		"an entry without its guard":                                    {sightedServer{State: "open", Open: true, Nowhere: true}, vocab.Amber, "Not guarded", "Add the guard, then restart its client."},
		"whose wrapper still runs is guarded until then":                {seen(sightedServer{Open: true, Running: true}), vocab.Amber, "Guarded until its client restarts", "Add the guard in the Inbox."},
		"a guard that a person took out":                                {sightedServer{State: "open", LeftOut: true, Nowhere: true}, vocab.Grey, "Not guarded, by your choice", ""},
		"in no file and not running":                                    {sightedServer{State: "open", Nowhere: true}, vocab.Grey, "Not running", ""},
		"no version in common, where nothing starts it any more":        {sightedServer{NoVersion: true, Nowhere: true, State: "open"}, vocab.Grey, "Not running", ""},
		"no version in common":                                          {seen(sightedServer{NoVersion: true}), vocab.Amber, "No common protocol version", "Update the server or its client."},
		"allowed, and its client has not asked again":                   {seen(sightedServer{Behind: "Claude Desktop", BehindDo: "Restart Claude Desktop."}), vocab.Grey, "Allowed, not yet seen by Claude Desktop", "Restart Claude Desktop."},
	} {
		t.Run(name, func(t *testing.T) {
			if got := lightOfServer(c.facts); got.Colour != c.colour || got.Words != c.words || got.Next != c.next {
				t.Errorf("%s %q, %q; want %s %q, %q", got.Colour, got.Words, got.Next, c.colour, c.words, c.next)
			}
		})
	}
}

func TestTheLightOfAll(t *testing.T) {
	three := sightedAll{Works: true, Files: 1, Guarded: 3, Total: 3, Started: 3}
	with := func(change func(*sightedAll)) sightedAll {
		s := three
		change(&s)
		return s
	}
	for name, c := range map[string]struct {
		facts  sightedAll
		colour vocab.Colour
		state  string
		words  string
		next   string
	}{
		"every one was really started":              {three, vocab.Green, LightGuarded, "3 servers guarded", ""},
		"one is one":                                {sightedAll{Works: true, Files: 1, Guarded: 1, Total: 1, Started: 1}, vocab.Green, LightGuarded, "1 server guarded", ""},
		"some cannot be guarded, and are counted":   {with(func(s *sightedAll) { s.Total = 5 }), vocab.Green, LightGuarded, "3 of 5 servers guarded", ""},
		"some have not started, and are counted":    {with(func(s *sightedAll) { s.Started = 1 }), vocab.Green, LightGuarded, "3 servers guarded, 2 not started yet", ""},
		"none has started: nothing is green yet":    {with(func(s *sightedAll) { s.Started, s.Restart = 0, "Claude Desktop" }), vocab.Grey, LightNotStarted, "3 servers guarded, none started yet", "Restart Claude Desktop."},
		"no file":                                   {sightedAll{Works: true}, vocab.Grey, LightNoServers, "No settings file found yet", "Open Claude once, then try again."},
		"a file without servers":                    {sightedAll{Works: true, Files: 1}, vocab.Grey, LightNoServers, "No servers to guard yet", ""},
		"a file that cannot be read":                {sightedAll{Works: true, Unreadable: []string{"Claude Desktop"}}, vocab.Grey, LightUnreadable, "Can't read the settings file of Claude Desktop", "Fix the file, then try again."},
		"one of two files cannot be read":           {with(func(s *sightedAll) { s.Unreadable = []string{"Cursor"} }), vocab.Green, LightGuarded, "3 servers guarded, a settings file can't be read", ""},
		"nothing can be guarded":                    {sightedAll{Works: true, Files: 1, Total: 2}, vocab.Grey, LightBeyond, "0 of 2 servers guarded", ""},
		"a client that runs one from no file":       {sightedAll{Works: true, Apart: 1}, vocab.Green, LightGuarded, "1 server guarded", ""},
		"an entry that nobody protected":            {sightedAll{Works: true, Files: 1, Total: 2, Loose: 2}, vocab.Amber, LightUnguarded, "2 servers not guarded", "Add the guard, then restart the client."},
		"beside guarded ones, too":                  {with(func(s *sightedAll) { s.Total, s.Loose = 4, 1 }), vocab.Amber, LightUnguarded, "1 server not guarded", "Add the guard, then restart the client."},
		"something waits":                           {with(func(s *sightedAll) { s.Waiting = 1 }), vocab.Amber, LightReview, "1 item needs your review", "Review it in the Inbox."},
		"one server wants a sign-in":                {with(func(s *sightedAll) { s.Waiting, s.SignIns, s.SignIn = 1, 1, "linear" }), vocab.Amber, LightSignIn, "linear wants a sign-in", "Sign in from the Inbox."},
		"two servers want one":                      {with(func(s *sightedAll) { s.Waiting, s.SignIns, s.SignIn = 2, 2, "linear" }), vocab.Amber, LightSignIn, "2 servers want a sign-in", "Sign in from the Inbox."},
		"a sign-in among other items":               {with(func(s *sightedAll) { s.Waiting, s.SignIns, s.SignIn = 2, 1, "linear" }), vocab.Amber, LightReview, "2 items need your review", "Review it in the Inbox."},
		"it waits before the client was restarted":  {with(func(s *sightedAll) { s.Waiting, s.Started = 2, 0 }), vocab.Amber, LightReview, "2 items need your review", "Review it in the Inbox."},
		"a guard that was taken out says more":      {with(func(s *sightedAll) { s.Waiting, s.Lost, s.Alone, s.Loose = 2, "filesystem", true, 1 }), vocab.Amber, LightUnguarded, "filesystem is not guarded", "Put the guard back, then restart its client."},
		"several guards that were taken out":        {with(func(s *sightedAll) { s.Waiting, s.Lost, s.Loose = 2, "filesystem", 3 }), vocab.Amber, LightUnguarded, "filesystem and others are not guarded", "Put the guard back, then restart the client."},
		"Critical says most":                        {with(func(s *sightedAll) { s.Waiting, s.Critical, s.Lost = 5, 2, "filesystem" }), vocab.Red, LightCritical, "2 critical items need your review", "Review it in the Inbox."},
		"but that Sallyport does not work":          {with(func(s *sightedAll) { s.Works, s.Waiting, s.Critical = false, 5, 2 }), vocab.Amber, LightBroken, "Sallyport isn't working", "Open it to see why."},
		"no version in common":                      {with(func(s *sightedAll) { s.NoVersion = 1 }), vocab.Amber, LightNoVersion, "1 server without a common protocol version", "Update the server or its client."},
		"the only one has not asked again":          {with(func(s *sightedAll) { s.Behind, s.BehindDo, s.BehindAll = "Codex", "Start a new thread in Codex.", true }), vocab.Grey, LightUnseen, "Allowed, not yet seen by Codex", "Start a new thread in Codex."},
		"one that has not asked again among others": {with(func(s *sightedAll) { s.Behind = "Codex" }), vocab.Green, LightGuarded, "3 servers guarded", ""},
	} {
		t.Run(name, func(t *testing.T) {
			got := lightOfAll(c.facts)
			if want := light(c.colour, c.state, c.words, c.next); got != want {
				t.Errorf("%+v, want %+v", got, want)
			}
		})
	}
}

func TestTheLightOfWhatIsNotGuarded(t *testing.T) {
	for name, c := range map[string]struct {
		what   control.Unguarded
		colour vocab.Colour
		words  string
	}{
		"an entry that nobody decided on":      {control.Unguarded{Kind: guardian.UnguardedEntry, Code: office.CoverOpen}, vocab.Amber, "Not guarded"},
		"one that only looks guarded":          {control.Unguarded{Kind: guardian.UnguardedEntry, Code: office.CoverFake}, vocab.Amber, "Not guarded"},
		"one that a person left out":           {control.Unguarded{Kind: guardian.UnguardedEntry, Code: office.CoverOpen, Chosen: true}, vocab.Grey, "Not guarded, by your choice"},
		"a remote server":                      {control.Unguarded{Kind: guardian.UnguardedRemote, Code: office.CoverRemote}, vocab.Grey, "Remote server, can't be guarded"},
		"a desktop extension":                  {control.Unguarded{Kind: guardian.UnguardedExtension, Code: office.CoverExtension}, vocab.Grey, "Desktop extension, can't be guarded"},
		"what a managed policy brings":         {control.Unguarded{Kind: guardian.UnguardedPolicy, Code: office.CoverPolicy}, vocab.Grey, "From a managed policy, can't be guarded"},
		"a file that cannot be read":           {control.Unguarded{Kind: guardian.UnguardedFile, Code: office.ProblemClientUnreadable}, vocab.Grey, "Can't be read"},
		"extensions that cannot be told":       {control.Unguarded{Kind: guardian.UnguardedFile, Code: office.CoverExtension}, vocab.Grey, "Desktop extension, can't be guarded"},
		"what nobody has a name for is no joy": {control.Unguarded{Kind: "odd", Code: "SP-999"}, vocab.Amber, "Not guarded"},
	} {
		t.Run(name, func(t *testing.T) {
			if got := LightOfUnguarded(c.what); got.Colour != c.colour || got.Words != c.words {
				t.Errorf("%s %q, want %s %q", got.Colour, got.Words, c.colour, c.words)
			}
		})
	}
}

// world is one thing that can exist: an entry of a file, a server in the store, a pending item.
type world struct {
	name     string
	entry    *control.ClientEntry
	open     *control.Unguarded
	server   *control.Server
	wrappers bool // a session of its own, in no file
	waits    []control.InboxItem
}

// Two tables make the overall light and the lights of servers from one sight. For every three things at once they must agree: the overall
// light is as grave as the gravest row, and green only if a row is.
func TestTheWholeIsAsGraveAsItsGravestRow(t *testing.T) {
	guarded := func(started bool) *control.ClientEntry {
		return &control.ClientEntry{State: control.EntryGuarded, Started: started}
	}
	item := func(kind vocab.ItemKind, severity vocab.Severity) []control.InboxItem {
		return []control.InboxItem{{Kind: kind, Severity: severity, Parts: []control.Part{{Item: "entry:x"}}}}
	}
	worlds := []world{
		{name: "nothing"},
		{name: "never started", entry: guarded(false)},
		{name: "looked at and allowed, not started", entry: guarded(false), server: &control.Server{State: "open"}},
		{name: "started", entry: guarded(true), server: &control.Server{State: "open", Wrappers: 1}},
		{name: "started, stopped", entry: guarded(true), server: &control.Server{State: "open", Blocked: 1}},
		{name: "blocked by a person", entry: guarded(true), server: &control.Server{State: "blocked", Blocked: 1}},
		{name: "started, no tools", entry: guarded(true), server: &control.Server{State: "new", Wrappers: 1}},
		{name: "of another version", entry: guarded(true), server: &control.Server{State: vocab.ServerNoCommonVersion, Versions: &control.Versions{}}},
		{name: "not seen by its client", entry: guarded(true), server: &control.Server{State: "open", Wrappers: 1, UnseenBy: []string{"codex"}}},
		{name: "not seen, from no file", server: &control.Server{State: "open", Wrappers: 1, UnseenBy: []string{"codex"}}, wrappers: true},
		{name: "new", entry: guarded(true), server: &control.Server{State: "new", Blocked: 2}, waits: item(vocab.ItemNewServer, vocab.SeverityReview)},
		{name: "critical", entry: guarded(true), server: &control.Server{State: "blocked", Blocked: 2}, waits: item(vocab.ItemChanged, vocab.SeverityCritical)},
		{name: "held", entry: guarded(true), server: &control.Server{State: "open"}, waits: append(item(vocab.ItemResponseHeld, vocab.SeverityHigh), item(vocab.ItemResponseHeld, vocab.SeverityReview)...)},
		{name: "lost its guard", open: &control.Unguarded{Kind: guardian.UnguardedEntry, Code: office.CoverOpen}, server: &control.Server{State: "open"}, waits: item(vocab.ItemUnguarded, vocab.SeverityHigh)},
		{name: "taken out by a person", open: &control.Unguarded{Kind: guardian.UnguardedEntry, Code: office.CoverOpen, Chosen: true}, server: &control.Server{State: "open"}},
		{name: "never protected", open: &control.Unguarded{Kind: guardian.UnguardedEntry, Code: office.CoverOpen}},
		{name: "remote", open: &control.Unguarded{Kind: guardian.UnguardedRemote, Code: office.CoverRemote}},
		{name: "run from no file", server: &control.Server{State: "open", Wrappers: 1}, wrappers: true},
		{name: "ran from no file", server: &control.Server{State: "open"}},
	}
	grave := map[vocab.Colour]int{vocab.Grey: 0, vocab.Green: 1, vocab.Amber: 2, vocab.Red: 3}
	tried := 0
	for _, a := range worlds {
		for _, b := range worlds {
			for _, c := range worlds {
				tried++
				file := control.ClientFile{Client: "claude-desktop", Name: "Claude Desktop", Path: "/c", State: control.FileFound}
				s := sight{coverage: control.Coverage{}, waiting: map[string]waitingCount{}, known: map[string]bool{}}
				var servers []control.Server
				var waiting []control.InboxItem
				aside := beside{apart: map[string]bool{}, behind: map[string]string{}}
				for n, w := range []world{a, b, c} {
					name, id := fmt.Sprint("server", n), fmt.Sprint("id", n)
					if w.entry != nil {
						e := *w.entry
						e.Name, e.ServerID = name, id
						file.Entries = append(file.Entries, e)
						s.coverage.Guarded++
						s.coverage.Total++
					}
					if w.open != nil {
						u := *w.open
						u.Name = name
						s.coverage.Unguarded = append(s.coverage.Unguarded, u)
						s.coverage.Total++
					}
					if w.server != nil {
						one := *w.server
						one.ID, one.Server = id, name
						servers, s.known[id] = append(servers, one), true
						if one.Versions != nil {
							aside.noVersion++
						}
						if len(one.UnseenBy) > 0 {
							aside.behind[id] = one.UnseenBy[0]
						}
					}
					if w.wrappers {
						aside.apart[id] = true
					}
					for _, it := range w.waits {
						waiting = append(waiting, it)
						if it.Kind == vocab.ItemUnguarded {
							continue // about the file
						}
						n := s.waiting[id]
						n.critical = n.critical || it.Severity == vocab.SeverityCritical
						if it.Kind == vocab.ItemResponseHeld {
							n.held++
						} else {
							n.items++
						}
						s.waiting[id] = n
					}
				}
				s.coverage.Clients = []control.ClientFile{file}
				whole := lightOfAll(allFacts(s.coverage, waiting, aside, true))
				gravest := vocab.Grey
				var said []string
				for _, row := range s.rows(servers) {
					said = append(said, row.Server.Server+": "+string(row.Light.Colour)+" "+row.Light.Words)
					if grave[row.Light.Colour] > grave[gravest] {
						gravest = row.Light.Colour
					}
				}
				for _, u := range s.coverage.Unguarded {
					l := LightOfUnguarded(u)
					said = append(said, u.Name+": "+string(l.Colour)+" "+l.Words)
					if grave[l.Colour] > grave[gravest] {
						gravest = l.Colour
					}
				}
				if whole.Colour != gravest {
					t.Fatalf("%s, %s, %s: the whole is %s (%s), the rows are\n%s", a.name, b.name, c.name, whole.Colour, whole.Words, strings.Join(said, "\n"))
				}
			}
		}
	}
	t.Logf("%d worlds", tried)
}
