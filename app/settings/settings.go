// Package settings knows which settings are in force and which rules of a person's own apply in addition to the catalogue. It owns and
// follows settings.json, and follows the rule file that inspect.rules names. A file that tightens applies at once; one that loosens waits
// in the inbox for a decision (DecideSettings); one that does not load changes nothing.
//
// The values in force are in the store, so that they survive a missing or broken file; approvals.cli is only there, and no file may set it.
// Callers must hold the office's lock, except for the calls of the protocol and the window, and for OpenSettings, OpenRules, WatchSettings
// and WatchRules, which take it, and for Rules, which needs none.
package settings

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"strings"
	"time"

	"github.com/sallyport/sallyport/app/mask"
	"github.com/sallyport/sallyport/app/office"
	"github.com/sallyport/sallyport/app/review"
	"github.com/sallyport/sallyport/proxy/control"
	"github.com/sallyport/sallyport/proxy/cut"
	"github.com/sallyport/sallyport/proxy/pin"
	"github.com/sallyport/sallyport/proxy/policy"
	"github.com/sallyport/sallyport/proxy/vocab"
	"github.com/sallyport/sallyport/store"
)

// Hub is what the settings need from the hub. All of it is called with the lock held.
type Hub struct {
	Restand   func() error // gives every server its settings again and tells the wrappers
	LookAgain func() error // applies new rules to what live wrappers declare
	PushAll   func()       // brings every wrapper up to date
	Guards    Guards       // the guardrail providers; nil where there are none
}

// Options say which files to use. All must be set.
type Options struct {
	Home      control.Home
	Settle    time.Duration // how long a watched file must be quiet before it is read
	HomeCheck time.Duration // how often the rule file is checked without an event
	Closing   chan struct{} // closed when the hub ends
}

// Keeper is the department. The office's lock guards its fields, unless noted.
type Keeper struct {
	office *office.Office
	hub    Hub
	opts   Options

	settings settings
	own      ownRules
}

func New(o *office.Office, hub Hub, opts Options) *Keeper {
	return &Keeper{office: o, hub: hub, opts: opts, own: ownRules{wake: make(chan struct{}, 1)}}
}

// settings are the values in force and those in the file. They differ if the file loosens something, and the difference waits in the inbox.
type settings struct {
	accepted policy.Document // in force, and in the store
	file     policy.Document
	raw      []byte // of the file, as last read
	read     bool
	broken   bool // the file is not valid JSON; it is left alone
}

// metaSettings is the key of the values in force.
const metaSettings = "settings"

const settingPrefix = "setting:"

func (s settings) global() policy.Values { return s.accepted.Effective("", "") }

// subject is a server, or one of its tools, as a settings file may name it: by id or by identity. The id weighs more, because the hub
// writes it.
func subject(server store.Server, tool string) policy.Subject {
	of := policy.Subject{IDs: []string{server.Identity, server.ID}, Name: server.Name, Tool: tool}
	if strings.Contains(server.Identity, mask.Mark) {
		of.IDs = of.IDs[1:] // an identity with a mask in it matches several servers
	}
	return of
}

// knownIn are all servers, for comparing documents that name one of them in several ways.
func knownIn(tx *store.Tx) []policy.Subject {
	var known []policy.Subject
	for _, server := range tx.Servers() {
		known = append(known, subject(server, ""))
	}
	return known
}

func (k *Keeper) known() (known []policy.Subject, err error) {
	err = k.office.Store.View(func(tx *store.Tx) error {
		known = knownIn(tx)
		return nil
	})
	return known, k.office.Failed(err)
}

// forServer are the values in force for a server.
func (s settings) forServer(server store.Server) policy.Values {
	return s.accepted.For(subject(server, ""))
}

// forTools are the values of a server's tools where they differ from its own, by pin key.
func (s settings) forTools(server store.Server) map[string]map[string]string {
	tools := s.accepted.Tools(subject(server, ""))
	if len(tools) == 0 {
		return nil
	}
	of := map[string]map[string]string{}
	general := s.forServer(server)
	for _, tool := range tools {
		own := s.accepted.For(subject(server, tool))
		maps.DeleteFunc(own, func(key, value string) bool { return general[key] == value })
		if len(own) > 0 {
			of[pin.Key(pin.Tool, tool)] = own
		}
	}
	return of
}

