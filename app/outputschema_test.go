package app

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/sallyport/sallyport/proxy/control"
	"github.com/sallyport/sallyport/proxy/inspect"
	"github.com/sallyport/sallyport/proxy/pin"
	"github.com/sallyport/sallyport/proxy/vocab"
)

// returning is a tool with an output schema, as a wrapper reports it.
func returning(name, output string) pin.Item {
	return raw(pin.Tool, name, `{"name":"`+name+`","inputSchema":{"type":"object"},"outputSchema":`+output+`}`)
}

// broken is a tool whose output schema does not compile, with the finding that its wrapper reports.
func broken(name, output string) pin.Item {
	item := returning(name, output)
	item.Findings = []inspect.Finding{{Rule: inspect.OutputSchema, Level: inspect.Low, Category: "threat", Where: "outputSchema", Title: "Its outputSchema is odd"}}
	return item
}

// schemas are the output schemas of an item in a State.
func schemas(s control.State, key string) (found []string) {
	for _, schema := range s.Items[key].Schemas {
		found = append(found, string(schema))
	}
	return found
}

func TestFRA1TheApprovedSchemaIsInAFreshWrapperBeforeAnyListing(t *testing.T) {
	p := newPlace(t)
	const output = `{"type":"object","required":["sum"]}`
	w := p.wrap("weather")
	w.report(returning("sum", output), tool("add", "adds"))
	if got := schemas(w.Last(t), "tool:sum"); len(got) != 0 {
		t.Fatalf("before it is allowed: %q", got)
	}
	p.approveAll(p.item())
	if got := schemas(w.Last(t), "tool:sum"); len(got) != 1 || got[0] != output {
		t.Fatalf("allowed: %q", got)
	}
	if got := schemas(w.Last(t), "tool:add"); len(got) != 0 {
		t.Fatalf("a tool without one: %q", got)
	}

	// Another schema is drift: until it is allowed, none of the tool passes, and what is kept is the one that was allowed.
	w.report(returning("sum", `{"type":"object"}`), tool("add", "adds"))
	if item := p.item(); item.Kind != vocab.ItemChanged {
		t.Fatalf("%+v", item)
	}
	for range 2 {
		fresh := p.wrap("weather")
		if got := schemas(fresh.Last(t), "tool:sum"); len(got) != 1 || got[0] != output {
			t.Fatalf("in a fresh wrapper: %q", got)
		}
		p = p.again()
	}
}

func TestASchemaThatIsTooLargeIsNotSentToWrappers(t *testing.T) {
	p := newPlace(t)
	w := p.wrap("weather")
	w.report(broken("sum", `{"description":"`+strings.Repeat("x", control.MaxSchema)+`"}`))
	p.approveAll(p.item())
	if got := schemas(w.Last(t), "tool:sum"); len(got) != 0 {
		t.Fatalf("%d bytes", len(got[0]))
	}
	if len(w.Last(t).Items["tool:sum"].Approved) != 1 {
		t.Fatal("the tool is not allowed")
	}
}

func TestFRA9ASchemaThatDoesNotCompileIsToldOnceForAsLongAsItIsAllowed(t *testing.T) {
	p := newPlace(t)
	told := func(want int, when string) {
		t.Helper()
		got := p.records(string(vocab.RecordProblem))
		if len(got) != want {
			t.Fatalf("%s: %d records: %+v", when, len(got), got)
		}
		if want == 0 {
			return
		}
		var detail struct{ Check, Item, Error string }
		last := got[len(got)-1]
		if err := json.Unmarshal(last.Detail, &detail); err != nil || detail.Check != "output_schema" || detail.Item != "tool:sum" || detail.Error != "Its outputSchema is odd" {
			t.Fatalf("%s: %+v, %s", when, last, last.Detail)
		}
		if last.Tool != "sum" || last.Server != "weather" || last.Status != "warned" {
			t.Fatalf("%s: %+v", when, last)
		}
	}
	const bad = `{"type":"decimal"}`
	w := p.wrap("weather")
	w.report(broken("sum", bad))
	told(0, "before it is allowed")
	item := p.item()
	if shown := item.Parts[0].Findings; len(shown) != 1 || shown[0].Rule != inspect.OutputSchema {
		t.Fatalf("the review does not show it: %+v", item.Parts)
	}
	p.approveAll(item)
	told(1, "allowed")
	w.report(broken("sum", bad))
	p.wrap("weather").report(broken("sum", bad))
	told(1, "in another wrapper")
	p = p.again()
	w = p.wrap("weather")
	w.report(broken("sum", bad))
	told(1, "after a restart")

	// The same schema in another definition is told no second time; another schema is, and so is the first when it comes back.
	described := func(output string) pin.Item {
		item := broken("sum", output)
		item.Raw = json.RawMessage(strings.Replace(string(item.Raw), `"inputSchema"`, `"description":"adds","inputSchema"`, 1))
		return item
	}
	w.report(described(bad))
	p.approveAll(p.item())
	told(1, "described in other words")
	w.report(described(`{"type":"fraction"}`))
	p.approveAll(p.item())
	told(2, "another schema")
	good := returning("sum", `{"type":"object"}`)
	w.report(good)
	p.approveAll(p.item())
	told(2, "one that compiles")
	w.report(broken("sum", bad))
	p.approveAll(p.item())
	told(3, "the first again")
}

