package proxy

import (
	"bytes"
	"sync"
	"sync/atomic"

	"github.com/sallyport/sallyport/proxy/control"
	"github.com/sallyport/sallyport/proxy/inspect"
	"github.com/sallyport/sallyport/proxy/inspect/legible"
	"github.com/sallyport/sallyport/proxy/vocab"
)

// ownRules are the rules that inspect.rules adds to the catalogue, as the hub sent them last.
type ownRules struct {
	mu   sync.Mutex
	raw  []byte                           // as sent, whether it loaded or not
	file atomic.Pointer[inspect.RuleFile] // in force
}

// useRules puts in force what the hub sent. It is read once for each change. The hub sends only what loads there; where it does
// not load here, in another version of this program, what was in force stays.
func (s *exchange) useRules(raw []byte) {
	s.rules.mu.Lock()
	defer s.rules.mu.Unlock()
	if bytes.Equal(raw, s.rules.raw) {
		return
	}
	s.rules.raw = raw
	var file *inspect.RuleFile
	if len(raw) > 0 {
		var err error
		if file, err = inspect.LoadRules(raw); err != nil {
			s.journal.record(vocab.RecordProblem, vocab.StatusWarned, control.Record{
				Summary: "can't load the hub's rule file here; the earlier rules still apply: " + legible.Escape(err.Error()), Detail: facts{"check": "rules"}.detail(),
			})
			return
		}
	}
	s.rules.file.Store(file)
	s.watch.Use(file)
}
