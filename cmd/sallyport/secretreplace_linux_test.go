package main

import (
	"context"
	"fmt"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/sallyport/sallyport/proxy/keychain/ring"
)

// hubHere runs a hub of this home until the test ends.
func hubHere(t *testing.T, flags ...string) {
	t.Helper()
	ctx, stop := context.WithCancel(context.Background())
	ended := make(chan int, 1)
	go func() {
		ended <- run(ctx, append([]string{"hub"}, flags...), streams{strings.NewReader(""), io.Discard, io.Discard})
	}()
	t.Cleanup(func() { stop(); <-ended })
	for deadline := time.Now().Add(ring.Enough); ; time.Sleep(time.Millisecond) {
		hub, err := dial(t.Context())
		if err == nil {
			hub.Close()
			return
		}
		if time.Now().After(deadline) {
			t.Fatal(err)
		}
	}
}

func TestAPersonAtATerminalIsAskedBeforeAValueIsReplaced(t *testing.T) {
	bus := secretHome(t)
	bus.Keyring()
	if code, out, errs := secretRun(t, "old", "set", "openai"); code != exitFine {
		t.Fatal(out, errs)
	}
	hubHere(t, "--allow-cli-approval")
	const question = "openai is already stored. Replace its value? [y/N] "
	for _, c := range []struct {
		answer, says string
		code         int
		want         string
	}{
		{"\n", "sallyport: secret set: nothing was stored", exitFailed, "old"},
		{"no\n", "sallyport: secret set: nothing was stored", exitFailed, "old"},
		{"y\n", "Stored. Settings can name it as keychain:openai", exitFine, secretValueOfTest},
	} {
		d := newDesk(t)
		codes := make(chan int, 1)
		go func() {
			codes <- run(t.Context(), []string{"secret", "set", "openai"}, streams{d.program, d.program, d.program})
		}()
		d.appears(question)
		fmt.Fprint(d.person, c.answer)
		if c.code == exitFine {
			d.appears("Value of openai (not shown): ")
			fmt.Fprintln(d.person, secretValueOfTest)
		}
		d.appears(c.says)
		if code := <-codes; code != c.code || strings.Contains(d.screen.String(), "secret-value") {
			t.Errorf("%q: exit code %d, the terminal shows %q", c.answer, code, d.screen)
		}
		entries := 0
		for _, value := range bus.Values() {
			if value == c.want {
				entries++
			}
		}
		if entries != 1 {
			t.Errorf("%q: %q is not in the keyring once", c.answer, c.want)
		}
	}
}

// A keychain that stays locked can't say whether it has a value. What the person typed is stored and counts.
func TestBehindALockedKeychainTheTypedValueCounts(t *testing.T) {
	bus := secretHome(t)
	bus.Keyring()
	secretRun(t, "old", "set", "openai")
	bus.Lock()
	if code, out, errs := secretRun(t, secretValueOfTest, "set", "openai"); code != exitFine || !strings.Contains(out, "secrets.sealed, because the keychain is locked") {
		t.Errorf("exit code %d, %s%s", code, out, errs)
	}
	bus.Unlock()
	if code, out, errs := secretRun(t, "", "list"); code != exitFine || !strings.Contains(out, "openai  keychain") {
		t.Errorf("exit code %d, %s%s", code, out, errs)
	}
	if values := bus.Values(); len(values) != 1 || values[0] != secretValueOfTest {
		t.Errorf("the keyring has %q", values)
	}
}
