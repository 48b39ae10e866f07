package quarantine

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"sort"
	"strings"
	"time"

	"github.com/sallyport/sallyport/app/office"
	"github.com/sallyport/sallyport/app/review"
	"github.com/sallyport/sallyport/proxy/control"
	"github.com/sallyport/sallyport/proxy/cut"
	"github.com/sallyport/sallyport/proxy/inspect"
	"github.com/sallyport/sallyport/proxy/inspect/legible"
	"github.com/sallyport/sallyport/proxy/inspect/rules"
	"github.com/sallyport/sallyport/proxy/inspect/secrets"
	"github.com/sallyport/sallyport/proxy/vocab"
	"github.com/sallyport/sallyport/store"
)

// maxExcept is the longest exception: a false alarm should be reported and fixed, not lived with.
const maxExcept = 7 * 24 * time.Hour

// exceptable are the rules for which an exception is possible; none if one of them is Critical, in this response or by nature, or an
// imitation of Sallyport: those never pass unseen.
func exceptable(one store.Held) []string {
	levels := levelsOf(one)
	if one.Why != vocab.HeldThreat {
		return nil
	}
	for rule, level := range levels {
		if level == inspect.Critical || rules.Named(rule).Level == inspect.Critical || rule == inspect.Impersonation {
			return nil
		}
	}
	// A secret blocks nothing, so there is nothing to except.
	return slices.DeleteFunc(slices.Sorted(maps.Keys(levels)), func(rule string) bool { return secrets.Mark(rule) != "" })
}

func rulesOfLevels(one store.Held) []string {
	rules := slices.Sorted(maps.Keys(levelsOf(one)))
	return rules[:min(len(rules), office.MaxListed)]
}

// Exceptions are those in force, oldest first.
func (q *Quarantine) Exceptions() (out []control.Exception, err error) {
	err = q.office.Answering(func(tx *store.Tx) error {
		for _, e := range q.passesOf("") {
			out = append(out, exception(tx, e))
		}
		return nil
	})
	return out, err
}

// passesOf are the exceptions in force of a server, "" for all.
func (q *Quarantine) passesOf(server string) []store.Exception {
	var out []store.Exception
	now := q.office.Now()
	for _, e := range q.passes {
		if e.Ended.IsZero() && now.Before(e.Until) && (server == "" || e.ServerID == server) {
			out = append(out, e)
		}
	}
	sort.Slice(out, func(i, j int) bool { return out[i].ID < out[j].ID })
	return out
}

func exception(tx *store.Tx, e store.Exception) control.Exception {
	server, _ := tx.Server(e.ServerID)
	out := exceptionOf(e, server.Name)
	out.Shown = office.ShownIn(tx, server)
	return out
}

func exceptionOf(e store.Exception, server string) control.Exception {
	return control.Exception{
		ID: e.ID, Rule: e.Rule, Server: server, Item: e.Item, Level: inspect.Level(e.Level), Created: e.Created.UTC(), Until: e.Until.UTC(), Code: e.Code, Used: e.Used, Ended: !e.Ended.IsZero(),
	}
}

// ExceptedFor are a server's exceptions for its wrappers, without the use count, which would change with every response.
func (q *Quarantine) ExceptedFor(s *office.Wrapper) []control.Exception {
	var out []control.Exception
	for _, e := range q.passesOf(s.Server) {
		e.Used = 0
		out = append(out, exceptionOf(e, s.Name))
	}
	return out
}

// Except makes exceptions, which let responses like a held one pass for a limited time.
func (q *Quarantine) Except(peer control.Peer, e control.Except) (out []control.Exception, err error) {
	q.office.Lock()
	defer q.office.Unlock()
	if err := q.office.Decides(peer, e.Code); err != nil {
		return nil, err
	}
	if e.For <= 0 || e.For > maxExcept {
		return nil, office.Answer(control.CodeBadRequest, "an exception lasts at most seven days")
	}
	var made, ended []store.Exception
	err = q.office.Update(func(tx *store.Tx) (bool, error) {
		out, made, ended = nil, nil, nil
		one, err := heldToDecide(tx, e.Code, e.Digest)
		if err != nil {
			return false, err
		}
		possible := exceptable(one)
		switch {
		case one.State == vocab.HeldDiscarded:
			return false, office.Answer(control.CodeStale, "%s was discarded", one.Code)
		case one.Why != vocab.HeldThreat:
			return false, office.Answer(control.CodeBadRequest, "%s was not held because of a rule", one.Code)
		case len(possible) == 0:
			return false, office.Answer(control.CodeBadRequest, "%s has a Critical warning, or poses as Sallyport: Sallyport makes no exceptions for such a response", one.Code)
		}
		rules := e.Rules
		if len(rules) == 0 {
			rules = possible
		}
		now := q.office.Now()
		levels := levelsOf(one)
		for _, rule := range rules {
			if !slices.Contains(possible, rule) {
				return false, office.Answer(control.CodeBadRequest, "%s did not match in %s", legible.Name(rule, "a rule of that name"), one.Code)
			}
			if slices.ContainsFunc(made, func(m store.Exception) bool { return m.Rule == rule }) {
				continue
			}
			for _, old := range q.passesOf(one.ServerID) { // a newer one replaces it
				if old.Rule == rule && old.Item == one.Item {
					old.Ended = now
					ended = append(ended, old)
					if err := tx.PutException(old); err != nil {
						return false, err
					}
				}
			}
			pass := store.Exception{
				ID: vocab.NewRecordID(now), Rule: rule, ServerID: one.ServerID, Item: one.Item, Level: string(levels[rule]), Created: now, Until: now.Add(e.For), Code: one.Code,
			}
			if err := tx.PutException(pass); err != nil {
				return false, err
			}
			made = append(made, pass)
			out = append(out, exception(tx, pass))
		}
		record := q.heldRecord(tx, vocab.RecordApproval, vocab.StatusOK, one, fmt.Sprintf("a person made %s: responses from %s pass for %s", review.Count(len(made), "exception"), heldWhat(one), spanWords(e.For)))
		record.Session, record.Bytes = "", 0
		record.Detail = office.Detail(map[string]any{"check": "exception", "digest": e.Digest, "rules": office.CutList(rules), "item": cut.Bytes(one.Item, office.MaxName), "until": now.Add(e.For).UTC(), "exceptions": idsOf(made)})
		_, err = tx.Append(record)
		return true, err
	})
	if err != nil {
		return nil, q.office.Failed(err)
	}
	for _, pass := range append(ended, made...) {
		q.passes[pass.ID] = pass
	}
	q.tendSoon()
	q.hub.PushAll()
	return out, nil
}

