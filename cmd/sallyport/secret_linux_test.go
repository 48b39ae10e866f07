package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/sallyport/sallyport/proxy/keychain"
	"github.com/sallyport/sallyport/proxy/keychain/ring"
)

const secretValueOfTest = "sk-secret-value"

// secretRun runs `sallyport secret` with an input, in a home of the test.
func secretRun(t *testing.T, in string, args ...string) (code int, out, errs string) {
	t.Helper()
	var o, e bytes.Buffer
	code = run(t.Context(), append([]string{"secret"}, args...), streams{strings.NewReader(in), &o, &e})
	if strings.Contains(o.String()+e.String(), "secret-value") {
		t.Errorf("%q printed the value: %s%s", args, o.String(), e.String())
	}
	if code != exitFine && (o.Len() > 0 || strings.Count(e.String(), "\n") != 1) {
		t.Errorf("%q failed with other than one line on standard error: %q, %q", args, o.String(), e.String())
	}
	return code, o.String(), e.String()
}

func secretHome(t *testing.T) *ring.Bus {
	t.Helper()
	t.Setenv("SALLYPORT_HOME", filepath.Join(t.TempDir(), "home"))
	return ring.StartBus(t, "")
}

func TestASecretIsStoredListedByNameAndDeleted(t *testing.T) {
	bus := secretHome(t)
	bus.Keyring()
	for _, step := range []struct {
		in   string
		args string
		code int
		out  string
		errs string
	}{
		{"", "list", 0, "No secrets. To store one: sallyport secret set NAME\n", ""},
		{"", "list --json", 0, `{"items":[],"new":"keychain","no_hub":true}` + "\n", ""},
		{secretValueOfTest + "\n", "set openai", 0, "Stored. Settings can name it as keychain:openai\n", ""},
		{secretValueOfTest, "set b.other", 0, "Stored. Settings can name it as keychain:b.other\n", ""},
		{"", "list", 0, "NAME     KEPT IN   USED BY\nb.other  keychain  -\nopenai   keychain  -\nNo hub runs, so settings that use them are not listed.\n", ""},
		{"", "list --json", 0, `{"items":[{"name":"b.other","kept":"keychain","used":[]},{"name":"openai","kept":"keychain","used":[]}],"new":"keychain","no_hub":true}` + "\n", ""},
		{"", "delete openai", 0, "Deleted. What names keychain:openai doesn't work any more.\n", ""},
		{"", "delete openai", 1, "", "sallyport: secret delete: openai is not stored; \"sallyport secret list\" shows what is\n"},
		{"", "list", 0, "NAME     KEPT IN   USED BY\nb.other  keychain  -\nNo hub runs, so settings that use them are not listed.\n", ""},
	} {
		code, out, errs := secretRun(t, step.in, strings.Fields(step.args)...)
		if code != step.code || out != step.out || errs != step.errs {
			t.Errorf("secret %s: exit code %d, %q, %q", step.args, code, out, errs)
		}
	}
	if values := bus.Values(); len(values) != 1 || values[0] != secretValueOfTest {
		t.Errorf("the keyring has %q", values)
	}
	t.Setenv("SALLYPORT_HOME", t.TempDir())
	if _, out, _ := secretRun(t, "", "list", "--json"); out != `{"items":[],"new":"keychain","no_hub":true}`+"\n" {
		t.Errorf("another home has %s", out)
	}
}

