package guardian

import (
	"strings"
	"testing"

	"github.com/sallyport/sallyport/app/clientedit"
	"github.com/sallyport/sallyport/app/mask"
	"github.com/sallyport/sallyport/proxy/control"
)

func TestABackupIsRestoredLikeAnyOtherWrite(t *testing.T) {
	d := newDesk(t, claudeFile)
	d.protect()
	backups, err := d.Backups()
	if err != nil || len(backups) != 1 || backups[0].Path != d.Path {
		t.Fatalf("backups %+v, %v", backups, err)
	}
	restore := control.RestoreBackup{ID: backups[0].ID}
	_, err = d.RestoreBackup(inside, restore)
	wantError(t, err, control.CodeDescends)
	_, err = d.RestoreBackup(person, restore)
	wantError(t, err, control.CodeLoosens)
	restore.Decided = true
	out, err := d.RestoreBackup(person, restore)
	if err != nil || !out.Written || d.Text() != claudeFile || strings.Contains(mask.PlainJSON(out), "very-secret-value") {
		t.Fatalf("restore: %+v, %v", out, err)
	}
	d.quiet()
	if len(d.ProtectedFiles()) != 0 {
		t.Error("a file without wrappers is still watched")
	}
	// The text before was backed up; restoring it tightens.
	if backups, err = d.Backups(); err != nil || len(backups) != 2 {
		t.Fatalf("backups %+v, %v", backups, err)
	}
	for _, b := range backups {
		if b.Digest != clientedit.DigestOf([]byte(claudeFile)) {
			if _, err := d.RestoreBackup(person, control.RestoreBackup{ID: b.ID}); err != nil {
				t.Fatalf("it needs no decision: %v", err)
			}
		}
	}
	if !d.Guarded("files") || len(d.ProtectedFiles()) != 1 {
		t.Error("not guarded again")
	}
	d.quiet()
	d.unprotect()
	if d.Text() != claudeFile {
		t.Errorf("it came back as\n%s", d.Text())
	}
}
