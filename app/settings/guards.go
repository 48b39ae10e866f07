package settings

import (
	"strings"

	"github.com/sallyport/sallyport/proxy/control"
	"github.com/sallyport/sallyport/proxy/policy"
	"github.com/sallyport/sallyport/store"
)

// Guards are the guardrail providers as the settings see them.
type Guards interface {
	// Chosen refuses a value that can't work. Neither it nor Try is called with the lock held.
	Chosen(key, value string) error
	// Try asks each provider that a change switches on or changes. done says whether the change was stored.
	Try(before, after policy.Values) (done func(stored bool), err error)
	// Reset takes up the settings in force. afresh asks every provider again, also one that is paused. The caller holds the lock.
	Reset(afresh bool)
}

const (
	guardrailKeys = "guardrail."
	keyProvider   = "guardrail.provider"
)

// concernsGuards reports whether a call sets something about guardrail providers.
func (k *Keeper) concernsGuards(q control.SettingQuery) bool {
	return k.hub.Guards != nil && strings.HasPrefix(q.Key, guardrailKeys)
}

// guardsIn are the values about guardrail providers, everywhere.
func guardsIn(doc policy.Document) string {
	var all strings.Builder
	for _, values := range doc.Everywhere() {
		for _, s := range policy.All() {
			if strings.HasPrefix(s.Key, guardrailKeys) {
				all.WriteString(values[s.Key] + "\n")
			}
		}
	}
	return all.String()
}

// guardsFollow has the providers take up a change of the values in force, if it concerns them.
func (k *Keeper) guardsFollow(before policy.Document) {
	if k.hub.Guards != nil && guardsIn(before) != guardsIn(k.settings.accepted) {
		k.hub.Guards.Reset(false)
	}
}

// InForce are the values in force for all servers, and those of each that has its own.
func (k *Keeper) InForce() []policy.Values { return k.settings.accepted.Everywhere() }

// change is what a call would set.
type change struct {
	setting             policy.Setting
	server              store.Server
	accepted, file      policy.Document
	tightened, loosened []policy.ChangeOfSetting
}

// valuesFor are the values of a change's server before and after it.
func (k *Keeper) valuesFor(c change) (before, after policy.Values) {
	if c.server.ID == "" {
		return k.settings.global(), c.accepted.Effective("", "")
	}
	return k.settings.forServer(c.server), settings{accepted: c.accepted}.forServer(c.server)
}
