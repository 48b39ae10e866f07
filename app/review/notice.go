package review

import (
	"strings"

	"github.com/sallyport/sallyport/proxy/inspect"
	"github.com/sallyport/sallyport/proxy/pin"
	"github.com/sallyport/sallyport/proxy/vocab"
	"github.com/sallyport/sallyport/store"
)

// Notice is an inbox item for a notification.
type Notice struct {
	Code            string
	Kind            vocab.ItemKind
	Server          string
	Severity        vocab.Severity
	Title           string
	Group           string          // the item of a held response
	ServerID, Shown string          // Shown is the server's name for people
	Asked           bool            // a model asked for it
	Entry           string          // of a client's file, if it is about one entry; an extension's name
	Tools           int             // new or changed tools; 0 if there is something else too
	Hidden          bool            // a finding says that text is hidden from the reader
	Blocked         bool            // a launch that is not started before a decision
	Launch          pin.LaunchAbout // kind of a changed launch
	Client, Next    string          // a client that has not seen an approval: which, and what helps
	Flow            bool            // a call that is asked about because of what it carries or does, and not of its tool's mode
	FromID, From    string          // the server whose response is the first reason for that, and its name for people; "" for none
}

func NoticeOf(it store.Item, server string) Notice {
	n := Notice{Code: it.Code, Kind: it.Kind, Server: server, ServerID: it.ServerID, Severity: it.Severity, Title: it.Title, Asked: it.Asked, Launch: launchAbout(it)}
	if it.Kind == vocab.ItemCallWaiting {
		if call := CallOf(it); call.Check == vocab.CheckFlow {
			n.Flow, n.FromID = true, cameFrom(call)
		}
	}
	others, tools := 0, map[string]bool{}
	for _, p := range it.Parts {
		if p.State == vocab.PartRemoved {
			continue
		}
		if strings.HasPrefix(p.Item, string(pin.Tool)+":") {
			tools[p.Item] = true
		} else {
			others++
		}
		for _, f := range ReadFindings(p.Findings) {
			n.Hidden = n.Hidden || f.Level == inspect.Critical && hides(f)
		}
	}
	if n.Tools = len(tools); others > 0 {
		n.Tools = 0
	}
	if len(it.Parts) == 1 && FileItem(it.Kind) {
		n.Entry = strings.TrimPrefix(it.Parts[0].Item, EntryPrefix)
	}
	if len(it.Parts) == 1 && it.Kind == vocab.ItemExtension {
		n.Entry = strings.TrimPrefix(it.Parts[0].Item, ExtensionPrefix)
	}
	return n
}

// cameFrom is the server whose response is the first reason to ask about a call, "" if no response is.
func cameFrom(call store.Call) string {
	for _, r := range call.Reasons {
		if len(r.From) > 0 {
			return r.From[0].ServerID
		}
	}
	return ""
}

// hides reports whether a finding is about text that a reader does not see.
func hides(f inspect.Finding) bool {
	return f.Decoded != "" || strings.HasPrefix(f.Rule, "invisible") || strings.HasPrefix(f.Rule, "hidden")
}
