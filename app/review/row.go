package review

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/sallyport/sallyport/app/identity"
	"github.com/sallyport/sallyport/proxy/control"
	"github.com/sallyport/sallyport/proxy/inspect"
	"github.com/sallyport/sallyport/proxy/pin"
	"github.com/sallyport/sallyport/proxy/powers"
	"github.com/sallyport/sallyport/proxy/vocab"
	"github.com/sallyport/sallyport/store"
)

// AllClean reports whether a new server has no finding of Medium or above, so that a plain approval allows all of it.
func AllClean(it store.Item) bool {
	whole := ReadFindings(it.Findings)
	if it.Kind != vocab.ItemNewServer || len(it.Parts) == 0 || !Clean(whole) || inspect.SuspectServer(whole) {
		return false
	}
	return !slices.ContainsFunc(it.Parts, func(p store.Part) bool {
		findings := ReadFindings(p.Findings)
		return p.State != vocab.PartNew && p.State != vocab.PartApproved || !Clean(findings) || Withheld(findings)
	})
}

func InboxItem(it store.Item, server store.Server) control.InboxItem {
	out := control.InboxItem{
		Code: it.Code, Kind: it.Kind, Server: server.Name, Identity: server.Identity, Severity: it.Severity, Title: it.Title,
		Digest: it.Digest, Created: it.Created.UTC(), Asked: it.Asked, Noisy: it.Noisy, Launch: launchAbout(it), Clean: it.Decided == "" && AllClean(it), Parts: []control.Part{},
	}
	if OfClient(it.Kind) {
		d := ReadFileDetail(it)
		out.Server, out.Identity = identity.ClientTitle(d.Client), d.Path
	}
	if it.Kind == vocab.ItemCallWaiting {
		tellCall(&out, it)
	}
	if it.Kind == vocab.ItemLogin {
		tellLogin(&out, it)
		return out
	}
	for _, p := range ShownParts(it) {
		out.Parts = append(out.Parts, control.Part{Item: p.Item, State: p.State, Findings: Listed(ReadFindings(p.Findings)), Era: p.Era})
	}
	Fold(&out, ReadFindings(it.Findings))
	return out
}

// PartDetail is a part as the store keeps it, without definitions and changes: each kind of item has its own.
func PartDetail(p store.Part) control.PartDetail {
	return control.PartDetail{Item: p.Item, State: p.State, Digest: pin.Digest(p.Digest), Findings: Listed(ReadFindings(p.Findings)), Changes: []pin.Change{}, Era: p.Era}
}

// FileItemDetail is an item over a client's file, or one of its extensions, whole.
func FileItemDetail(it store.Item) control.ItemDetail {
	d := ReadFileDetail(it)
	out := control.ItemDetail{InboxItem: InboxItem(it, store.Server{}), Decided: it.Decided, Details: []control.PartDetail{}, Findings: []inspect.Finding{}, Path: d.Path, Diff: d.Diff}
	for _, p := range it.Parts {
		part := PartDetail(p)
		part.Changes = []pin.Change{{Path: p.Item, Op: changeOp(p.State), Words: d.Words[p.Item]}}
		if it.Kind == vocab.ItemExtension {
			part.Changes = d.Changes
		}
		out.Details = append(out.Details, part)
	}
	return out
}

func changeOp(state vocab.PartState) pin.Op {
	switch state {
	case vocab.PartNew:
		return pin.Added
	case vocab.PartRemoved:
		return pin.Removed
	default:
		return pin.Changed
	}
}

// FileDetail is what an item over a client's file keeps beside its parts.
type FileDetail struct {
	Path   string            `json:"path"`
	Client string            `json:"client"`
	Diff   string            `json:"diff,omitempty"`
	Words  map[string]string `json:"words"`

	Changes []pin.Change `json:"changes,omitempty"` // of an extension, whose folder Path is
}

func ReadFileDetail(it store.Item) (d FileDetail) {
	_ = json.Unmarshal(it.Detail, &d)
	return d
}

// Does is what a tool can do, as declared now; nil for other items. It informs a person and decides nothing.
func Does(part control.PartDetail) *powers.Tool {
	if !strings.HasPrefix(part.Item, string(pin.Tool)+":") || part.Definition == nil {
		return nil
	}
	tool := powers.Of(part.Definition)
	return &tool
}

// CanDo summarises what the tools among these parts can do; nil if there are none.
func CanDo(parts []control.PartDetail) *powers.Summary {
	var tools []powers.Tool
	of := map[string]int{} // where a tool is, by its item: of two forms the one that changes things counts
	for _, p := range parts {
		if p.Does == nil {
			continue
		}
		at, again := of[p.Item]
		switch {
		case !again:
			of[p.Item], tools = len(tools), append(tools, *p.Does)
		case p.Does.Effect == powers.Changes:
			tools[at] = *p.Does
		}
	}
	if len(tools) == 0 {
		return nil
	}
	summary := powers.Sum(tools)
	return &summary
}

// FileItem reports whether a kind of item is about a client's file.
func FileItem(kind vocab.ItemKind) bool {
	return kind == vocab.ItemConfigChanged || kind == vocab.ItemUnguarded
}

// OfClient reports whether a kind of item is about a client and not about a server: about its file or one of its extensions.
func OfClient(kind vocab.ItemKind) bool { return FileItem(kind) || kind == vocab.ItemExtension }

// ExtensionPrefix begins the key of the part about a desktop extension.
const ExtensionPrefix = "extension:"

// EntryPrefix begins the key of a part about an entry of a client's file.
const EntryPrefix = "entry:"