// Global are the values in force outside any server.
func (k *Keeper) Global() policy.Values { return k.settings.global() }

// AutoProtect reports whether new entries of a protected file are wrapped at once.
func (k *Keeper) AutoProtect() bool { return policy.ForHub(k.settings.global()).AutoProtect }

// Plaintext reports whether remote servers on other computers may be reached over http.
func (k *Keeper) Plaintext() bool { return policy.ForHub(k.settings.global()).Plaintext }

func (k *Keeper) ValuesFor(server store.Server) policy.Values { return k.settings.forServer(server) }

// ValuesForItem are the values in force for one item of a server, by its pin key: only tools have values of their own.
func (k *Keeper) ValuesForItem(server store.Server, item string) policy.Values {
	tool, _ := pin.ToolName(item)
	return k.settings.accepted.For(subject(server, tool))
}

// ToolsFor are the values of a server's tools where they differ from the server's own, by pin key.
func (k *Keeper) ToolsFor(server store.Server) map[string]map[string]string {
	return k.settings.forTools(server)
}

// Retention is how long a held response is kept.
func (k *Keeper) Retention() time.Duration { return policy.ForHub(k.settings.global()).Retention }

// OpenSettings reads the values in force and the file. A home without accepted settings has the defaults: a file from before its first hub
// counts as a hand edit.
func (k *Keeper) OpenSettings() error {
	k.office.Lock()
	defer k.office.Unlock()
	if k.office.Store != nil {
		err := k.office.Store.View(func(tx *store.Tx) error {
			raw, err := tx.Meta(metaSettings)
			if office.Absent(err) {
				return nil
			}
			if err != nil {
				return err
			}
			k.settings.accepted, _ = policy.ParseDocument(raw)
			return nil
		})
		if errors.Is(err, store.ErrCorrupt) {
			return k.office.OpenedDamaged(err)
		}
		if err != nil {
			return fmt.Errorf("open settings: %w", err)
		}
	}
	return k.ReadSettings()
}

// ReadSettings reads the file and follows it: tightening applies now, loosening waits. The caller holds the lock.
func (k *Keeper) ReadSettings() error {
	raw, err := readSettingsFile(k.opts.Home.Settings)
	if err != nil {
		k.settings.broken = true
		k.office.Problem(office.ProblemSettings, err.Error(), "make settings.json your own file with mode 0600; until then the last good values apply")
		return nil
	}
	if k.settings.read && !k.settings.broken && string(raw) == string(k.settings.raw) {
		return nil
	}
	k.settings.raw, k.settings.read = raw, true
	doc, errs := policy.ParseDocument(raw)
	if len(errs) > 0 && !isObject(raw) {
		k.settings.broken = true
		k.office.Problem(office.ProblemSettings, errs[0].Error(), "fix settings.json; until then the last good values apply")
		return nil
	}
	k.settings.broken = false
	k.office.Solved(office.ProblemSettings)
	for _, s := range policy.All() {
		if s.Window {
			without, err := doc.Set(s.Key, "", "", "")
			if err == nil && string(without.Marshal()) != string(doc.Marshal()) {
				doc = without
				errs = append(errs, fmt.Errorf("settings: %s can only be set in the window", s.Key))
			}
		}
	}
	if len(errs) > 0 {
		k.office.Problem(office.ProblemSettings, errs[0].Error(), "fix settings.json; until then only its stricter values apply")
	}
	k.settings.file = doc
	accepted := doc
	if k.office.Store == nil {
		k.settings.accepted = policy.Strictest(policy.Document{}, doc)
		return nil
	}
	known, err := k.known()
	if err != nil {
		return err
	}
	tightened, loosened := policy.Diff(k.settings.accepted, doc, known...)
	if len(loosened) > 0 {
		accepted = policy.Strictest(k.settings.accepted, doc, known...)
	}
	err = k.office.Update(func(tx *store.Tx) (bool, error) {
		wrote := string(accepted.Marshal()) != string(k.settings.accepted.Marshal())
		if wrote {
			if err := tx.SetMeta(metaSettings, accepted.Marshal()); err != nil {
				return false, err
			}
		}
		if err := k.noteSettings(tx, tightened, "in settings.json", ""); err != nil {
			return false, err
		}
		_, fresh, err := k.settle(tx, accepted, doc)
		return wrote || fresh || len(tightened) > 0, err
	})
	if err != nil {
		return k.office.Failed(err)
	}
	before := k.settings.accepted
	k.settings.accepted = accepted
	k.guardsFollow(before)
	k.lookAtRules()
	return k.hub.Restand()
}

