package wrappers

import (
	"encoding/json"
	"errors"
	"testing"
	"time"

	"github.com/sallyport/sallyport/app/stage"
	"github.com/sallyport/sallyport/proxy/control"
	"github.com/sallyport/sallyport/proxy/vocab"
	"github.com/sallyport/sallyport/store"
)

// stored are the records of the timeline with that status, newest first.
func (p *place) stored(status vocab.Status) []store.Record {
	p.t.Helper()
	records, err := p.office.Store.Records(store.Query{Status: string(status), Limit: 100})
	if err != nil {
		p.t.Fatal(err)
	}
	return records
}

func (p *place) send(s *server, records ...control.Record) {
	p.t.Helper()
	for i := range records {
		records[i].ID, records[i].Time = vocab.NewRecordID(time.Now()), time.Now()
	}
	if acked, err := p.Records(s, control.Records{Records: records}); err != nil || acked.Stored != len(records) {
		p.t.Fatalf("%+v: %v", acked, err)
	}
}

func TestWhatNoWrapperCanCauseIsLeftOutAndSaidOnce(t *testing.T) {
	p := newPlace(t)
	s := p.under(70, "claude-desktop", "notes", false)
	for range 2 {
		p.send(s,
			control.Record{Kind: vocab.RecordCall, Status: vocab.StatusOK, Tool: "read", Server: "another's"},
			control.Record{Kind: vocab.RecordApproval, Status: vocab.StatusOK, Summary: "was allowed by a person"})
	}
	taken := p.stored(vocab.StatusOK)
	if len(taken) != 2 {
		t.Fatalf("%d records were taken, not the two calls: %+v", len(taken), taken)
	}
	for _, r := range taken {
		if r.Kind != vocab.RecordCall || r.Server != "notes" || r.Session != "session-1" {
			t.Errorf("a call was stored as %+v", r)
		}
	}
	if said := p.stored(vocab.StatusWarned); len(said) != 1 || said[0].Kind != vocab.RecordProblem {
		t.Errorf("%d records say that some were left out: %+v", len(said), said)
	}
}

func TestWhatADeadWrapperLeftIsWorthNoMoreThanWhatItCouldSend(t *testing.T) {
	p := newPlace(t)
	from := control.Register{Server: control.ServerRef{Transport: "stdio", Argv: []string{"serve", "notes"}, Name: "notes"}, Client: "claude-desktop", Session: "dead"}
	left := []control.Record{
		{ID: vocab.NewRecordID(time.Now()), Time: time.Now(), Kind: vocab.RecordCall, Status: vocab.StatusOK},
		{ID: vocab.NewRecordID(time.Now()), Time: time.Now(), Kind: vocab.RecordApproval, Status: vocab.StatusOK},
	}
	for range 2 { // as after a kill before the file was deleted
		if err := p.TakeOrphans(from, left); err != nil {
			t.Fatal(err)
		}
	}
	if taken := p.stored(vocab.StatusOK); len(taken) != 1 || taken[0].ID != left[0].ID || taken[0].Server != "notes" || taken[0].Session != "dead" {
		t.Errorf("stored are %+v", taken)
	}
}

func TestNothingIsTakenOfAConnectionThatNeverRegistered(t *testing.T) {
	p := newPlace(t)
	stranger := &server{Ears: &stage.Ears{}, p: p}
	for name, call := range map[string]func() error{
		"records": func() error { _, err := p.Records(stranger, control.Records{}); return err },
		"report":  func() error { _, err := p.Report(stranger, control.Report{Era: "legacy"}); return err },
		"launch":  func() error { _, err := p.Launch(stranger, control.LaunchReport{}); return err },
		"asking":  func() error { _, err := p.Attention(stranger, control.Attention{}); return err },
		"eras":    func() error { return p.Eras(stranger, control.Eras{Modern: []string{}}) },
		"cut":     func() error { return p.Shortened(stranger, control.Shortened{}) },
		"unseen":  func() error { return p.Unseen(stranger, control.Unseen{Items: 1}) },
	} {
		var answer *control.Error
		if err := call(); !errors.As(err, &answer) || answer.Code != control.CodeBadRequest {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestAStateIsPushedOnlyWhereItDiffersFromTheLastOne(t *testing.T) {
	p := newPlace(t)
	s := p.under(70, "claude-desktop", "notes", false)
	p.office.Lock()
	defer p.office.Unlock()
	known := s.Last(t)
	p.PushAll()
	p.PushAll()
	if s.Pushes() != 1 { // the response to Register
		t.Errorf("%d states were pushed, and nothing changed", s.Pushes()-1)
	}
	p.servers[p.sessions[s].Server].base.Blocked = true
	p.PushAll()
	if now := s.Last(t); !now.Blocked || now.Revision <= known.Revision {
		t.Errorf("it is blocked, and the wrapper is told %+v", now)
	}
}

// A name in a response can look like the beginning of a secret. The record about it keeps everything else.
func TestASecretWithoutAnEndSwallowsNoRecord(t *testing.T) {
	p := newPlace(t)
	s := p.under(70, "claude-desktop", "notes", false)
	p.send(s, control.Record{Kind: vocab.RecordPolicyDecision, Status: vocab.StatusWarned, Mode: "warn", Detail: json.RawMessage(
		`{"check":"output_schema","violation":{"instance":"/-----BEGIN PRIVATE KEY-----MIIE","keyword":"type","more":12345678901234567890}}`)})
	stored := p.stored(vocab.StatusWarned)
	if len(stored) != 1 {
		t.Fatalf("%+v", stored)
	}
	const want = `{"check":"output_schema","violation":{"instance":"/***","keyword":"type","more":12345678901234567890}}`
	if got := string(stored[0].Detail); got != want {
		t.Errorf("%s\nis not\n%s", got, want)
	}
}