func TestFRA9WhatWasAllowedBeforeSchemasWereReadIsToldOnceToo(t *testing.T) {
	p := newPlace(t)
	w := p.wrap("weather")
	w.report(returning("sum", `{"type":"decimal"}`)) // as a wrapper of the last version reports it
	p.approveAll(p.item())
	w.report(broken("sum", `{"type":"decimal"}`))
	w.report(broken("sum", `{"type":"decimal"}`))
	if got := p.records(string(vocab.RecordProblem)); len(got) != 1 {
		t.Fatalf("%+v", got)
	}
	if len(w.Last(t).Items["tool:sum"].Approved) != 1 {
		t.Fatal("the tool is not allowed any more")
	}
}

func TestFRA12AHubWithAWindowAndOneWithoutSendTheSame(t *testing.T) {
	home := newHome(t)
	var sent []control.State
	for _, window := range []bool{false, true} {
		p := open(t, home, func(o *Options) { o.Window = window })
		w := p.wrap("weather")
		if !window {
			w.report(returning("sum", `{"type":"object"}`))
			p.approveAll(p.item())
			for key, value := range map[string]string{"output_validation.mode": "strict", "output_validation.max_depth": "9"} {
				if _, err := p.SetSetting(person, control.SettingQuery{Key: key, Value: value, Server: "weather", Tool: "sum"}); err != nil {
					t.Fatal(err)
				}
			}
		}
		sent = append(sent, w.Last(t))
		if err := p.Close(); err != nil {
			t.Fatal(err)
		}
	}
	for i, s := range sent {
		if got := schemas(s, "tool:sum"); len(got) != 1 || got[0] != `{"type":"object"}` {
			t.Errorf("hub %d: %q", i, got)
		}
		if of := s.Tools["tool:sum"]; of["output_validation.mode"] != "strict" || of["output_validation.max_depth"] != "9" || s.Settings["output_validation.mode"] != "warn" {
			t.Errorf("hub %d: %v", i, of)
		}
	}
}

// mismatch is the record of a wrapper about a response that does not match.
func (s *server) mismatch(tool string, status vocab.Status, mode string) {
	s.p.t.Helper()
	record := control.Record{
		ID: vocab.NewRecordID(time.Now()), Time: s.p.at.now(), Kind: vocab.RecordPolicyDecision, Status: status, Tool: tool, Mode: mode, Summary: "its response doesn't match its output schema (type at /type)",
		Detail: json.RawMessage(`{"check":"output_schema","violation":{"instance":"/sum","keyword":"type","message":"must be a number, but is a string","more":0,"schema":"/type"}}`),
	}
	if acked, err := s.p.Records(s, control.Records{Records: []control.Record{record}}); err != nil || acked.Stored != 1 {
		s.p.t.Fatalf("%+v, %v", acked, err)
	}
}

func TestUS3Scenario2AFailureIsListedAndFoundByItsStatus(t *testing.T) {
	p := newPlace(t)
	w := p.wrap("weather")
	w.mismatch("sum", vocab.StatusWarned, "warn")
	w.mismatch("sum", vocab.StatusBlocked, "strict")
	w.mismatch("sum", vocab.StatusBlocked, "strict")
	for status, want := range map[vocab.Status]int{vocab.StatusWarned: 1, vocab.StatusBlocked: 2, vocab.StatusOK: 0, "": 3} {
		found, err := p.Activity(control.ActivityQuery{Kind: string(vocab.RecordPolicyDecision), Status: string(status), Limit: 10})
		if err != nil || len(found.Items) != want {
			t.Errorf("%q: %d records, %v", status, len(found.Items), err)
		}
	}
}

func TestSC005AFailureIsOneRecordWithToolModeAndViolation(t *testing.T) {
	p := newPlace(t)
	w := p.wrap("weather")
	w.mismatch("sum", vocab.StatusBlocked, "strict")
	found, err := p.Activity(control.ActivityQuery{Tool: "sum", Limit: 10})
	if err != nil || len(found.Items) != 1 {
		t.Fatalf("%+v, %v", found, err)
	}
	one, err := p.Record(found.Items[0].ID)
	if err != nil || one.Server != "weather" || one.Tool != "sum" || one.Mode != "strict" || one.Status != "blocked" {
		t.Fatalf("%+v, %v", one, err)
	}
	var detail struct {
		Check     string
		Violation struct{ Keyword, Schema, Instance, Message string }
	}
	if err := json.Unmarshal(one.Detail, &detail); err != nil || detail.Check != "output_schema" || detail.Violation.Keyword != "type" || detail.Violation.Schema != "/type" ||
		detail.Violation.Instance != "/sum" || detail.Violation.Message != "must be a number, but is a string" {
		t.Errorf("%s, %v", one.Detail, err)
	}
}
