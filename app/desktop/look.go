package desktop

import (
	"maps"
	"slices"
	"strings"

	"github.com/sallyport/sallyport/app"
	"github.com/sallyport/sallyport/app/display"
	"github.com/sallyport/sallyport/proxy/control"
	"github.com/sallyport/sallyport/proxy/policy"
	"github.com/sallyport/sallyport/proxy/vocab"
)

// Servers are all servers ever seen, and those of guarded entries that have not run yet.
func (p *Page) Servers() ([]Server, error) {
	return toldEach(p.hubLink, (*app.Hub).ServerRows, server)
}

func server(r display.ServerRow) Server {
	s := r.Server
	out := Server{
		Server: s.Server, Shown: s.Shown, Identity: s.Identity, Remote: r.Remote(), Light: r.Light, Held: r.Held, Entries: []Entry{}, State: s.State, Wrappers: s.Wrappers,
		Allowed: s.Allowed, Blocked: s.Blocked, Code: s.Code, Findings: some(s.Findings), Passages: passages(s.Passages), LastSeen: stamp(s.LastSeen), Sandbox: s.Sandbox,
		RunsIn: some(s.RunsIn), Parts: len(s.Items), Problem: s.Problem,
	}
	if s.State == vocab.ServerNotStarted {
		out.Identity = "" // it has no page yet
	}
	for _, e := range r.Entries {
		out.Entries = append(out.Entries, Entry{Client: e.ClientName, Path: e.Path, Name: e.Name, Started: e.Started})
	}
	return out
}

// Server is one whole server.
func (p *Page) Server(identity string) (ServerDetail, error) {
	h, err := p.engine()
	if err != nil {
		return ServerDetail{}, err
	}
	s, err := h.ServerWhole(identity)
	if err != nil {
		return ServerDetail{}, err
	}
	row, err := h.RowOf(s.Server)
	if err != nil {
		return ServerDetail{}, err
	}
	out := ServerDetail{
		Server: server(row), Command: some(s.Command), URL: s.URL, Info: pretty(s.Info), Items: []ServerItem{}, Waiting: each(s.Waiting, item),
	}
	out.Parts = len(s.Items)
	for _, it := range s.Items {
		kind, name, _ := strings.Cut(it.Item, ":")
		out.Items = append(out.Items, ServerItem{
			Item: it.Item, Kind: kind, Name: name, State: it.State, Digest: string(it.Digest), ApprovedBy: it.Approved, ApprovedAt: stamp(it.ApprovedAt),
			Code: it.Code, Definition: pretty(it.Definition), Findings: some(it.Findings), Passages: passages(it.Passages), Era: it.Era,
			Tokens: tokensOf(it.Item, it.Definition), ReadOnly: readOnly(it.Item, it.Definition),
		})
	}
	return out, nil
}

// Logs are the last lines that a server printed to its stderr.
func (p *Page) Logs(server string, lines int) (string, error) {
	return told(p.hubLink, func(h *app.Hub) (control.Log, error) {
		return h.Log(control.LogQuery{Server: server, Lines: min(max(lines, 1), 2000)})
	}, func(log control.Log) string { return log.Text })
}

// Activity is part of the timeline, newest first.
func (p *Page) Activity(q control.ActivityQuery) (Activity, error) {
	h, err := p.engine()
	if err != nil {
		return Activity{}, err
	}
	q.Limit = min(max(q.Limit, 1), 1000)
	found, err := h.Activity(q)
	out := Activity{Items: []Record{}}
	for _, r := range slices.Backward(found.Items) {
		row := record(r, found.ShownOf(r))
		row.Detail = nil
		out.Items = append(out.Items, row)
	}
	return out, err
}

// Record is one whole record.
func (p *Page) Record(id string) (Record, error) {
	return told(p.hubLink, func(h *app.Hub) (control.Record, error) { return h.Record(id) }, func(r control.Record) Record { return record(r, r.Server) })
}

// Settings lists the settings, or those that can be set for the server named.
func (p *Page) Settings(server string) ([]Setting, error) {
	h, err := p.engine()
	if err != nil {
		return nil, err
	}
	rows, err := h.Settings(control.SettingQuery{Server: server})
	out := []Setting{}
	for _, row := range rows {
		if s := setting(row); server == "" || s.Scope != "global" {
			out = append(out, s)
		}
	}
	return out, err
}

