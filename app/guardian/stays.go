package guardian

import (
	"errors"
	"slices"
	"time"

	"github.com/sallyport/sallyport/app/clientconfig"
	"github.com/sallyport/sallyport/app/clientedit"
	"github.com/sallyport/sallyport/app/identity"
	"github.com/sallyport/sallyport/app/office"
	"github.com/sallyport/sallyport/proxy/control"
)

// A client that runs may write its whole file from what it read before, and take our change out without knowing it.
const (
	mostTries = 3
	lookAgain = 2 * time.Second
)

// untilItStays makes a change of a client's file, and for a client that writes its file while it runs makes it anew if it didn't stay. want is
// what the changed entries are afterwards, "" for anything but wrapped.
func (g *Guardian) untilItStays(p control.Protect, want clientconfig.Kind, change func() (control.Protected, error)) (control.Protected, error) {
	busy := clientconfig.FormatOf(p.Client).Busy && !p.DryRun
	for try := 1; ; try++ {
		out, err := change()
		stale, is := errors.AsType[*control.Error](err)
		switch {
		case !busy:
			return out, err
		case err != nil && (p.Digest != "" || !is || stale.Code != control.CodeStale):
			return out, err
		case err == nil && !out.Written:
			return out, nil
		}
		if err == nil || try < mostTries {
			pause(g.opts.LookAgain, g.opts.Closing)
		}
		if err == nil && stayed(g.installation(g.opts.Program, out.Client), out, want) {
			return out, nil
		}
		if try == mostTries {
			return control.Protected{}, office.Answer(control.CodeUnavailable, "%s writes its file again and again, so the change didn't stay: close it, then try again", identity.ClientTitle(p.Client))
		}
	}
}

// pause waits, but not beyond the end of the hub.
func pause(d time.Duration, closing <-chan struct{}) {
	if d == 0 {
		d = lookAgain
	}
	select {
	case <-time.After(d):
	case <-closing:
	}
}

// stayed reports whether a file still has what was written.
func stayed(by clientconfig.Installation, out control.Protected, want clientconfig.Kind) bool {
	view, err := clientedit.Look(out.Path, clientconfig.FormatOf(out.Client))
	if err != nil {
		return false
	}
	return !slices.ContainsFunc(out.Entries, func(entry control.ClientEntry) bool {
		if entry.State != control.EntryWrapped && entry.State != control.EntryUnwrapped {
			return false
		}
		now, there := view.File.Entry(entry.Name)
		is := clientconfig.Classify(now, by, nil).Kind
		return there && (is == clientconfig.Wrapped) != (want == clientconfig.Wrapped)
	})
}
