package guardian

import (
	"testing"
)

func TestWithoutEventsTheFileIsLookedAtFromOutside(t *testing.T) {
	d := newDesk(t, claudeFile)
	d.protect()
	d.LookAtAll()
	if !d.stirredAfter(func() {}) {
		// nothing happened, nothing is looked at
	} else {
		t.Error("it stirs without a reason")
	}
	if !d.stirredAfter(func() { d.Replace(`{}`) }) {
		t.Error("another file in its place is not seen")
	}
}

// stirredAfter reports whether the stamp changes when f runs.
func (d *desk) stirredAfter(f func()) bool {
	files := d.ProtectedFiles()
	before := stampOf(files[0], nil)
	f()
	return !before.same(stampOf(files[0], nil))
}