// ToolSettings lists what tools of a server have of their own.
func (p *Page) ToolSettings(server string) ([]ToolSetting, error) {
	return told(p.hubLink, func(h *app.Hub) (map[string][]control.Setting, error) { return h.ToolSettings(server) }, func(of map[string][]control.Setting) []ToolSetting {
		out := []ToolSetting{}
		for _, tool := range slices.Sorted(maps.Keys(of)) {
			for _, row := range of[tool] {
				out = append(out, ToolSetting{Setting: setting(row), Tool: tool})
			}
		}
		return out
	})
}

// neither is the safer side of a setting that has none. What it names, such as a program, can still be a person's to decide.
const neither = "neither"

func setting(row control.Setting) Setting {
	out := Setting{Setting: row, Choices: []string{}}
	s, ok := policy.Lookup(row.Key)
	if !ok {
		return out
	}
	out.Values, out.Safer, out.Scope, out.Window = s.Values, s.Safer, s.Scope.String(), s.Window
	out.LessSafe = s.Safer != neither && row.Value != s.Default && s.Loosens(s.Default, row.Value)
	words := strings.FieldsFunc(s.Values, func(r rune) bool { return r == ',' || r == ' ' })
	words = slices.DeleteFunc(words, func(word string) bool { return word == "or" })
	for _, word := range words {
		if value, err := s.Parse(word); err != nil || value != word {
			return out // a description, not a list of values
		}
	}
	out.Choices = some(words)
	return out
}

// SetSetting sets one value. If that loosens, it needs the nonce of ConfirmLoosening.
func (p *Page) SetSetting(s SetSetting) (Setting, error) {
	h, err := p.engine()
	if err != nil {
		return Setting{}, err
	}
	q := control.SettingQuery{Key: s.Key, Value: s.Value, Server: s.Server, Tool: s.Tool}
	loosens, from, to, err := h.LoosensSetting(q)
	if err != nil {
		return Setting{}, err
	}
	if loosens {
		if s.Nonce == "" {
			return Setting{}, &control.Error{Code: control.CodeLoosens, Message: s.Key + ": " + to + " instead of " + from + " makes things less safe"}
		}
		if err := p.nonces.spend(s.Nonce, settingSubject(q), from, "", false); err != nil {
			return Setting{}, err
		}
		q.Decided = true
	}
	row, err := h.SetSetting(here, q)
	if err != nil {
		return Setting{}, err
	}
	return setting(row), nil
}

// ConfirmLoosening says what stops being checked, with a nonce for setting it.
func (p *Page) ConfirmLoosening(key, value, server, tool string) (Confirm, error) {
	h, err := p.engine()
	if err != nil {
		return Confirm{}, err
	}
	q := control.SettingQuery{Key: key, Value: value, Server: server, Tool: tool}
	loosens, from, to, err := h.LoosensSetting(q)
	if err != nil {
		return Confirm{}, err
	}
	out := Confirm{ArmAfterMs: armAfterMs, Nonce: p.nonces.mint(settingSubject(q), from, "")}
	where := "all servers"
	switch {
	case tool != "":
		where = "this tool"
	case server != "":
		where = "this server"
	}
	out.Words = key + " becomes " + to + " instead of " + from + " for " + where + "."
	if s, ok := policy.Lookup(key); ok && loosens {
		if s.Safer != neither {
			out.Words += " That is less safe."
		}
		out.Words += " " + s.Doc
	}
	return out, nil
}

// Event is one decision about a part of a server, or something that happened to it.
type Event struct {
	Item   string       `json:"item"` // pin key
	Kind   string       `json:"kind"`
	Name   string       `json:"name"` // server text
	At     string       `json:"at"`
	Action vocab.Action `json:"action"`
	By     vocab.By     `json:"by"`
	Digest string       `json:"digest"`
	Before string       `json:"before"` // the digest before
	Code   string       `json:"code"`   // of the item that was decided
}

// History lists the events of a server's parts, newest first.
func (p *Page) History(identity string) ([]Event, error) {
	h, err := p.engine()
	if err != nil {
		return nil, err
	}
	all, err := h.History(identity)
	out := make([]Event, 0, len(all))
	for _, e := range all {
		kind, name, _ := strings.Cut(e.Item, ":")
		out = append(out, Event{
			Item: e.Item, Kind: kind, Name: name, At: stamp(e.At), Action: e.Action, By: e.By, Digest: e.Digest, Before: e.Before, Code: e.Code,
		})
	}
	return out, err
}
