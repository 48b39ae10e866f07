package desktop

import (
	"cmp"

	"github.com/sallyport/sallyport/proxy/control"
)

// cleanSubject is the subject of a look at the list of new servers without warnings. The digest of that look covers every one of them.
const cleanSubject = "clean"

// CleanSet is a list of new servers that one decision can allow, with what binds the decision to this list.
type CleanSet struct {
	Digest     string        `json:"digest"` // covers every server of the list
	Nonce      string        `json:"nonce"`  // "" where nothing is listed
	ArmAfterMs int           `json:"armAfterMs"`
	Servers    []CleanServer `json:"servers"`
	Other      int           `json:"other"` // new servers with a warning
}

// CleanServer is one row of the list.
type CleanServer struct {
	Code    string               `json:"code"`
	Server  string               `json:"server"`  // server text
	Command []string             `json:"command"` // server text; secrets masked
	URL     string               `json:"url"`     // server text
	Tools   int                  `json:"tools"`
	Can     string               `json:"can"`              // what its tools can do, in words of ours; "" without tools
	Source  string               `json:"source"`           // whose word that is
	Dispute int                  `json:"disputed"`         // tools whose names contradict what they claim
	Parts   []string             `json:"parts"`            // pin keys of what would be allowed; hold server text
	Loaders []string             `json:"loaders"`          // names of variables that load code into it
	Before  *control.EntryBefore `json:"before,omitempty"` // the server that ran under this name before
}

// CleanServers lists the new servers without warnings. It mints the nonce that a decision over this list needs.
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
		row := CleanServer{
			Code: s.Code, Server: cmp.Or(s.Shown, s.Server), Command: some(s.Command), URL: s.URL, Tools: s.Tools, Parts: some(s.Parts), Loaders: some(s.Loaders), Before: s.Before,
		}
		if s.Can != nil {
			row.Can, row.Source, row.Dispute = s.Can.String(), s.Can.Source(), s.Can.Disputed
		}
		out.Servers = append(out.Servers, row)
	}
	if set.Digest != "" {
		out.Nonce = p.nonces.mint(cleanSubject, set.Digest, "")
	}
	return out, nil
}

// AllowClean allows the servers of a list that was shown, as far as each is still what was shown.
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