// spanWords is a duration to the minute: "1h", "9h13m", "168h".
func spanWords(d time.Duration) string {
	words := strings.TrimSuffix(d.Round(time.Minute).String(), "0s")
	if hours, even := strings.CutSuffix(words, "h0m"); even {
		return hours + "h"
	}
	return words
}

func idsOf(passes []store.Exception) []string {
	ids := make([]string, len(passes))
	for i, e := range passes {
		ids[i] = e.ID
	}
	return office.CutList(ids)
}

// heldWhat names the subject of a held response in our sentences.
func heldWhat(one store.Held) string {
	if one.Item != "" {
		return review.ItemWords(one.Item)
	}
	return "its server"
}

// EndException ends one. It only tightens, so it may come from anywhere.
func (q *Quarantine) EndException(_ control.Peer, id string) (out control.Exception, err error) {
	q.office.Lock()
	defer q.office.Unlock()
	if err := q.office.Usable(); err != nil {
		return out, err
	}
	pass, known := q.passes[id]
	if !known {
		return out, office.Answer(control.CodeNotFound, "no such exception; run `sallyport exceptions` to see them")
	}
	err = q.office.Update(func(tx *store.Tx) (bool, error) {
		over := !pass.Ended.IsZero() || !q.office.Now().Before(pass.Until)
		if pass.Ended.IsZero() {
			pass.Ended = q.office.Now()
		}
		out = exception(tx, pass)
		if over {
			return false, nil
		}
		if err := tx.PutException(pass); err != nil {
			return false, err
		}
		_, err := tx.Append(q.office.Record(vocab.RecordRejection, vocab.StatusOK, store.Record{
			Server: out.Server, Tool: review.ToolNamed(pass.Item), Code: pass.Code, Summary: "a person ended an exception",
			Detail: office.Detail(map[string]any{"check": "exception", "rule": pass.Rule, "exceptions": []string{pass.ID}, "used": pass.Used}),
		}))
		return true, err
	})
	if err != nil {
		return control.Exception{}, q.office.Failed(err)
	}
	q.passes[pass.ID] = pass
	q.hub.PushAll()
	return out, nil
}

// exceptionsIn are the exceptions that a record names as applied.
func exceptionsIn(r store.Record) []string {
	if r.Status != vocab.StatusWarned || !bytes.Contains(r.Detail, []byte(`"exceptions"`)) {
		return nil
	}
	var d struct {
		Exceptions []string `json:"exceptions"`
	}
	if json.Unmarshal(r.Detail, &d) != nil {
		return nil
	}
	slices.Sort(d.Exceptions)
	return slices.Compact(d.Exceptions)
}

// CountPasses counts the responses that exceptions let pass, from newly stored records.
func (q *Quarantine) CountPasses(server string, stored []store.Record) {
	used := map[string]int{}
	for _, r := range stored {
		for _, id := range exceptionsIn(r) {
			if e, ok := q.passes[id]; ok && e.ServerID == server {
				used[id]++
			}
		}
	}
	if len(used) == 0 {
		return
	}
	var changed []store.Exception
	err := q.office.Update(func(tx *store.Tx) (bool, error) {
		changed = nil
		for id, n := range used {
			e := q.passes[id]
			e.Used += n
			changed = append(changed, e)
			if err := tx.PutException(e); err != nil {
				return false, err
			}
		}
		return true, nil
	})
	if err != nil {
		q.office.Failed(err)
		return
	}
	for _, e := range changed {
		q.passes[e.ID] = e
	}
}
