package app

import (
	"path/filepath"
	"testing"
	"time"

	"github.com/sallyport/sallyport/app/ledger"
	"github.com/sallyport/sallyport/app/review"
	"github.com/sallyport/sallyport/proxy/pin"
	"github.com/sallyport/sallyport/store"
)

func TestAFingerprintIsUnchangedSinceTheProgramWasFirstSeenLikeThat(t *testing.T) {
	st, err := store.Open(filepath.Join(t.TempDir(), "home"), store.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer st.Close()
	form := func(client, hash string) []byte {
		raw, _, err := pin.LaunchForm{Client: client, Executable: pin.LaunchFile{Path: "/usr/bin/weather", SHA256: hash},
			Package: &pin.LaunchPackage{Manager: "npm", Name: "@acme/weather", Version: hash, Digest: hash}}.Definition()
		if err != nil {
			t.Fatal(err)
		}
		return raw
	}
	at := func(hour int) time.Time { return time.Date(2026, 11, 23, hour, 0, 0, 0, time.UTC) }
	l := &ledger.Ledger{Server: store.Server{ID: "s"}, Pins: map[string][]store.Pin{}, Seen: map[string][]store.Seen{}}
	see := func(client, hash string, now time.Time) {
		t.Helper()
		raw := form(client, hash)
		digest, err := pin.DigestOf(pin.Launch, "", raw)
		if err != nil {
			t.Fatal(err)
		}
		if err := st.Update(func(tx *store.Tx) error {
			return l.Put(tx, review.KeyLaunch, &review.Declaration{Key: review.KeyLaunch, Era: review.LaunchEra(digest), Digest: digest, Raw: raw}, now)
		}); err != nil {
			t.Fatal(err)
		}
	}
	for _, c := range []struct {
		what         string
		client, hash string
		now, since   time.Time
	}{
		{"first seen", "claude-desktop", "aa", at(1), at(1)},
		{"another client", "codex", "aa", at(2), at(1)},
		{"another program", "codex", "bb", at(3), at(3)},
		{"the first program again", "codex", "aa", at(4), at(4)},
	} {
		see(c.client, c.hash, c.now)
		if made := ledger.MadeBy(l); made == nil || !made.Since.Equal(c.since) || made.Package != "@acme/weather" || made.Version != c.hash || len(made.Fingerprint) != 64 {
			t.Errorf("%s: %+v", c.what, made)
		}
	}
}
