package control

import (
	"encoding/json"
	"fmt"
	"testing"
	"time"

	"github.com/sallyport/sallyport/proxy/vocab"
)

func TestReadsJoinAndGoLikeCallsEachWithWhatItNames(t *testing.T) {
	o := newOutbox(t.TempDir(), Register{}, func() *SpoolKey { return nil }, maxSpool, nil)
	at := time.Date(2026, 11, 21, 10, 0, 0, 0, time.UTC)
	add := func(kind vocab.RecordKind, status vocab.Status, detail string) {
		at = at.Add(time.Microsecond)
		o.add(Record{Time: at, Kind: kind, Status: status, DurationUS: 7, Bytes: 10, Detail: json.RawMessage(detail)})
	}
	for i := range crowd {
		add(vocab.RecordRead, "ok", fmt.Sprintf(`{"uri":"doc://%d"}`, i))
	}
	if len(o.queue) != crowd {
		t.Fatalf("%d reads stand in %d records", crowd, len(o.queue))
	}
	for range 500 {
		add(vocab.RecordRead, "ok", `{"uri":"doc://a"}`)
		add(vocab.RecordRead, "ok", `{"uri":"doc://b"}`)
		add(vocab.RecordPrompt, "ok", `{"prompt":"daily"}`)
		add(vocab.RecordElicitation, "ok", "")
		add(vocab.RecordRead, "blocked", `{"check":"gate","uri":"doc://a"}`)
	}
	if got := len(o.queue) - crowd; got != 4+500 {
		t.Errorf("500 each of two reads, a prompt and a question, and 500 refusals, stand in %d records", got)
	}
	named := map[string]int{}
	for len(o.queue) > 0 {
		for _, r := range o.take() {
			var detail struct {
				URI, Prompt, Check string
				Calls              int
			}
			if err := json.Unmarshal(r.Detail, &detail); err != nil && len(r.Detail) > 0 {
				t.Fatalf("%v: %s", err, r.Detail)
			}
			if detail.Calls > 0 {
				named[string(r.Kind)+" "+detail.URI+detail.Prompt] += detail.Calls
				if detail.Check != "calls" || r.Bytes != int64(10*detail.Calls) {
					t.Errorf("%+v %s", r, r.Detail)
				}
			}
			if r.Request != r.ID {
				t.Errorf("a record stands for no request: %+v", r)
			}
		}
	}
	if want := "map[elicitation :500 prompt_get daily:500 resource_read doc://a:500 resource_read doc://b:500]"; fmt.Sprint(named) != want {
		t.Errorf("joined: %v", named)
	}
	for _, kind := range []vocab.RecordKind{vocab.RecordCall, vocab.RecordRead, vocab.RecordPrompt, vocab.RecordSampling, vocab.RecordElicitation} {
		if worthOf(kind) != worthCall {
			t.Errorf("%s does not go first where there is no room", kind)
		}
	}
}

func TestOnlyAReadNamesWhatWasRead(t *testing.T) {
	for detail, want := range map[string]string{`{"uri":"doc://1"}`: "doc://1", `{"check":"gate"}`: "", `no JSON`: "", "": ""} {
		if got := (&Record{Kind: vocab.RecordRead, Detail: json.RawMessage(detail)}).Named(); got != want {
			t.Errorf("%s names %q", detail, got)
		}
	}
	if got := (&Record{Kind: vocab.RecordCall, Detail: json.RawMessage(`{"uri":"doc://1"}`)}).Named(); got != "" {
		t.Errorf("a call names %q", got)
	}
}
