package control

import "github.com/sallyport/sallyport/proxy/powers"

// CleanQuery asks for the new servers without warnings. With a Digest it asks for the set that was shown under it.
type CleanQuery struct {
	Digest string `json:"digest,omitempty"`
}

// CleanSet is several new servers that one decision can allow. Digest covers every one of them as it is listed.
type CleanSet struct {
	Digest string        `json:"digest"` // "" if Items is empty
	Items  []CleanServer `json:"items"`
	Left   []CleanLeft   `json:"left"`  // shown under this digest before, but changed since
	Other  int           `json:"other"` // new servers with a warning: each needs a decision of its own
}

// CleanServer is one of them, with everything that would be allowed.
type CleanServer struct {
	Code     string          `json:"code"`
	Server   string          `json:"server"`
	Shown    string          `json:"shown,omitempty"` // see Server
	Identity string          `json:"identity"`
	Digest   string          `json:"digest"` // of its own item, which its approval is bound to
	Command  []string        `json:"command,omitempty"`
	URL      string          `json:"url,omitempty"`
	Tools    int             `json:"tools"`
	Can      *powers.Summary `json:"can,omitempty"`    // what its tools can do, by their claims or names
	Parts    []string        `json:"parts"`            // keys of the items that would be allowed
	Loaders  []string        `json:"loaders"`          // names of variables that load code into it, with which it was started
	Before   *EntryBefore    `json:"before,omitempty"` // what the entry of this name ran before
}

// CleanLeft is a server that was shown and is left out.
type CleanLeft struct {
	Code   string `json:"code"` // its code when it was shown
	Server string `json:"server"`
	Shown  string `json:"shown,omitempty"` // see Server
	Why    string `json:"why"`
	See    string `json:"see,omitempty"` // code of its pending item now
}

// CleanDecided is the result of allowing a set.
type CleanDecided struct {
	Digest string         `json:"digest"`
	Items  []CleanAllowed `json:"items"`
	Left   []CleanLeft    `json:"left"`
}

// CleanAllowed is one server that was allowed with the others.
type CleanAllowed struct {
	Code     string   `json:"code"`
	Server   string   `json:"server"`
	Shown    string   `json:"shown,omitempty"` // see Server
	Identity string   `json:"identity"`
	Approved []string `json:"approved"`
	Cut      []string `json:"cut,omitempty"` // see Decided
	Restart  []string `json:"restart,omitempty"`
}