func TestTheEntriesOfClientsThatUseASecretAreListed(t *testing.T) {
	secretHome(t)
	t.Setenv(keychain.Variable, "off")
	home := t.TempDir()
	t.Setenv("HOME", home)
	t.Setenv("XDG_CONFIG_HOME", "")
	program, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	entries := map[string]any{}
	for name, args := range map[string][]string{
		"github":    {"wrap", "--name", "github", "--client", "claude-desktop", "--url", "https://x/", "--header", "X-Team: env:TEAM", "--header", "Authorization: Bearer keychain:openai"},
		"other one": {"wrap", "--name", "other one", "--url", "https://y/", "--header=X-Key: keychain:openai", "--header=X-Key-2: keychain:openai"},
		"its own":   {"wrap", "--name", "its own", "--client", "claude-desktop", "--", "server", "--header", "X: keychain:openai"},
	} {
		entries[name] = map[string]any{"command": program, "args": args}
	}
	entries["local"] = map[string]any{"command": program, "args": []string{"wrap", "--name", "local", "--client", "claude-desktop", "--", "server"}, "env": map[string]string{"KEY": "keychain:openai", "OTHER": "keychain:openai", "TEXT": "a keychain:openai"}}
	entries["not ours"] = map[string]any{"command": "/usr/bin/env", "args": []string{"--header", "X: keychain:openai"}}
	raw, err := json.Marshal(map[string]any{"mcpServers": entries})
	if err != nil {
		t.Fatal(err)
	}
	folder := filepath.Join(home, ".config", "Claude")
	if err := os.MkdirAll(folder, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(folder, "claude_desktop_config.json"), raw, 0o600); err != nil {
		t.Fatal(err)
	}
	if code, out, errs := secretRun(t, secretValueOfTest, "set", "openai"); code != exitFine {
		t.Fatal(out, errs)
	}
	_, out, _ := secretRun(t, "", "list")
	if !strings.Contains(out, "openai  file     Claude Desktop: github, Claude Desktop: local, Claude Desktop: other one\n") || !strings.Contains(out, "New values go to "+filepath.Join(os.Getenv("SALLYPORT_HOME"), "secrets.sealed")+", because SALLYPORT_KEYCHAIN=off turns the keychain off.\n") {
		t.Error(out)
	}
	_, out, _ = secretRun(t, "", "list", "--json")
	if out != `{"items":[{"name":"openai","kept":"file","used":[{"client":"claude-desktop","entry":"github"},{"client":"claude-desktop","entry":"local"},{"client":"claude-desktop","entry":"other one"}]}],"new":"file","why":"SALLYPORT_KEYCHAIN=off turns the keychain off","no_hub":true}`+"\n" {
		t.Error(out)
	}
}

// A list that may lack names says so, and what it has is printed all the same.
func TestAListWithoutWhatALockedKeychainHasSaysSo(t *testing.T) {
	bus := secretHome(t)
	bus.Keyring()
	secretRun(t, "value", "set", "first")
	bus.Lock()
	if code, _, errs := secretRun(t, "", "list"); code != exitFailed || !strings.Contains(errs, "the keychain is locked: unlock it") {
		t.Errorf("nothing in the file: exit code %d, %s", code, errs)
	}
	secretRun(t, "value", "set", "second")
	var out, errs bytes.Buffer
	code := run(t.Context(), []string{"secret", "list"}, streams{strings.NewReader(""), &out, &errs})
	if code != exitFailed || !strings.Contains(out.String(), "second  file") || strings.Contains(out.String(), "first") || errs.String() != "sallyport: secret list: only what is in secrets.sealed is listed: the keychain is locked: unlock it, then try again\n" {
		t.Errorf("exit code %d\n%s%s", code, out.String(), errs.String())
	}
	bus.Unlock()
	if code, out, errs := secretRun(t, "", "list"); code != exitFine || !strings.Contains(out, "first   keychain") || !strings.Contains(out, "second  keychain") {
		t.Errorf("exit code %d\n%s%s", code, out, errs)
	}
}

