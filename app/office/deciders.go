package office

import (
	"errors"
	"fmt"

	"github.com/sallyport/sallyport/proxy/control"
	"github.com/sallyport/sallyport/store"
)

// Decides is MayDecide for a call that also needs a usable store.
func (o *Office) Decides(peer control.Peer, codes ...string) error {
	if err := o.Usable(); err != nil {
		return err
	}
	return o.MayDecide(peer, codes...)
}

// MayDecide reports whether this peer may decide on items. If not, they move to the top of the inbox for a person who may, unless a guarded
// server asked.
func (o *Office) MayDecide(peer control.Peer, codes ...string) error {
	err := o.mayDecide(peer)
	if err != nil && !peer.Descends {
		for _, code := range codes {
			o.Raise(code)
		}
	}
	return err
}

func (o *Office) mayDecide(peer control.Peer) error {
	switch {
	case peer.Here:
		return nil
	case peer.Descends:
		return Answer(control.CodeDescends, "this command runs inside a guarded server and can't decide anything: use your own terminal")
	case o.Window:
		return Answer(control.CodeNotHere, "decide in the window")
	case !o.cli:
		return Answer(control.CodeNotHere, "decide in the window: this hub takes no decisions from the command line")
	}
	return nil
}

// MetaCLI marks a home first created with --allow-cli-approval, MetaWindowCLI one where a window turned approvals.cli on.
const (
	MetaCLI       = "cli"
	MetaWindowCLI = "approvals.cli"
)

// CheckMarks determines whether decisions may come over the socket.
func (o *Office) CheckMarks() error {
	marked := false
	err := o.Update(func(tx *store.Tx) (bool, error) {
		if o.AllowCLI && o.Store.Fresh() {
			marked = true
			return true, tx.SetMeta(MetaCLI, []byte("1"))
		}
		for _, name := range []string{MetaCLI, MetaWindowCLI} {
			value, err := tx.Meta(name)
			switch {
			case err == nil:
				o.windowOn = o.windowOn || name == MetaWindowCLI && string(value) == "on"
				marked = marked || name == MetaCLI || o.windowOn
			case !errors.Is(err, store.ErrNotFound) && !errors.Is(err, store.ErrSeal):
				return false, err
			}
		}
		return false, nil
	})
	if err != nil {
		return fmt.Errorf("open hub: %w", err)
	}
	if marked && !o.windowOn {
		if err := o.Store.KeepMark(MetaCLI); err != nil {
			o.Problem(ProblemStoreWrite, err.Error(), "check that the disk isn't full and that you can write to the data folder")
		}
	}
	o.Marked(marked)
	return nil
}

// Marked does the same for a home with or without the mark.
func (o *Office) Marked(is bool) {
	asked := o.AllowCLI && !o.Window
	o.cli = asked && is
	if o.cli == asked {
		return
	}
	o.Problem(ProblemCLIIgnored, "--allow-cli-approval is ignored: this data folder was not created with it", "decide in the window, or turn on approvals.cli there")
}

// SetWindowOn sets the window's value of approvals.cli.
func (o *Office) SetWindowOn(on bool) { o.windowOn = on }
