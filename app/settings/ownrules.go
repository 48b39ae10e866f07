package settings

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync/atomic"

	"github.com/fsnotify/fsnotify"
	"github.com/sallyport/sallyport/app/follow"
	"github.com/sallyport/sallyport/app/office"
	"github.com/sallyport/sallyport/app/review"
	"github.com/sallyport/sallyport/proxy/cut"
	"github.com/sallyport/sallyport/proxy/inspect"
	"github.com/sallyport/sallyport/proxy/inspect/legible"
	"github.com/sallyport/sallyport/proxy/policy"
	"github.com/sallyport/sallyport/proxy/vocab"
	"github.com/sallyport/sallyport/store"
)

// ownRules are the rules that inspect.rules adds to the catalogue: the last that loaded. They stay when the file disappears or no longer
// loads, even over a restart, until the setting is turned off.
type ownRules struct {
	path     string                           // file they came from; "" for none
	raw      []byte                           // its content, never modified; sent to wrappers
	file     atomic.Pointer[inspect.RuleFile] // read without the lock
	followed string                           // the file that WatchRules follows
	wake     chan struct{}                    // the setting names another one
}

// metaRules is their key in the store.
const metaRules = "rules"

// keptRules is their form in the store.
type keptRules struct {
	Path string `json:"path"`
	Raw  []byte `json:"raw"`
}

// Rules are those in force in addition to the catalogue; no lock needed.
func (k *Keeper) Rules() *inspect.RuleFile { return k.own.file.Load() }

// RulesSent is their text for wrappers. The caller holds the lock.
func (k *Keeper) RulesSent() []byte { return k.own.raw }

// lookAtRules requests a look at the rule file soon, if the setting names another one than is followed. The caller holds the lock.
func (k *Keeper) lookAtRules() {
	if k.rulesPath() != k.own.followed {
		select {
		case k.own.wake <- struct{}{}:
		default:
		}
	}
}

// rulesPath is the value of inspect.rules, "" for off. The caller holds the lock.
func (k *Keeper) rulesPath() string { return policy.ForHub(k.settings.global()).Rules }

// OpenRules applies the rules of the last hub, and then what the file says now.
func (k *Keeper) OpenRules() error {
	k.office.Lock()
	defer k.office.Unlock()
	path := k.rulesPath()
	if k.office.Works() {
		var kept keptRules
		err := k.office.Store.View(func(tx *store.Tx) error { return tx.MetaJSON(metaRules, &kept) })
		switch {
		case office.Absent(err):
		case errors.Is(err, store.ErrCorrupt):
			return k.office.OpenedDamaged(err)
		case err != nil:
			return fmt.Errorf("open rules: %w", err)
		case path != "":
			file, err := inspect.LoadRules(kept.Raw)
			if err != nil { // a newer catalogue may use a rule's name
				k.rulesFail(kept.Path, errors.New(office.OneLine(legible.Escape(err.Error()))))
				break
			}
			k.own.path, k.own.raw = kept.Path, kept.Raw
			k.own.file.Store(file)
		default:
			k.own.path = kept.Path // turned off since: forget them
		}
	}
	if path == "" {
		k.useRules(nil)
		return nil
	}
	raw, file, err := ReadRules(path)
	if err != nil {
		k.rulesFail(path, err)
		return nil
	}
	k.useRules(&loadedRules{path, raw, file})
	return nil
}

// rulesFail reports that a file does not load, and what applies instead. The caller holds the lock.
func (k *Keeper) rulesFail(path string, err error) {
	holds := "no rules of your own apply"
	if n := k.own.file.Load().Count(); n > 0 {
		holds = "its earlier version still applies: " + review.Count(n, "rule")
		if k.own.path != path {
			holds = "the rules of " + legible.Escape(k.own.path) + " still apply"
		}
	}
	k.office.Problem(office.ProblemRules, fmt.Sprintf("the rule file %s does not load: %v; %s", legible.Escape(path), err, holds), "fix the file; it applies as soon as it loads")
}

