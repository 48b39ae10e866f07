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

// ownRules are the rules that inspect.rules adds to the catalogue, as last sent by the hub.
type ownRules struct {
	mu   sync.Mutex
	raw  []byte                           // as sent, loadable or not
	file atomic.Pointer[inspect.RuleFile] // in force
}

// useRules applies what the hub sent, parsed once per change. The hub sends only what it can load; if this version of the program can't,
// the earlier rules stay in force.
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
