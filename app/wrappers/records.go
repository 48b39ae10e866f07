package wrappers

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"github.com/sallyport/sallyport/app/mask"
	"github.com/sallyport/sallyport/app/office"
	"github.com/sallyport/sallyport/proxy/control"
	"github.com/sallyport/sallyport/proxy/cut"
	"github.com/sallyport/sallyport/proxy/inspect/legible"
	"github.com/sallyport/sallyport/proxy/vocab"
	"github.com/sallyport/sallyport/store"
)

// wrapperKinds are the kinds of records that a wrapper, or its spool, can have caused; none is a decision. Only a wrapper that was granted
// a released response can report its delivery (Quarantine.ConfirmAll).
var wrapperKinds = map[vocab.RecordKind]bool{
	vocab.RecordServerStart: true, vocab.RecordServerStop: true, vocab.RecordCall: true, vocab.RecordPolicyDecision: true,
	vocab.RecordDrift: true, vocab.RecordQuarantine: true, vocab.RecordProblem: true,
	vocab.RecordRead: true, vocab.RecordPrompt: true, vocab.RecordSampling: true, vocab.RecordElicitation: true,
}

// Records stores a wrapper's records, durably. Those that no wrapper can have caused are left out but counted as stored: otherwise the
// wrapper would keep sending them.
func (w *Wrappers) Records(conn control.Wrapper, r control.Records) (control.Acked, error) {
	server, records, err := w.takeRecords(conn, r.Records)
	if err != nil {
		return control.Acked{}, err
	}
	if len(records) > 0 {
		// Without the lock, so that only this wrapper waits for the disk.
		stored, err := w.office.Store.AppendNow(records...)
		w.office.Lock()
		defer w.office.Unlock()
		if err != nil {
			return control.Acked{}, w.office.Failed(err)
		}
		w.held.CountPasses(server, stored)
		w.office.Changed()
	}
	return control.Acked{Stored: len(r.Records)}, nil
}

// takeRecords applies what records report, and returns those to store, of the wrapper's server.
func (w *Wrappers) takeRecords(conn control.Wrapper, sent []control.Record) (server string, left []store.Record, err error) {
	w.office.Lock()
	defer w.office.Unlock()
	s, err := w.registered(conn, "records")
	if err != nil {
		return "", nil, err
	}
	name := w.NameOf(&s.Wrapper)
	rest, strange, err := w.held.ConfirmAll(&s.Wrapper, name, sent)
	if err != nil {
		return "", nil, w.office.Failed(err)
	}
	records, refused := Caused(&s.Wrapper, name, rest)
	s.noteTrouble(records)
	if err := noteVersions(w.office, s.Server, records, time.Time{}); err != nil {
		return "", nil, w.office.Failed(err)
	}
	if refused += strange; refused > 0 && !s.strange {
		s.strange = true
		records = append(records, w.office.Record(vocab.RecordProblem, vocab.StatusWarned, store.Record{
			Server: name, ServerID: s.Server, Session: s.Session, Summary: "left out records that a guard could not have written",
			Detail: office.Detail(map[string]any{"check": "records", "count": refused}),
		}))
	}
	return s.Server, records, nil
}

// Caused are those records that a wrapper can have caused, each under its own server's name.
func Caused(s *office.Wrapper, name string, sent []control.Record) (records []store.Record, refused int) {
	records = make([]store.Record, 0, len(sent)+1)
	for _, record := range sent {
		if !wrapperKinds[record.Kind] || !slices.Contains(vocab.Statuses, record.Status) {
			refused++
			continue
		}
		record.Server, record.ServerID = name, s.Server
		record.Tool = cut.Bytes(mask.Text(record.Tool, s.Secrets), office.MaxName)
		record.Summary = cut.Bytes(mask.Text(record.Summary, s.Secrets), 4096)
		if record.Kind == vocab.RecordRead || record.Kind == vocab.RecordPrompt {
			record.Detail = maskPayload(record.Detail, s.Secrets, maskNamed)
		} else {
			record.Detail = maskPayload(record.Detail, s.Secrets, maskDetail)
		}
		record.Client, record.Session, record.Request = cut.Bytes(record.Client, office.MaxName), cmp.Or(cut.Bytes(record.Session, office.MaxName), s.Session), cut.Bytes(record.Request, office.MaxName)
		records = append(records, record)
	}
	return records, refused
}

// maskNamed masks what the detail of a read names, as one value: inside JSON text, masking a URI would swallow the end of the text. The
// rest of such a detail are the wrapper's own words and numbers.
func maskNamed(raw json.RawMessage, secrets []string) json.RawMessage {
	if len(raw) == 0 {
		return nil
	}
	var said map[string]any
	numbers := json.NewDecoder(bytes.NewReader(raw))
	numbers.UseNumber()
	if numbers.Decode(&said) != nil {
		return nil
	}
	for _, key := range []string{"uri", "prompt"} {
		if named, ok := said[key].(string); ok {
			said[key] = legible.Text(mask.Text(named, secrets), office.MaxName*2)
		}
	}
	return office.Detail(said)
}

// maskDetail masks inside JSON. What is no longer JSON afterwards, because a secret without an end swallowed the rest, is masked value by value.
func maskDetail(raw json.RawMessage, secrets []string) json.RawMessage {
	if len(raw) == 0 {
		return nil
	}
	text := mask.Text(string(raw), secrets)
	if json.Valid([]byte(text)) {
		return json.RawMessage(text)
	}
	var said any
	numbers := json.NewDecoder(bytes.NewReader(raw))
	numbers.UseNumber()
	if numbers.Decode(&said) != nil {
		return nil
	}
	if said, ok := masked(said, secrets).(map[string]any); ok {
		return office.Detail(said)
	}
	return nil
}

// masked is a JSON value whose texts are masked one by one.
func masked(value any, secrets []string) any {
	switch v := value.(type) {
	case string:
		return mask.Text(v, secrets)
	case []any:
		for i := range v {
			v[i] = masked(v[i], secrets)
		}
	case map[string]any:
		for key := range v {
			v[key] = masked(v[key], secrets)
		}
	}
	return value
}

// Stderr keeps a piece of a server's stderr, in the page cache: it waits for no disk.
func (w *Wrappers) Stderr(conn control.Wrapper, chunk control.Stderr) {
	w.office.Lock()
	s := w.sessions[conn]
	var secrets []string
	if s != nil {
		secrets = s.Secrets
	}
	w.office.Unlock()
	if s == nil {
		return
	}
	if err := w.opts.Logs.Write(s.Server, s.Session, secrets, chunk.Chunk); err != nil {
		w.office.Lock()
		w.office.Problem(office.ProblemLog, fmt.Sprintf("Sallyport can't save what servers print: %v", err), "check that the disk isn't full and that you can write to "+w.opts.Home.Logs)
		w.office.Unlock()
	}
}
