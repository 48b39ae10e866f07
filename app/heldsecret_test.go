package app

import (
	"bytes"
	"os"
	"strings"
	"testing"

	"github.com/sallyport/sallyport/proxy/control"
	"github.com/sallyport/sallyport/proxy/pin"
	"github.com/sallyport/sallyport/proxy/vocab"
)

// Arguments are stored with their secrets masked, and the same request is recognized by a digest under a key of the home. The file is
// searched as a finder would, for the secrets and for digests they could be guessed from.
func TestNoSecretOfARequestIsInTheFileOfTheStore(t *testing.T) {
	p := newPlace(t)
	w := p.wrap("notes")
	held := heldOne(t, 1)
	held.Params = []byte(`{"name":"read_note","arguments":{"n":1,"password":"a phrase with blanks 47110815","note":"my key is ghp_abcdefghijklmnopqrstuvwxyz012345","plain":"kept as it was"}}`)
	var err error
	if held.Same, err = pin.RequestDigest("tools/call", held.Params); err != nil {
		t.Fatal(err)
	}
	code := w.hold(held)
	read := heldOne(t, 2)
	read.Method, read.Item, read.Name = "resources/read", "resource:https://ada:lovelace1815@notes.example/x", "https://ada:lovelace1815@notes.example/x"
	read.Params = []byte(`{"uri":"https://ada:lovelace1815@notes.example/x"}`)
	read.Same, _ = pin.RequestDigest("resources/read", read.Params)
	uri := w.hold(read)
	p.release(code, nil)
	p.release(uri, nil)

	// The same request is recognized; one that differs only in the secret is not.
	state := w.Last(t)
	if len(state.Released) != 2 || len(state.SameKey) == 0 {
		t.Fatalf("the wrapper knows of %+v", state.Released)
	}
	other, _ := pin.RequestDigest("tools/call", []byte(strings.Replace(string(held.Params), "47110815", "47110816", 1)))
	found := 0
	for _, r := range state.Released {
		switch r.Same {
		case control.Keyed(state.SameKey, held.Same), control.Keyed(state.SameKey, read.Same):
			found++
		case control.Keyed(state.SameKey, other):
			t.Error("another password is the same request")
		}
	}
	if found != 2 {
		t.Errorf("%d of two requests are known again: %+v", found, state.Released)
	}
	d := p.stands(code, vocab.HeldReleased)
	if !strings.Contains(string(d.Params), "kept as it was") || strings.Contains(string(d.Params), "47110815") {
		t.Errorf("a person is shown %s", d.Params)
	}
	if err := p.Close(); err != nil {
		t.Fatal(err)
	}
	raw, err := os.ReadFile(p.home.Store)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Contains(raw, []byte("kept as it was")) {
		t.Error("what is no secret is not there: the file is not what is searched")
	}
	for _, secret := range []string{"a phrase with blanks", "47110815", "ghp_abcdefghijklmnopqrstuvwxyz012345", "lovelace1815", string(held.Same), string(read.Same)} {
		if bytes.Contains(raw, []byte(secret)) {
			t.Errorf("%q is in the file of the store", secret)
		}
	}
}