// What is wrong may be the value itself, typed in the wrong place.
func TestASecretTypedInTheWrongPlaceIsNotPrinted(t *testing.T) {
	bus := secretHome(t)
	bus.Keyring()
	for _, c := range []struct {
		name, in string
		args     []string
		code     int
	}{
		{"a value as an argument", "", []string{"set", "openai", secretValueOfTest}, 2},
		{"a value as a flag", "", []string{"set", "openai", "--value=" + secretValueOfTest}, 2},
		{"a value as a flag of its own", "", []string{"set", "openai", "--" + secretValueOfTest}, 2},
		{"a value in place of a command", "", []string{secretValueOfTest}, 2},
		{"a value with the name", "x", []string{"set", "openai=" + secretValueOfTest}, 2},
		{"a value to delete", "", []string{"delete", "a " + secretValueOfTest}, 2},
		{"no name", "x", []string{"set"}, 2},
		{"an empty name", "x", []string{"set", ""}, 2},
		{"a long name", "x", []string{"set", strings.Repeat("n", 65)}, 2},
		{"an empty value", "", []string{"set", "openai"}, 2},
		{"only a line break", "\n", []string{"set", "openai"}, 2},
		{"two lines", secretValueOfTest + "\nX-Other: y\n", []string{"set", "openai"}, 2},
		{"a zero byte", secretValueOfTest + "\x00", []string{"set", "openai"}, 2},
		{"more than Windows keeps", strings.Repeat(secretValueOfTest, 300), []string{"set", "openai"}, 2},
		{"a flag that list has not", "", []string{"list", "--" + secretValueOfTest}, 2},
	} {
		if code, _, errs := secretRun(t, c.in, c.args...); code != c.code || !strings.HasPrefix(errs, "sallyport: secret") {
			t.Errorf("%s: exit code %d, %s", c.name, code, errs)
		}
	}
	if values := bus.Values(); len(values) != 0 {
		t.Errorf("something was stored: %d entries", len(values))
	}
}

func TestWhereTheKeychainCannotBeUsedASecretIsStoredInTheFile(t *testing.T) {
	for _, c := range []struct {
		name string
		make func(t *testing.T)
		says string
		none bool
	}{
		{"none", func(t *testing.T) { secretHome(t) }, "this session has no keychain", true},
		{"off", func(t *testing.T) { secretHome(t).Keyring(); t.Setenv(keychain.Variable, "off") }, "SALLYPORT_KEYCHAIN=off turns the keychain off", true},
		{"locked", func(t *testing.T) { bus := secretHome(t); bus.Keyring(); bus.Lock() }, "the keychain is locked", false},
		{"silent", func(t *testing.T) { secretHome(t).Silent() }, "the keychain did not respond within 2 seconds", false},
		{"refused", func(t *testing.T) {
			t.Setenv("SALLYPORT_HOME", filepath.Join(t.TempDir(), "home"))
			ring.StartBus(t, ring.Refusing).Silent()
		}, "the keychain refuses access", false},
	} {
		t.Run(c.name, func(t *testing.T) {
			c.make(t)
			code, out, errs := secretRun(t, secretValueOfTest, "set", "openai")
			if code != exitFine || !strings.Contains(out, "secrets.sealed, because "+c.says) {
				t.Errorf("set: exit code %d, %s%s", code, out, errs)
			}
			code, out, errs = secretRun(t, "", "delete", "openai")
			if code != exitFine || c.none == strings.Contains(out, "Because "+c.says) {
				t.Errorf("delete: exit code %d, %s%s", code, out, errs)
			}
		})
	}
}

func TestDoctorNamesTheStateOfTheKeychain(t *testing.T) {
	for _, c := range []struct {
		name, says string
		make       func(t *testing.T)
	}{
		{"ready", "ok       keychain: ready; secrets are kept in it\n", func(t *testing.T) { secretHome(t).Keyring() }},
		{"none", "ok       keychain: this session has no keychain", func(t *testing.T) { secretHome(t) }},
		{"locked", "ok       keychain: the keychain is locked", func(t *testing.T) { bus := secretHome(t); bus.Keyring(); bus.Lock() }},
		{"a damaged file", "SP-151  keychain: ", func(t *testing.T) {
			secretHome(t).Keyring()
			home := os.Getenv("SALLYPORT_HOME")
			if err := os.Mkdir(home, 0o700); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(filepath.Join(home, "secrets.sealed"), []byte("x"), 0o600); err != nil {
				t.Fatal(err)
			}
		}},
		{"silent", "SP-150  keychain: the keychain did not respond within 2 seconds", func(t *testing.T) { secretHome(t).Silent() }},
		{"refused", "SP-150  keychain: the keychain refuses access", func(t *testing.T) {
			t.Setenv("SALLYPORT_HOME", filepath.Join(t.TempDir(), "home"))
			ring.StartBus(t, ring.Refusing).Silent()
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			c.make(t)
			var out bytes.Buffer
			run(t.Context(), []string{"doctor"}, streams{strings.NewReader(""), &out, io.Discard})
			if !strings.Contains(out.String(), c.says) {
				t.Errorf("doctor says\n%s", out.String())
			}
		})
	}
}

