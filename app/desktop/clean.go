package desktop

import (
	"cmp"

	"github.com/sallyport/sallyport/proxy/control"
)

// cleanSubject is the subject of a look at the list of new servers without warnings. Its digest covers every server on the list.
const cleanSubject = "clean"

// CleanSet is a list of new servers that one decision can allow, with what binds the decision to it.
type CleanSet struct {
	Digest     string        `json:"digest"` // covers every server of the list
	Nonce      string        `json:"nonce"`  // "" for an empty list
	ArmAfterMs int           `json:"armAfterMs"`
	Servers    []CleanServer `json:"servers"`
	Other      int           `json:"other"` // new servers with a warning
}

// CleanServer is one row of the list.
type CleanServer struct {
	control.CleanServer
	Does   string `json:"does"`   // what its tools can do, in our words; "" without tools
	Source string `json:"source"` // who says so
}

// CleanServers lists the new servers without warnings, with a nonce for the decision.
func (p *Page) CleanServers() (CleanSet, error) {
	h, err := p.engine()
	if err != nil {
		return CleanSet{}, err
	}
	set, err := h.Clean(control.CleanQuery{})
	if err != nil {
		return CleanSet{}, err
	}
	out := CleanSet{Digest: set.Digest, ArmAfterMs: armAfterMs, Servers: []CleanServer{}, Other: set.Other}
	for _, s := range set.Items {
		s.Server, s.Parts, s.Loaders = cmp.Or(s.Shown, s.Server), some(s.Parts), some(s.Loaders)
		row := CleanServer{CleanServer: s}
		if s.Can != nil {
			row.Does, row.Source = s.Can.String(), s.Can.Source()
		}
		out.Servers = append(out.Servers, row)
	}
	if set.Digest != "" {
		out.Nonce = p.nonces.mint(cleanSubject, set.Digest, "")
	}
	return out, nil
}

// AllowClean allows the servers of a list that was shown, except those that changed since.
func (p *Page) AllowClean(digest, nonce string) (control.CleanDecided, error) {
	h, err := p.engine()
	if err != nil {
		return control.CleanDecided{}, err
	}
	if err := p.nonces.spend(nonce, cleanSubject, digest, "", true); err != nil {
		return control.CleanDecided{}, err
	}
	done, err := h.AllowClean(here, control.CleanQuery{Digest: digest})
	done.Items, done.Left = some(done.Items), some(done.Left)
	return done, err
}
