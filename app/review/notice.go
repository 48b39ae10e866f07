package review

import (
	"strings"

	"github.com/sallyport/sallyport/proxy/inspect"
	"github.com/sallyport/sallyport/proxy/pin"
	"github.com/sallyport/sallyport/proxy/vocab"
	"github.com/sallyport/sallyport/store"
)

// Notice is an inbox item as a notification may show it.
type Notice struct {
	Code, Kind, Server, Severity, Title string
	Group                               string          // of a held response: the item that it is in
	ServerID, Shown                     string          // Shown is how Server is shown to people
	Asked                               bool            // a model asked for it
	Entry                               string          // of a client's file, where it is about one alone
	Tools                               int             // that are new or changed; 0 where something else is too
	Hidden                              bool            // a finding says that text is hidden from the reader
	Blocked                             bool            // of what a server runs: it is not started before a decision
	Launch                              pin.LaunchAbout // of what a server runs: which change it is
	Client, Next                        string          // of an approval that a client has not seen: which, and what helps
}

func NoticeOf(it store.Item, server string) Notice {
	n := Notice{Code: it.Code, Kind: it.Kind, Server: server, ServerID: it.ServerID, Severity: it.Severity, Title: it.Title, Asked: it.Asked, Launch: launchAbout(it)}
	others := 0
	for _, p := range it.Parts {
		if p.State == vocab.PartRemoved {
			continue
		}
		if strings.HasPrefix(p.Item, string(pin.Tool)+":") {
			n.Tools++
		} else {
			others++
		}
		for _, f := range ReadFindings(p.Findings) {
			n.Hidden = n.Hidden || f.Level == inspect.Critical && hides(f)
		}
	}
	if others > 0 {
		n.Tools = 0
	}
	if len(it.Parts) == 1 && FileItem(it.Kind) {
		n.Entry = strings.TrimPrefix(it.Parts[0].Item, EntryPrefix)
	}
	return n
}

// hides says whether a finding is of a text that a person who reads the definition does not see.
func hides(f inspect.Finding) bool {
	return f.Decoded != "" || strings.HasPrefix(f.Rule, "invisible") || strings.HasPrefix(f.Rule, "hidden")
}
