package app

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/sallyport/sallyport/app/mask"
	"github.com/sallyport/sallyport/app/office"
	"github.com/sallyport/sallyport/app/review"
	"github.com/sallyport/sallyport/proxy/control"
	"github.com/sallyport/sallyport/proxy/cut"
	"github.com/sallyport/sallyport/proxy/inspect"
	"github.com/sallyport/sallyport/proxy/pin"
	"github.com/sallyport/sallyport/proxy/policy"
	"github.com/sallyport/sallyport/proxy/vocab"
	"github.com/sallyport/sallyport/store"
)

// settings are what is in force and what the file says. Where the file loosens something the two differ, and the difference
// waits in the inbox.
type settings struct {
	accepted policy.Document // in force, and in the store
	file     policy.Document
	raw      []byte // of the file, as it was read last
	read     bool
	broken   bool // the file cannot be read as JSON; it is left alone
}

// metaSettings is where the store keeps what is in force.
const metaSettings = "settings"

const settingPrefix = "setting:"

func (s settings) global() policy.Values { return s.accepted.Effective("", "") }

// forServer are the settings in force for a server. A settings file may name it by its id or by its identity; the id is
// nearer, since the hub writes it.
func (s settings) forServer(server store.Server) policy.Values {
	values := s.accepted.Effective(server.ID, server.Name)
	if server.Identity == "" || strings.Contains(server.Identity, mask.Mark) {
		return values // an identity with a mask in it names several servers
	}
	byIdentity := s.accepted.Effective(server.Identity, server.Name)
	for key, value := range byIdentity {
		if s.accepted.From(key, server.Identity, "", "") == "server" && s.accepted.From(key, server.ID, "", "") != "server" {
			values[key] = value
		}
	}
	return values
}

// globalValues are the settings in force for no server in particular.
func (h *Hub) globalValues() policy.Values { return h.settings.global() }

// autoProtect says how entries that appear in a protected file are taken.
func (h *Hub) autoProtect() bool { return policy.ForHub(h.settings.global()).AutoProtect }

// valuesFor are the settings in force for a server.
func (h *Hub) valuesFor(server store.Server) policy.Values { return h.settings.forServer(server) }

// retention is how long a held response waits at most.
func (h *Hub) retention() time.Duration { return policy.ForHub(h.settings.global()).Retention }

// openSettings reads what was in force and what the file says now. A home without accepted settings has the defaults: a file
// that was there before its first hub is a hand edit like any other.
func (h *Hub) openSettings() error {
	h.office.Lock()
	defer h.office.Unlock()
	if h.office.Store != nil {
		err := h.office.Store.View(func(tx *store.Tx) error {
			raw, err := tx.Meta(metaSettings)
			if office.Absent(err) {
				return nil
			}
			if err != nil {
				return err
			}
			h.settings.accepted, _ = policy.ParseDocument(raw)
			return nil
		})
		if errors.Is(err, store.ErrCorrupt) {
			return h.office.OpenedDamaged(err)
		}
		if err != nil {
			return fmt.Errorf("open settings: %w", err)
		}
	}
	return h.readSettings()
}

// readSettings reads the file and follows it: what it tightens applies now, what it loosens waits. The caller holds the lock.
func (h *Hub) readSettings() error {
	raw, err := readSettingsFile(h.opts.Home.Settings)
	if err != nil {
		h.settings.broken = true
		h.office.Problem(office.ProblemSettings, err.Error(), "make settings.json your own file with mode 0600; until then the last good values apply")
		return nil
	}
	if h.settings.read && !h.settings.broken && string(raw) == string(h.settings.raw) {
		return nil
	}
	h.settings.raw, h.settings.read = raw, true
	doc, errs := policy.ParseDocument(raw)
	if len(errs) > 0 && !isObject(raw) {
		h.settings.broken = true
		h.office.Problem(office.ProblemSettings, errs[0].Error(), "fix settings.json; until then the last good values apply")
		return nil
	}
	h.settings.broken = false
	h.office.Solved(office.ProblemSettings)
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
		h.office.Problem(office.ProblemSettings, errs[0].Error(), "fix settings.json; until then only its stricter values apply")
	}
	h.settings.file = doc
	accepted := doc
	tightened, loosened := policy.Diff(h.settings.accepted, doc)
	if len(loosened) > 0 {
		accepted = policy.Strictest(h.settings.accepted, doc)
	}
	if h.office.Store == nil {
		h.settings.accepted = policy.Strictest(policy.Document{}, doc)
		return nil
	}
	err = h.office.Update(func(tx *store.Tx) (bool, error) {
		wrote := string(accepted.Marshal()) != string(h.settings.accepted.Marshal())
		if wrote {
			if err := tx.SetMeta(metaSettings, accepted.Marshal()); err != nil {
				return false, err
			}
		}
		if len(tightened) > 0 {
			if err := h.noteSettings(tx, tightened, "in settings.json", ""); err != nil {
				return false, err
			}
		}
		_, fresh, err := h.office.Settle(tx, settingsContent(accepted, doc), vocab.ItemSettingsChanged, "", h.office.Now())
		return wrote || fresh || len(tightened) > 0, err
	})
	if err != nil {
		return h.office.Failed(err)
	}
	h.settings.accepted = accepted
	h.own.look()
	return h.restand()
}