func isObject(raw []byte) bool {
	var members map[string]json.RawMessage
	return len(raw) <= policy.MaxDocument && json.Unmarshal(raw, &members) == nil
}

// settingsContent is the inbox item about what a settings file loosens; nil if it loosens nothing.
func settingsContent(accepted, file policy.Document, known []policy.Subject) *review.Content {
	_, loosened := policy.Diff(accepted, file, known...)
	if len(loosened) == 0 {
		return nil
	}
	c := &review.Content{Kind: vocab.ItemSettingsChanged, Severity: vocab.SeverityReview}
	for _, change := range loosened {
		sum := sha256.Sum256([]byte(mask.PlainJSON([]string{change.Key, change.Server, change.Tool, change.From, change.To})))
		c.Parts = append(c.Parts, store.Part{
			Item: settingItem(change), State: vocab.PartChanged, Digest: hex.EncodeToString(sum[:]),
			Definition: []byte(mask.PlainJSON(change.To)), Approved: []byte(mask.PlainJSON(change.From)),
		})
	}
	if len(loosened) == 1 {
		c.Title = fmt.Sprintf("settings.json makes %s less safe: %s instead of %s", loosened[0].Key, loosened[0].To, loosened[0].From)
	} else {
		c.Title = fmt.Sprintf("settings.json makes %d settings less safe", len(loosened))
	}
	return c
}

// settingItem names a setting in an inbox item: "setting:KEY", with "@SERVER/TOOL" appended for a server and tool.
func settingItem(c policy.ChangeOfSetting) string {
	name := settingPrefix + c.Key
	if c.Server != "" {
		name += "@" + c.Server
	}
	if c.Tool != "" {
		name += "/" + c.Tool
	}
	return name
}

func Details(it store.Item) []control.PartDetail {
	details := []control.PartDetail{}
	for _, p := range it.Parts {
		from, to := settingText(p.Approved), settingText(p.Definition)
		part := review.PartDetail(p)
		part.Definition, part.Approved = p.Definition, p.Approved
		part.Changes = []pin.Change{{Path: strings.TrimPrefix(p.Item, settingPrefix), Op: pin.Changed, Words: fmt.Sprintf("changed: %s → %s", from, to), Before: from, After: to}}
		details = append(details, part)
	}
	return details
}

func settingText(raw []byte) string {
	var s string
	if json.Unmarshal(raw, &s) != nil {
		return ""
	}
	return s
}

// settle puts what the file loosens into the inbox.
func (k *Keeper) settle(tx *store.Tx, accepted, file policy.Document) (*store.Item, bool, error) {
	return k.office.Settle(tx, settingsContent(accepted, file, knownIn(tx)), vocab.ItemSettingsChanged, "", k.office.Now())
}

// settled is the result of a decision about the file.
type settled struct {
	accepted, file policy.Document
	changes        []policy.ChangeOfSetting // the decided changes
	rules          *loadedRules             // rules that came with them
}