// shown is what a terminal shows.
type shown struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (s *shown) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.text.Write(p)
}

func (s *shown) String() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.text.String()
}

// newTerminal is both ends of a pseudo-terminal: what a person types and sees, and what the program has.
func newTerminal(t *testing.T) (person, program *os.File) {
	t.Helper()
	person, err := os.OpenFile("/dev/ptmx", os.O_RDWR|unix.O_NOCTTY, 0)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { person.Close() })
	number, err := unix.IoctlGetInt(int(person.Fd()), unix.TIOCGPTN)
	if err != nil {
		t.Fatal(err)
	}
	if err := unix.IoctlSetPointerInt(int(person.Fd()), unix.TIOCSPTLCK, 0); err != nil {
		t.Fatal(err)
	}
	program, err = os.OpenFile(fmt.Sprintf("/dev/pts/%d", number), os.O_RDWR|unix.O_NOCTTY, 0)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { program.Close() })
	return person, program
}

// desk is a terminal with a person at it.
type desk struct {
	t               *testing.T
	person, program *os.File
	screen          *shown
}

func newDesk(t *testing.T) *desk {
	t.Helper()
	d := &desk{t: t, screen: &shown{}}
	d.person, d.program = newTerminal(t)
	go io.Copy(d.screen, d.person)
	return d
}

func (d *desk) appears(want string) {
	d.t.Helper()
	for deadline := time.Now().Add(ring.Enough); !strings.Contains(d.screen.String(), want); time.Sleep(time.Millisecond) {
		if time.Now().After(deadline) {
			d.t.Fatalf("the terminal shows %q, and never %q", d.screen, want)
		}
	}
}

// setting runs `secret set` at the terminal until it asks for the value.
func (d *desk) setting(ctx context.Context) (ended <-chan int) {
	d.t.Helper()
	codes := make(chan int, 1)
	go func() {
		codes <- run(ctx, []string{"secret", "set", "openai"}, streams{d.program, d.program, d.program})
	}()
	d.appears("Value of openai (not shown): ")
	return codes
}

func TestATypedSecretIsNotShownAndTheTerminalShowsAgainAfterwards(t *testing.T) {
	bus := secretHome(t)
	bus.Keyring()
	d := newDesk(t)
	ended := d.setting(t.Context())
	fmt.Fprintf(d.person, "%s\n", secretValueOfTest)
	d.appears("Stored. Settings can name it as keychain:openai")
	if code := <-ended; code != exitFine {
		t.Fatalf("exit code %d, %q", code, d.screen)
	}
	if values := bus.Values(); len(values) != 1 || values[0] != secretValueOfTest {
		t.Errorf("the keyring has %d other entries", len(values))
	}
	fmt.Fprint(d.person, "typed afterwards")
	d.appears("typed afterwards")
	if strings.Contains(d.screen.String(), "secret-value") {
		t.Errorf("the terminal showed the value: %q", d.screen)
	}
}

func TestAnInterruptedSecretStoresNothingAndTheTerminalShowsAgain(t *testing.T) {
	bus := secretHome(t)
	bus.Keyring()
	d := newDesk(t)
	ctx, interrupt := context.WithCancel(t.Context())
	ended := d.setting(ctx)
	interrupt()
	if code := <-ended; code != exitFailed {
		t.Errorf("exit code %d, %q", code, d.screen)
	}
	fmt.Fprint(d.person, "typed afterwards")
	d.appears("typed afterwards")
	if values := bus.Values(); len(values) != 0 {
		t.Errorf("the keyring has %q", values)
	}
}