// useRules applies a file's rules and tells the wrappers; nil removes them if the setting is off, and otherwise does nothing. The caller
// holds the lock.
func (k *Keeper) useRules(rules *loadedRules) {
	defer k.lookAtRules()
	if rules == nil {
		if k.rulesPath() != "" {
			return
		}
		rules = &loadedRules{}
	}
	if rules.path == k.own.path && bytes.Equal(rules.raw, k.own.raw) {
		k.office.Solved(office.ProblemRules)
		return
	}
	if k.office.Store != nil {
		summary := "rules of your own removed"
		if rules.file != nil {
			summary = fmt.Sprintf("%s of your own, from %s", review.Count(rules.file.Count(), "rule"), legible.Escape(rules.path))
		}
		err := k.office.Update(func(tx *store.Tx) (wrote bool, err error) {
			if rules.file == nil {
				err = tx.DeleteMeta(metaRules)
			} else {
				err = tx.SetMetaJSON(metaRules, keptRules{rules.path, rules.raw})
			}
			if err != nil {
				return false, err
			}
			_, err = tx.Append(k.office.Record(vocab.RecordConfigChange, vocab.StatusOK, store.Record{
				Summary: cut.Bytes(summary, 1000) + "; rule set " + rules.file.RuleSet(),
				Detail:  office.Detail(map[string]any{"check": "rules", "rule_set": rules.file.RuleSet(), "before": k.own.file.Load().RuleSet(), "rules": rules.file.Count()}),
			}))
			return true, err
		})
		if err != nil { // rules that can't be stored don't count; try again
			k.office.Failed(err)
			return
		}
	}
	k.own.path, k.own.raw = rules.path, rules.raw
	k.own.file.Store(rules.file)
	k.office.Solved(office.ProblemRules)
	k.office.Changed()
	if k.office.Store == nil {
		return
	}
	if err := k.hub.LookAgain(); err != nil {
		k.office.Failed(err)
	}
	k.hub.PushAll()
}

// WatchRules follows the rule file: it watches the folder, because editors replace files, and checks now and then, because the file may be
// a link, and its folder may be created after the setting.
func (k *Keeper) WatchRules() {
	watcher, err := fsnotify.NewWatcher()
	if err == nil {
		defer watcher.Close()
	} else {
		watcher = nil
	}
	var path, folder string
	var seen os.FileInfo
	follow.Files{
		Settle: k.opts.Settle, Every: k.opts.HomeCheck, Wake: k.own.wake, Closing: k.opts.Closing,
		Matters: func(file string) bool { return filepath.Base(file) == filepath.Base(path) },
		Changed: func() bool {
			now, _ := os.Stat(path)
			return path != "" && !follow.Same(seen, now)
		},
		Look: func() {
			if path = k.rulesNamed(); path == "" {
				return
			}
			if now := filepath.Dir(path); watcher != nil && now != folder {
				if folder != "" {
					_ = watcher.Remove(folder)
				}
				if folder = ""; watcher.Add(now) == nil {
					folder = now
				}
			}
			seen, _ = os.Stat(path)
			if !k.readRules(path) {
				seen = nil
			}
		},
	}.Run(watcher)
}

// rulesNamed is the file to follow from now on.
func (k *Keeper) rulesNamed() string {
	k.office.Lock()
	defer k.office.Unlock()
	k.own.followed = k.rulesPath()
	return k.own.followed
}

// readRules applies what the file says now. It reports whether it is done.
func (k *Keeper) readRules(path string) bool {
	raw, file, err := ReadRules(path)
	k.office.Lock()
	defer k.office.Unlock()
	if k.office.Leaving() || k.rulesPath() != path {
		return true
	}
	if err != nil {
		k.rulesFail(path, err)
		return true
	}
	k.useRules(&loadedRules{path, raw, file})
	return k.own.path == path && bytes.Equal(k.own.raw, raw)
}
