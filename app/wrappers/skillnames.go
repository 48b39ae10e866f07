package wrappers

import (
	"slices"
	"strings"

	"github.com/sallyport/sallyport/app/ledger"
	"github.com/sallyport/sallyport/proxy/inspect"
	"github.com/sallyport/sallyport/proxy/pin"
	"github.com/sallyport/sallyport/proxy/vocab"
	"github.com/sallyport/sallyport/store"
)

// skillName is the name of a skill by its pin key and its entry, as names are compared; "" for other items.
func skillName(key string, raw []byte) string {
	if !strings.HasPrefix(key, string(pin.Skill)+":") {
		return ""
	}
	entry, err := pin.ReadSkill(raw)
	if err != nil {
		return ""
	}
	return strings.ToLower(entry.Name)
}

// skillNames are the names of the skills that the wrapper's server declares, sorted.
func (s *liveWrapper) skillNames() (names []string) {
	for key, d := range s.Declared {
		if name := skillName(key, d.Raw); name != "" {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}

// allowedSkillNames are the names of a server's allowed skills.
func allowedSkillNames(l *ledger.Ledger) (names []string) {
	for key, pins := range l.Pins {
		i := slices.IndexFunc(pins, func(p store.Pin) bool { return p.State == vocab.PartApproved })
		if i < 0 {
			continue
		}
		if name := skillName(key, pins[i].Raw); name != "" {
			names = append(names, name)
		}
	}
	return names
}

// sameSkillNames marks the skills of a wrapper's server whose name a skill of another server of its client has, and reports whether that is
// new: a client may take one for the other.
func sameSkillNames(s *liveWrapper, theirs []string) (found bool) {
	for key, d := range s.Declared {
		if name := skillName(key, d.Raw); name != "" && slices.Contains(theirs, name) {
			if with := d.With([]inspect.Finding{pin.OthersSkillName()}); with != d {
				s.Declared[key], found = with, true
			}
		}
	}
	return found
}
