package office

import (
	"errors"
	"fmt"

	"github.com/sallyport/sallyport/proxy/control"
	"github.com/sallyport/sallyport/store"
)

// Viewing reads the store; the caller does not hold the lock.
func (o *Office) Viewing(f func(*store.Tx) error) error {
	o.mu.Lock()
	defer o.mu.Unlock()
	if err := o.Usable(); err != nil {
		return err
	}
	return o.Store.View(f)
}

// Answering reads the store for a call, which does not hold the lock, and turns errors into the call's.
func (o *Office) Answering(f func(*store.Tx) error) error {
	o.mu.Lock()
	defer o.mu.Unlock()
	if err := o.Usable(); err != nil {
		return err
	}
	return o.Failed(o.Store.View(f))
}

// Updating writes the store; the caller does not hold the lock.
func (o *Office) Updating(f func(*store.Tx) error) error {
	o.mu.Lock()
	defer o.mu.Unlock()
	if err := o.Usable(); err != nil {
		return err
	}
	return o.Failed(o.Update(func(tx *store.Tx) (bool, error) { return true, f(tx) }))
}

// errNothing ends a transaction without writes: no commit, no fsync.
var errNothing = errors.New("nothing to write")

// Update is Commit; a successful commit ends the problem of an earlier failed one.
func (o *Office) Update(f func(*store.Tx) (wrote bool, err error)) error {
	var some bool
	err := o.Commit(func(tx *store.Tx) (wrote bool, err error) {
		wrote, err = f(tx)
		some = wrote
		return wrote, err
	})
	if err == nil && some {
		o.Solved(ProblemStoreWrite)
	}
	return err
}

// Commit runs f in a transaction and reports whether it wrote anything.
func (o *Office) Commit(f func(*store.Tx) (wrote bool, err error)) error {
	err := o.Store.Update(func(tx *store.Tx) error {
		wrote, err := f(tx)
		if err == nil && !wrote {
			return errNothing
		}
		return err
	})
	if errors.Is(err, errNothing) {
		return nil
	}
	if err == nil {
		o.commits.Add(1)
		o.Changed()
	}
	return err
}

// Usable reports whether calls can be answered at all.
func (o *Office) Usable() error {
	if o.leaving {
		return &control.Error{Code: control.CodeUnavailable, Message: "the hub is stopping; try again in a moment"}
	}
	if !o.Works() {
		return &control.Error{Code: control.CodeUnavailable, Message: "the store can't be read, so everything is blocked; run `sallyport status` to see why"}
	}
	return nil
}

// Works reports whether there is a trustworthy store.
func (o *Office) Works() bool { return o.Store != nil && o.damage == "" }

// Failed turns an error of the store into an answer, and into a problem for status.
func (o *Office) Failed(err error) error {
	var answer *control.Error
	if err == nil || errors.As(err, &answer) {
		return err
	}
	if errors.Is(err, store.ErrCorrupt) {
		o.Damaged(err)
		return &control.Error{Code: control.CodeUnavailable, Message: "the store is damaged, so everything is blocked; run `sallyport status` to see what to do"}
	}
	o.Problem(ProblemStoreWrite, err.Error(), "check that the disk isn't full and that you can write to the data folder; what you allowed still works, everything else is blocked")
	return &control.Error{Code: control.CodeUnavailable, Message: "the store can't be used: " + OneLine(err.Error())}
}

// Damaged ends this hub so that the next one sets the store aside: an unreadable store is never used any further.
func (o *Office) Damaged(err error) {
	if o.damage == "" {
		o.damage = OneLine(err.Error())
		o.Leave(true)
	}
}

// OpenedDamaged is Damaged for a hub that is still opening.
func (o *Office) OpenedDamaged(err error) error {
	o.Damaged(err)
	return nil
}

// Damage is the damage met while using the store, "" for none.
func (o *Office) Damage() string { return o.damage }

// Answer is an error for the caller of the hub.
func Answer(code int, format string, args ...any) error {
	return &control.Error{Code: code, Message: fmt.Sprintf(format, args...)}
}

// Absent reports whether something is missing from the store, or was changed there.
func Absent(err error) bool {
	return errors.Is(err, store.ErrNotFound) || errors.Is(err, store.ErrSeal)
}

// Reading is the store for a read-only call without the lock.
func (o *Office) Reading() (*store.Store, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if err := o.Usable(); err != nil {
		return nil, err
	}
	return o.Store, nil
}

// FailedReading is Failed without the lock.
func (o *Office) FailedReading(err error) error {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.Failed(err)
}