func isObject(raw []byte) bool {
	var members map[string]json.RawMessage
	return len(raw) <= policy.MaxDocument && json.Unmarshal(raw, &members) == nil
}

// settingsContent is what a settings file loosens, as an inbox item; nil if it loosens nothing.
func settingsContent(accepted, file policy.Document) *review.Content {
	_, loosened := policy.Diff(accepted, file)
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

// settingItem names a setting as an inbox item lists it: "setting:KEY", for a server and tool with "@SERVER/TOOL" behind.
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

func settingDetails(it store.Item) []control.PartDetail {
	details := []control.PartDetail{}
	for _, p := range it.Parts {
		from, to := settingText(p.Approved), settingText(p.Definition)
		details = append(details, control.PartDetail{
			Item: p.Item, State: p.State, Digest: pin.Digest(p.Digest), Findings: []inspect.Finding{},
			Definition: p.Definition, Approved: p.Approved,
			Changes: []pin.Change{{Path: strings.TrimPrefix(p.Item, settingPrefix), Op: vocab.PartChanged, Words: fmt.Sprintf("changed: %s → %s", from, to), Before: from, After: to}},
		})
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

// decideSettings decides on what a settings file loosens: approved it applies, rejected the old value goes back into the file.
func (h *Hub) decideSettings(tx *store.Tx, it store.Item, d control.Decide, out *control.Decided) (wrote bool, apply func(), err error) {
	if it.Decided != "" {
		return false, nil, office.Stale(tx, it)
	}
	if h.settings.broken {
		return false, nil, office.Answer(control.CodeUnavailable, "settings.json can't be read; fix it first")
	}
	chosen, err := office.Selection(it, d)
	if err != nil {
		return false, nil, err
	}
	accepted, file := h.settings.accepted, h.settings.file
	_, loosened := policy.Diff(accepted, file)
	var decided []policy.ChangeOfSetting
	var rules *loadedRules
	for _, c := range loosened {
		name := settingItem(c)
		switch {
		case !chosen[name]:
			out.Left = append(out.Left, name)
			continue
		case d.Reject:
			file, err = file.Set(c.Key, c.From, c.Server, c.Tool)
			out.Rejected = append(out.Rejected, name)
		default:
			if c.Key == keyRules {
				if rules, err = rulesToSet(c.To); err != nil {
					return false, nil, err
				}
			}
			accepted, err = accepted.Set(c.Key, c.To, c.Server, c.Tool)
			out.Approved = append(out.Approved, name)
		}
		if err != nil {
			return false, nil, office.Answer(control.CodeBadRequest, "%v", err)
		}
		decided = append(decided, c)
	}
	if len(decided) == 0 {
		out.Next = it.Code
		return false, nil, nil
	}
	if !d.Reject && len(out.Left) == 0 {
		accepted = file
	}
	raw := h.settings.raw
	if d.Reject {
		if raw, err = h.writeSettings(file); err != nil {
			return false, nil, err
		}
	}
	now := h.office.Now()
	it.Decided, it.DecidedAt = vocab.DecidedApproved, now
	kind, words := vocab.RecordApproval, "allowed"
	if d.Reject {
		it.Decided, kind, words = vocab.DecidedRejected, vocab.RecordRejection, "rejected"
	}
	if err := errors.Join(tx.PutItem(it), tx.SetMeta(metaSettings, accepted.Marshal())); err != nil {
		return false, nil, err
	}
	next, _, err := h.office.Settle(tx, settingsContent(accepted, file), vocab.ItemSettingsChanged, "", now)
	if err != nil {
		return false, nil, err
	}
	if next != nil {
		out.Next, it.Next = next.Code, next.Code
		if err := tx.PutItem(it); err != nil {
			return false, nil, err
		}
	}
	keys := append(append([]string(nil), out.Approved...), out.Rejected...)
	if err := h.office.NoteDecision(tx, store.Server{}, kind, it.Code, keys, words, map[string]any{"check": "settings", "changes": decided, "next": out.Next}); err != nil {
		return false, nil, err
	}
	if !d.Reject {
		if err := h.noteSettings(tx, decided, "allowed by a person", it.Code); err != nil {
			return false, nil, err
		}
	}
	return true, func() {
		h.settings.accepted, h.settings.file, h.settings.raw = accepted, file, raw
		h.useRules(rules)
		if err := h.restand(); err != nil {
			h.office.Failed(err)
		}
	}, nil
}

func (h *Hub) noteSettings(tx *store.Tx, changes []policy.ChangeOfSetting, how, code string) error {
	var words []string
	for _, c := range changes {
		words = append(words, fmt.Sprintf("%s: %s → %s", c.Key, c.From, c.To))
	}
	_, err := tx.Append(h.office.Record(vocab.RecordConfigChange, vocab.StatusOK, store.Record{
		Code: code, Summary: cut.Bytes(strings.Join(words, ", "), 1000) + " (" + how + ")",
		Detail: office.Detail(map[string]any{"check": "settings", "changes": changes}),
	}))
	return err
}