// DecideSettings decides on what a settings file loosens: approved, it applies; rejected, the old value is written back to the file.
func (k *Keeper) DecideSettings(tx *store.Tx, it store.Item, d control.Decide, out *control.Decided) (wrote bool, apply func(), err error) {
	if it.Decided != "" {
		return false, nil, office.Stale(tx, it)
	}
	if k.settings.broken {
		return false, nil, errBroken
	}
	now, err := k.chosen(tx, it, d, out)
	if err != nil {
		return false, nil, err
	}
	if len(now.changes) == 0 {
		out.Next = it.Code
		return false, nil, nil
	}
	raw := k.settings.raw
	if d.Reject {
		if raw, err = k.writeSettings(now.file); err != nil {
			return false, nil, err
		}
	}
	kind, keys, words := vocab.RecordApproval, out.Approved, "allowed"
	it.Decided, it.DecidedAt = vocab.DecidedApproved, k.office.Now()
	if d.Reject {
		it.Decided, kind, keys, words = vocab.DecidedRejected, vocab.RecordRejection, out.Rejected, "rejected"
	}
	if err := errors.Join(tx.PutItem(it), tx.SetMeta(metaSettings, now.accepted.Marshal())); err != nil {
		return false, nil, err
	}
	next, _, err := k.settle(tx, now.accepted, now.file)
	if err != nil {
		return false, nil, err
	}
	if next != nil {
		out.Next, it.Next = next.Code, next.Code
		if err := tx.PutItem(it); err != nil {
			return false, nil, err
		}
	}
	if err := k.office.NoteDecision(tx, store.Server{}, kind, it.Code, keys, words, map[string]any{"check": "settings", "changes": now.changes, "next": out.Next}); err != nil {
		return false, nil, err
	}
	if !d.Reject {
		if err := k.noteSettings(tx, now.changes, "allowed by a person", it.Code); err != nil {
			return false, nil, err
		}
	}
	return true, func() {
		before := k.settings.accepted
		k.settings.accepted, k.settings.file, k.settings.raw = now.accepted, now.file, raw
		k.guardsFollow(before)
		k.useRules(now.rules)
		if err := k.hub.Restand(); err != nil {
			k.office.Failed(err)
		}
	}, nil
}

// chosen applies a decision to the documents, and describes it in out.
func (k *Keeper) chosen(tx *store.Tx, it store.Item, d control.Decide, out *control.Decided) (now settled, err error) {
	chosen, err := office.Selection(it, d)
	if err != nil {
		return now, err
	}
	now.accepted, now.file = k.settings.accepted, k.settings.file
	_, loosened := policy.Diff(now.accepted, now.file, knownIn(tx)...)
	for _, c := range loosened {
		name := settingItem(c)
		switch {
		case !chosen[name]:
			out.Left = append(out.Left, name)
			continue
		case d.Reject:
			now.file, err = now.file.Set(c.Key, c.From, c.Server, c.Tool)
			out.Rejected = append(out.Rejected, name)
		default:
			if c.Key == KeyRules {
				if now.rules, err = rulesToSet(c.To); err != nil {
					return now, err
				}
			}
			now.accepted, err = now.accepted.Set(c.Key, c.To, c.Server, c.Tool)
			out.Approved = append(out.Approved, name)
		}
		if err != nil {
			return now, office.Answer(control.CodeBadRequest, "%v", err)
		}
		now.changes = append(now.changes, c)
	}
	if !d.Reject && len(out.Left) == 0 {
		now.accepted = now.file
	}
	return now, nil
}

// noteSettings records changes in the timeline, if there are any.
func (k *Keeper) noteSettings(tx *store.Tx, changes []policy.ChangeOfSetting, how, code string) error {
	if len(changes) == 0 {
		return nil
	}
	var words []string
	for _, c := range changes {
		words = append(words, fmt.Sprintf("%s: %s → %s", c.Key, c.From, c.To))
	}
	_, err := tx.Append(k.office.Record(vocab.RecordConfigChange, vocab.StatusOK, store.Record{
		Code: code, Summary: cut.Bytes(strings.Join(words, ", "), 1000) + " (" + how + ")",
		Detail: office.Detail(map[string]any{"check": "settings", "changes": changes}),
	}))
	return err
}
