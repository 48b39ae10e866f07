package app

import (
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/sallyport/sallyport/app/clientconfig"
	"github.com/sallyport/sallyport/proxy/control"
)

var longFlag = flag.Bool("long", false, "try two hundred seeds instead of a few")

// TestWhateverIsDoneToAFileIsSettledByDecisions lets another program do anything to a protected file and a person decide anything about it.
// At all times, a rejection writes nothing, a look without a decision only adds wrappers to new entries, decisions come to an end, and
// afterwards every entry that should be guarded is.
func TestWhateverIsDoneToAFileIsSettledByDecisions(t *testing.T) {
	seeds := []uint64{241, 275} // with these two, one look was not enough
	rounds := 6
	if *longFlag {
		rounds = 200
	}
	for seed := range rounds {
		seeds = append(seeds, uint64(seed))
	}
	for _, seed := range seeds {
		t.Run(fmt.Sprint("seed ", seed), func(t *testing.T) {
			t.Parallel()
			deskModel(t, rand.New(rand.NewPCG(seed, 1)))
		})
	}
}

func deskModel(t *testing.T, random *rand.Rand) {
	root := t.TempDir()
	d := deskAt(t, newHome(t), root, claudeFile, func(o *Options) { o.Settle = time.Hour }) // the test calls for each look
	d.protect()
	fake := filepath.Join(root, "elsewhere", "sallyport")
	put(t, fake, "#!/bin/sh\n")
	if random.IntN(2) == 0 {
		if _, err := d.SetSetting(person, control.SettingQuery{Key: "clients.auto_protect", Value: "off", Decided: true}); err != nil {
			t.Fatal(err)
		}
	}
	original := d.Text()
	for step := range 6 {
		did := d.meddle(random, fake, original)
		before := d.Text()
		d.LookAtAll()
		if now := d.Text(); now != before && !strings.Contains(did, "new entry") && !strings.Contains(did, "renamed") {
			t.Fatalf("step %d, %s: a look alone wrote\n%s\nover\n%s", step, did, now, before)
		}
		for decision := 0; ; decision++ {
			items := d.inboxNow()
			if len(items) == 0 {
				break
			}
			if decision == 20 {
				t.Fatalf("step %d, %s: decisions come to no end: %+v", step, did, items)
			}
			it := items[random.IntN(len(items))]
			choice := control.Decide{Code: it.Code, Digest: it.Digest, Reject: random.IntN(2) == 0}
			if random.IntN(3) == 0 {
				choice.Items = []string{it.Parts[random.IntN(len(it.Parts))].Item}
			}
			before := d.Text()
			_, err := d.Decide(person, choice)
			var refused *control.Error
			if errors.As(err, &refused) && refused.Code == control.CodeBadRequest && !choice.Reject {
				choice.Reject = true
				_, err = d.Decide(person, choice)
			}
			if err != nil {
				t.Fatalf("step %d, %s: decide %+v over %+v: %v", step, did, choice, it, err)
			}
			if choice.Reject && d.Text() != before {
				t.Fatalf("step %d, %s: a rejection wrote\n%s\nover\n%s", step, did, d.Text(), before)
			}
		}
		d.wantedHolds(step, did)
		if len(d.ProtectedFiles()) == 0 { // everything was accepted as it is
			d.Replace(claudeFile)
			if _, err := d.Protect(person, control.Protect{All: true}); err != nil {
				t.Fatal(err)
			}
		}
	}
}

// wantedHolds checks that every entry that should be guarded is, and that another look finds and writes nothing.
func (d *desk) wantedHolds(step int, did string) {
	d.t.Helper()
	before := d.Text()
	d.LookAtAll()
	d.quiet()
	if d.Text() != before {
		d.t.Fatalf("step %d, %s: a second look wrote", step, did)
	}
	for _, f := range d.ProtectedFiles() {
		file, err := clientconfig.Parse([]byte(before), clientconfig.Format{})
		if err != nil {
			d.t.Fatal(err)
		}
		for _, e := range f.Entries {
			entry, there := file.Entry(e.Name)
			by := clientconfig.Installation{Path: d.Program, Client: f.Client}
			if e.Want == "wrapped" && (!there || clientconfig.Classify(entry, by, nil).Kind != clientconfig.Wrapped) {
				d.t.Fatalf("step %d, %s: %s is wanted guarded and is %v in\n%s", step, did, e.Name, there, before)
			}
		}
	}
}

// meddle does something to the file as another program, or its owner, would.
func (d *desk) meddle(random *rand.Rand, fake, original string) string {
	d.t.Helper()
	var whole map[string]any
	if err := json.Unmarshal([]byte(d.Text()), &whole); err != nil {
		d.t.Fatal(err)
	}
	servers, _ := whole["mcpServers"].(map[string]any)
	if servers == nil {
		servers = map[string]any{}
		whole["mcpServers"] = servers
	}
	pick := func() map[string]any {
		for _, name := range []string{"files", "weather", "fresh", "other"} {
			if entry, ok := servers[name].(map[string]any); ok && random.IntN(2) == 0 {
				return entry
			}
		}
		return map[string]any{}
	}
	var did []string
	for range 1 + random.IntN(3) {
		entry := pick()
		switch n := random.IntN(13); n {
		case 0:
			delete(servers, []string{"files", "weather", "fresh"}[random.IntN(3)])
			did = append(did, "an entry is gone")
		case 1:
			clear(servers)
			did = append(did, "all are gone")
		case 2:
			delete(whole, "mcpServers")
			did = append(did, "mcpServers is gone")
		case 3:
			entry["command"], entry["args"] = "npx", []string{"bare"}
			did = append(did, "one runs bare")
		case 4:
			entry["command"] = fake
			did = append(did, "one is a fake")
		case 5:
			entry["args"] = []string{"wrap", "--"}
			did = append(did, "other arguments")
		case 6:
			entry["env"] = map[string]string{"HOME": "/x", "KEPT": "y"}
			did = append(did, "env moves the home")
		case 7:
			entry["env"] = map[string]string{"OTHER": "y"}
			did = append(did, "another env")
		case 8:
			servers[[]string{"fresh", "other"}[random.IntN(2)]] = map[string]any{"command": "npx", "args": []string{fmt.Sprint(random.IntN(3))}}
			did = append(did, "new entry")
		case 9:
			servers["far"] = map[string]any{"url": "https://far.example"}
			did = append(did, "new entry: a remote one")
		case 10:
			servers["odd"] = map[string]any{"command": 7}
			did = append(did, "new entry: an odd one")
		case 11:
			if old, ok := servers["weather"]; ok {
				delete(servers, "weather")
				servers["renamed"] = old
			}
			did = append(did, "one is renamed")
		case 12:
			if args, ok := entry["args"].([]any); ok {
				entry["args"] = append(args, "--more")
			}
			did = append(did, "an argument more")
		}
	}
	raw, err := json.MarshalIndent(whole, "", strings.Repeat(" ", random.IntN(3)))
	if err != nil {
		d.t.Fatal(err)
	}
	text := string(raw)
	if random.IntN(10) == 0 {
		text = original
		did = append(did, "all is as it was")
	}
	if err := os.WriteFile(d.Path, []byte(text), 0o600); err != nil {
		d.t.Fatal(err)
	}
	return strings.Join(did, ", ")
}
