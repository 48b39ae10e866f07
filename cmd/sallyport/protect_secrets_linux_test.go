package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/sallyport/sallyport/proxy/keychain"
	"github.com/sallyport/sallyport/proxy/keychain/secretname"
)

// extensionHome is a person with a desktop extension that needs two secrets, and a file of the client.
func extensionHome(t *testing.T) *installation {
	t.Helper()
	i := install(t, "")
	folder := filepath.Join(i.dir, ".config", "Claude")
	i.file = filepath.Join(folder, "claude_desktop_config.json")
	extension := filepath.Join(folder, "Claude Extensions", "local.mail")
	if err := os.MkdirAll(extension, 0o700); err != nil {
		t.Fatal(err)
	}
	for path, text := range map[string]string{
		i.file: "{}\n",
		filepath.Join(extension, "manifest.json"): `{"name":"mail","version":"1.0.0","server":{"type":"node","entry_point":"x.js","mcp_config":{"command":"node","args":["${__dirname}/x.js"],
			"env":{"USER_KEY":"${user_config.key}","PASS":"${user_config.pass}"}}},"user_config":{"key":{"type":"string","sensitive":true,"required":true},"pass":{"type":"string","sensitive":true,"required":true}}}`,
	} {
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return i
}

// converting runs `protect --convert` at the terminal; its exit code follows.
func (d *desk) converting(i *installation) (ended <-chan int) {
	d.t.Helper()
	child := i.command("protect", "--convert", "local.mail", "--no-look")
	child.Stdin, child.Stdout, child.Stderr = d.program, d.program, d.program
	if err := child.Start(); err != nil {
		d.t.Fatal(err)
	}
	codes := make(chan int, 1)
	go func() {
		_ = child.Wait()
		codes <- child.ProcessState.ExitCode()
	}()
	return codes
}

func TestTheSecretsOfAnExtensionAreTypedAndTheFileNamesThem(t *testing.T) {
	i := extensionHome(t)
	i.hub()
	d := newDesk(t)
	codes := d.converting(i)
	d.appears("Value of user_config key (not shown): ")
	fmt.Fprintln(d.person, secretValueOfTest)
	d.appears("Value of user_config pass (not shown): ")
	fmt.Fprintln(d.person, secretValueOfTest+"-2")
	d.appears("The entry names it as keychain:extension.local.mail.pass")
	if code := <-codes; code != exitFine || strings.Contains(d.screen.String(), secretValueOfTest) {
		t.Errorf("exit code %d, the terminal shows %q", code, d.screen)
	}
	if text := i.read(); !strings.Contains(text, `"env": {"PASS": "keychain:extension.local.mail.pass", "USER_KEY": "keychain:extension.local.mail.key"}`) || strings.Contains(text, secretValueOfTest) {
		t.Errorf("the file:\n%s", text)
	}
	if out := i.want(exitFine, "secret", "list"); !strings.Contains(out, "extension.local.mail.key   file     Claude Desktop: mail") || !strings.Contains(out, "extension.local.mail.pass  file     Claude Desktop: mail") {
		t.Errorf("secret list:\n%s", out)
	}
	for name, want := range map[string]string{"key": secretValueOfTest, "pass": secretValueOfTest + "-2"} {
		if got, err := keychain.Secrets(i.home).Get(t.Context(), "extension.local.mail."+name); err != nil || got != want {
			t.Errorf("%s is not what was typed (%v)", name, err)
		}
	}
}

func TestNothingOfAnExtensionThatIsNotConvertedIsKept(t *testing.T) {
	for _, c := range []struct {
		name, second string
		prepare      func(i *installation) error
		says         string
	}{
		{"the second value is none", "\n", func(*installation) error { return nil }, "the value is empty"},
		{"a value of that name is stored", "", func(i *installation) error {
			child := i.command("secret", "set", "extension.local.mail.pass")
			child.Stdin = strings.NewReader(secretValueOfTest)
			return child.Run()
		}, "extension.local.mail.pass is already stored: use it with --set pass=keychain:extension.local.mail.pass, or delete it first"},
		{"the file changes meanwhile", secretValueOfTest + "-2\n", func(*installation) error { return nil }, "has an entry of this name already"},
	} {
		t.Run(c.name, func(t *testing.T) {
			i := extensionHome(t)
			if err := c.prepare(i); err != nil {
				t.Fatal(err)
			}
			i.hub()
			kept := func() string { return i.want(exitFine, "secret", "list") }
			before := kept()
			d := newDesk(t)
			codes := d.converting(i)
			if c.second != "" {
				d.appears("Value of user_config key (not shown): ")
				if strings.Contains(c.says, "entry of this name") {
					i.write(`{"mcpServers":{"mail":{"command":"mail"}}}`)
				}
				fmt.Fprintln(d.person, secretValueOfTest)
				d.appears("Value of user_config pass (not shown): ")
				fmt.Fprint(d.person, c.second)
			}
			d.appears(c.says)
			if code := <-codes; code != exitFailed || strings.Contains(d.screen.String(), secretValueOfTest) {
				t.Errorf("exit code %d, the terminal shows %q", code, d.screen)
			}
			if now := kept(); now != before {
				t.Errorf("before:\n%sand now:\n%s", before, now)
			}
		})
	}
}

func TestEverySecretOfAnExtensionHasANameOfItsOwn(t *testing.T) {
	seen := map[string]string{}
	for _, of := range [][2]string{{"local.mail", "key"}, {"local mail", "key"}, {"local/mail", "key"}, {strings.Repeat("a", 80), "key"}, {strings.Repeat("a", 80), "pass"}} {
		name := secretNameOf(of[0], of[1])
		if err := secretname.Check(name); err != nil {
			t.Errorf("%q: %v", name, err)
		}
		if other, taken := seen[name]; taken {
			t.Errorf("%q is of %q and %q", name, other, of)
		}
		seen[name] = of[0] + " " + of[1]
	}
}
