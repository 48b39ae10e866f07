package guardian

import (
	"slices"
	"strings"
	"testing"

	"github.com/sallyport/sallyport/app/mask"
	"github.com/sallyport/sallyport/proxy/control"
)

func TestProtectThenUnprotectGivesTheFileBackByteForByte(t *testing.T) {
	d := newDesk(t, claudeFile)
	dry, err := d.Protect(person, control.Protect{DryRun: true})
	if err != nil || d.Text() != claudeFile || dry.Written || !strings.Contains(dry.Diff, "+") {
		t.Fatalf("a dry run: %+v, %v", dry, err)
	}
	out := d.protect()
	if !out.Written || out.Backup == "" || len(out.Entries) != 2 || !d.Guarded("files") || !d.Guarded("weather") {
		t.Fatalf("protect: %+v\n%s", out, d.Text())
	}
	for _, secret := range []string{"very-secret-value", "sk-abcdef"} {
		if strings.Contains(mask.PlainJSON(out), secret) {
			t.Errorf("the answer holds %s", secret)
		}
	}
	if again := d.protect(); again.Written || again.Diff != "" {
		t.Errorf("a second protect is no second: %+v", again)
	}
	d.quiet()
	d.unprotect()
	if d.Text() != claudeFile {
		t.Errorf("it came back as\n%s", d.Text())
	}
	if files := d.ProtectedFiles(); len(files) != 0 {
		t.Errorf("still watched: %+v", files)
	}
	d.quiet()
}

func TestUnprotectNeedsWhoMayDecideAndAYes(t *testing.T) {
	d := newDesk(t, claudeFile)
	d.protect()
	before := d.Text()
	_, err := d.Unprotect(inside, control.Protect{Decided: true})
	wantError(t, err, control.CodeDescends)
	_, err = d.Unprotect(person, control.Protect{})
	wantError(t, err, control.CodeLoosens)
	d.office.Lock()
	d.office.Marked(false)
	d.office.Unlock()
	_, err = d.Unprotect(person, control.Protect{Decided: true})
	wantError(t, err, control.CodeNotHere)
	if out, err := d.Unprotect(person, control.Protect{DryRun: true}); err != nil || out.Diff == "" {
		t.Errorf("a dry run decides nothing: %v", err)
	}
	if d.Text() != before {
		t.Error("the file was written all the same")
	}
	out, err := d.Unprotect(window, control.Protect{})
	wantError(t, err, control.CodeLoosens)
	if out, err = d.Unprotect(window, control.Protect{Decided: true}); err != nil || !out.Written || d.Text() != claudeFile {
		t.Errorf("the window may: %+v, %v", out, err)
	}
}

func TestAWrapperAroundAnotherOneIsGuardedLikeAnyOther(t *testing.T) {
	for name, behind := range map[string][]string{
		"another wrapper of this Sallyport":         {"OURS", "wrap", "--name", "w", "--", "npx"},
		"another program that has Sallyport's name": {"/opt/sallyport-old", "wrap", "--", "npx"},
		"a command whose name begins like ours":     {"sallyports", "list"},
	} {
		t.Run(name, func(t *testing.T) {
			d := newDesk(t, claudeFile)
			for i, word := range behind {
				behind[i] = strings.ReplaceAll(word, "OURS", d.Program)
			}
			args := append([]string{"wrap", "--name", "w", "--client", "claude-desktop", "--"}, behind...)
			d.Edit(func(servers map[string]any) { servers["w"] = map[string]any{"command": d.Program, "args": args} })
			for _, entry := range d.protect().Entries {
				if want := map[bool]string{true: control.EntryGuarded, false: control.EntryWrapped}[entry.Name == "w"]; entry.State != want {
					t.Errorf("%s is %s, want %s", entry.Name, entry.State, want)
				}
			}
			d.quiet()
			if got := d.Argv("w"); !slices.Equal(got, append([]string{d.Program}, args...)) {
				t.Errorf("it was not left alone: %q", got)
			}
			d.unprotect("w")
			if got := d.Argv("w"); !slices.Equal(got, behind) {
				t.Errorf("without its wrapper it runs %q, want %q", got, behind)
			}
		})
	}
}

func TestAProgramInsideAServerAddsNoEntry(t *testing.T) {
	d := newDesk(t, claudeFile)
	add := control.Protect{Names: []string{"new one"}, Add: &control.NewEntry{Argv: []string{"x", "--key", "sk-live-51H8xQ2eZvKYlo2C0aXbYcZd"}}}
	_, err := d.Protect(inside, add)
	wantError(t, err, control.CodeDescends)
	if d.Text() != claudeFile {
		t.Errorf("it was written:\n%s", d.Text())
	}
	out, err := d.Protect(person, add)
	if err != nil || !out.Written || len(out.Entries) != 1 || out.Entries[0].State != control.EntryWrapped || strings.Contains(mask.PlainJSON(out), "sk-live") || !d.Guarded("new one") {
		t.Fatalf("%+v, %v", out, err)
	}
	d.quiet()
	_, err = d.Protect(person, add)
	wantError(t, err, control.CodeBadRequest)
	for _, wrong := range []control.NewEntry{{}, {Argv: []string{"x"}, URL: "https://h.example/"}, {URL: "https://h.example/", Headers: []string{"A: very-secret-value"}}, {URL: "https://h.example/", Headers: []string{"Host: env:A"}}, {URL: "https://u:very-secret-value@h.example/"}} {
		if _, err := d.Protect(person, control.Protect{Names: []string{"another"}, Add: &wrong}); err == nil || strings.Contains(err.Error(), "very-secret") {
			t.Errorf("%+v: %v", wrong, err)
		}
	}
	d.unprotect("new one")
	if !strings.Contains(d.Text(), `"new one"`) || d.Guarded("new one") {
		t.Errorf("it is\n%s", d.Text())
	}
}
