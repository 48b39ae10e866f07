package wrappers

import (
	"github.com/sallyport/sallyport/app/office"
	"github.com/sallyport/sallyport/app/review"
	"github.com/sallyport/sallyport/proxy/control"
)

// Launch takes what a wrapper sees of its server's launch, and answers once what follows from it is stored.
func (w *Wrappers) Launch(conn control.Wrapper, r control.LaunchReport) (control.State, error) {
	if r.Final && !r.Form.Complete() {
		return control.State{}, office.Answer(control.CodeBadRequest, "a launch that is not whole")
	}
	w.office.Lock()
	defer w.office.Unlock()
	s, err := w.registered(conn, "launch")
	if err != nil {
		return control.State{}, err
	}
	r.Form.Client, r.Form.Values = s.Entry, nil
	if st := w.servers[s.Server]; r.Ended && st != nil && len(st.launch.Allowed) > 0 {
		r.Form = r.Form.Assume(st.launch.Allowed[len(st.launch.Allowed)-1])
		r.Final = r.Form.Complete()
	}
	declared, err := review.DeclarationOf(r.Form)
	if err != nil || len(declared.Raw) > maxLaunch {
		return control.State{}, office.Answer(control.CodeBadRequest, "a launch that cannot be read")
	}
	s.Launched = &review.Launched{Form: r.Form, Final: r.Final}
	if st := w.servers[s.Server]; st != nil && len(r.Files) == 0 && st.launch.Settled(s.Launched) {
		return w.push(s), nil // a start does not wait for a store that has nothing to learn
	}
	notices, wrote, err := w.approvals.JudgeLaunch(&s.Wrapper, r.Files)
	if err != nil {
		return control.State{}, w.office.Failed(err)
	}
	if wrote {
		w.PushChanged()
	}
	for _, n := range notices {
		w.office.Tell(n)
	}
	return w.push(s), nil
}

// maxLaunch bounds one launch: names of variables are most of it.
const maxLaunch = 1 << 20
