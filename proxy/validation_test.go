package proxy

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/sallyport/sallyport/proxy/control"
	"github.com/sallyport/sallyport/proxy/vocab"
)

// sumSchema is the output schema of the tool sum.
const sumSchema = `{"type":"object","properties":{"sum":{"type":"number"},"unit":{"enum":["m","s"]},"of":{"type":"array"}},"required":["sum"]}`

func sumTool(output string) string {
	return `{"name":"sum","inputSchema":{"type":"object"},"outputSchema":` + output + `}`
}

// validating is a session with a server whose tool sum declares sumSchema, under these settings.
func validating(t *testing.T, settings map[string]string) *rig {
	t.Helper()
	return ready(t, func(r *rig) {
		r.server.tools = append(r.server.tools, sumTool(sumSchema))
		r.gate.settings = settings
	})
}

func mode(mode string, more ...string) map[string]string {
	settings := map[string]string{"output_validation.mode": mode}
	for i := 0; i+1 < len(more); i += 2 {
		settings["output_validation."+more[i]] = more[i+1]
	}
	return settings
}

// structured is the body of a result with structured content.
func structured(content string) string {
	return `"result":{"content":[{"type":"text","text":"5 m"}],"structuredContent":` + content + `}`
}

// calls calls the tool sum, whose response has this body, and returns what the client gets.
func (r *rig) sums(id, body string) string {
	r.t.Helper()
	saying(r, body)
	return r.call(id, "sum")
}

// whole is the line of a response that arrived as the server sent it.
func whole(id, body string) string { return `{"jsonrpc":"2.0","id":` + id + `,` + body + `}` }

// violation is what a record says about a response that does not match.
type violation struct {
	Keyword, Schema, Instance, Message string
	More                               int
}

// violations are the records about responses that do not match, oldest first.
func (r *rig) violations() (records []control.Record, found []violation) {
	r.gate.recorded(func(rec control.Record) bool {
		var detail struct {
			Check     string
			Violation violation
		}
		if rec.Kind == vocab.RecordPolicyDecision && json.Unmarshal(rec.Detail, &detail) == nil && detail.Check == "output_schema" {
			records, found = append(records, rec), append(found, detail.Violation)
		}
		return false
	})
	return records, found
}

// calledTimes is how many records about calls of sum there are, with this status.
func (r *rig) calledTimes(status vocab.Status) (n int) {
	r.gate.recorded(func(rec control.Record) bool {
		if rec.Kind == vocab.RecordCall && rec.Tool == "sum" && rec.Status == status {
			n++
		}
		return false
	})
	return n
}

// broken are responses that do not match sumSchema, with the keyword and its place in the schema.
var broken = []struct{ content, keyword, place string }{
	{`{}`, "required", "/required/0"},
	{`{"sum":"5"}`, "type", "/properties/sum/type"},
	{`{"sum":5,"unit":"kg"}`, "enum", "/properties/unit/enum"},
	{`[5]`, "type", "/type"},
	{`5`, "type", "/type"},
	{`null`, "type", "/type"},
	{`"5"`, "type", "/type"},
	{`{"sum":5,"of":{}}`, "type", "/properties/of/type"},
}

// matching are responses that match it. None is written as an encoder would.
var matching = []string{
	`{"sum":5}`,
	`{ "unit" : "m" ,"sum": 5.0e0 }`,
	`{"sum":5,"\u0075nit":"\u006d","x":{"b":1,"a":[1.10,-0.0,1E+2]}}`,
	`{"sum":123456789012345678901234567890.5,"é":"\u00e9\/"}`,
}

func TestUS1Scenario1AViolatingResponseIsBlockedInStrictModeAndRecorded(t *testing.T) {
	r := validating(t, mode("strict"))
	got := r.sums("71", structured(`{"total":"4815162342"}`))
	code, status, text := decisionOf(t, got)
	want := `[Sallyport] The answer of the tool "sum" does not match its output schema (required at /required/0), so it was not delivered. ` +
		`The tool was run, so the call may have had an effect. Tell the user: open Sallyport and see Activity. Do not retry; retrying will not help.`
	if code != nil || status != "blocked" || text != want || !strings.Contains(got, `"kind":"output_schema"`) || !strings.Contains(got, `"isError":true`) {
		t.Errorf("code %v, status %s: %s", code, status, got)
	}
	if strings.Contains(got, "total") || strings.Contains(got, "4815162342") || strings.Contains(got, "5 m") {
		t.Errorf("a part of the response reached the client: %s", got)
	}
	r.eventually("both are recorded", func() bool { records, _ := r.violations(); return len(records) == 1 && r.calledTimes("blocked") == 1 })
	records, found := r.violations()
	if records[0].Status != "blocked" || records[0].Mode != "strict" || found[0].Keyword != "required" {
		t.Errorf("%+v %+v", records[0], found[0])
	}
	if len(r.gate.heldAnswers()) != 0 {
		t.Error("it was kept")
	}
}

func TestUS1Scenario2AViolatingResponsePassesInWarnModeAndIsRecorded(t *testing.T) {
	r := validating(t, nil)
	body := structured(`{"total":5}`)
	if got := r.sums("71", body); got != whole("71", body) {
		t.Errorf("%s", got)
	}
	r.eventually("both are recorded", func() bool { records, _ := r.violations(); return len(records) == 1 && r.calledTimes("ok") == 1 })
	if records, found := r.violations(); records[0].Status != "warned" || records[0].Mode != "warn" || found[0].Keyword != "required" {
		t.Errorf("%+v %+v", records[0], found[0])
	}
}

func TestUS1Scenario3AToolWithoutASchemaIsLeftAlone(t *testing.T) {
	r := validating(t, mode("strict", "missing_structured_content", "block"))
	for i, body := range []string{structured(`{"total":5}`), textResult("no structure"), structured(`[[[[1e99999]]]]`)} {
		saying(r, body)
		if got := r.call(fmt.Sprint(70+i), "add"); got != whole(fmt.Sprint(70+i), body) {
			t.Errorf("%s", got)
		}
	}
	r.eventually("the calls are recorded", func() bool { return r.callsRecorded("add") == 3 })
	if records, _ := r.violations(); len(records) != 0 {
		t.Errorf("%+v", records)
	}
}

// callsRecorded is how many records about calls of a tool there are.
func (r *rig) callsRecorded(tool string) (n int) {
	r.gate.recorded(func(rec control.Record) bool {
		if rec.Kind == vocab.RecordCall && rec.Tool == tool {
			n++
		}
		return false
	})
	return n
}

func TestUS1Scenario4AMatchingResponseArrivesByteForByte(t *testing.T) {
	for _, in := range []string{"strict", "warn"} {
		r := validating(t, mode(in))
		for i, content := range matching {
			id, body := fmt.Sprint(70+i), structured(content)
			if got := r.sums(id, body); got != whole(id, body) {
				t.Errorf("%s: %s", in, got)
			}
		}
		r.eventually("the calls are recorded", func() bool { return r.calledTimes("ok") == len(matching) })
		if records, found := r.violations(); len(records) != 0 {
			t.Errorf("%s: %+v", in, found)
		}
	}
}

// guardBreaks are settings with small guards, a response that breaks one of them, and its keyword.
var guardBreaks = map[string]struct {
	settings []string
	content  string
	keyword  string
}{
	"size":  {[]string{"max_bytes", "20"}, `{"sum":5,"of":[1,2,3]}`, "size"},
	"depth": {[]string{"max_depth", "2"}, `{"sum":5,"of":[[1]]}`, "depth"},
}

func testGuard(t *testing.T, guard string) {
	t.Helper()
	c := guardBreaks[guard]
	for _, in := range []string{"warn", "strict"} {
		t.Run(in, func(t *testing.T) {
			r := validating(t, mode(in, c.settings...))
			body := structured(c.content)
			got := r.sums("71", body)
			if in == "warn" && got != whole("71", body) || in == "strict" && !strings.Contains(got, "does not match its output schema ("+guard+")") {
				t.Errorf("%s", got)
			}
			r.eventually("it is recorded", func() bool { records, _ := r.violations(); return len(records) == 1 })
			status := map[string]vocab.Status{"warn": "warned", "strict": "blocked"}[in]
			if records, found := r.violations(); records[0].Status != status || records[0].Mode != in || found[0].Keyword != c.keyword || found[0].Schema != "" {
				t.Errorf("%+v %+v", records[0], found[0])
			}
		})
	}
}

func TestUS2Scenario1AResponseOverMaxBytesIsAViolation(t *testing.T) { testGuard(t, "size") }

func TestUS2Scenario2AResponseOverMaxDepthIsAViolation(t *testing.T) { testGuard(t, "depth") }

func TestUS2Scenario3AResponseWithinBothGuardsIsValidated(t *testing.T) {
	content := `{"sum":5,"of":[1]}`
	r := validating(t, mode("strict", "max_bytes", fmt.Sprint(len(content)), "max_depth", "2"))
	if body := structured("  " + content + " "); r.sums("71", body) != whole("71", body) {
		t.Error("a response as large and as deep as can be is refused, or the white space around it counts")
	}
	if got := r.sums("72", structured(`{"sum":"","of":[]}`)); !refused(got) || !strings.Contains(got, "type at /properties/sum/type") {
		t.Errorf("%s", got)
	}
}

func TestUS3Scenario1InModeOffNothingIsValidatedOrRecorded(t *testing.T) {
	r := validating(t, mode("off", "missing_structured_content", "block", "max_bytes", "1", "max_depth", "0"))
	for i, one := range broken {
		id, body := fmt.Sprint(70+i), structured(one.content)
		if got := r.sums(id, body); got != whole(id, body) {
			t.Errorf("%s", got)
		}
	}
	r.eventually("the calls are recorded", func() bool { return r.calledTimes("ok") == len(broken) })
	if records, _ := r.violations(); len(records) != 0 {
		t.Errorf("%+v", records)
	}
}

func TestUS3Scenario3ARecordHasServerToolModeAndWhatIsWrong(t *testing.T) {
	r := validating(t, nil)
	r.sums("71", structured(`{"sum":"5","unit":"kg"}`))
	r.eventually("it is recorded", func() bool { records, _ := r.violations(); return len(records) == 1 })
	records, found := r.violations()
	if rec := records[0]; rec.Server != "weather" || rec.Tool != "sum" || rec.Mode != "warn" || rec.Summary != "its response doesn't match its output schema (type at /properties/sum/type)" {
		t.Errorf("%+v", rec)
	}
	if want := (violation{"type", "/properties/sum/type", "/sum", "must be a number, but is a string", 1}); found[0] != want {
		t.Errorf("%+v", found[0])
	}
}

func TestEdgeCaseALegacyResponseWithTextOnlyIsLeftToThePosture(t *testing.T) {
	for _, c := range []struct {
		name, mode, posture string
		blocked             bool
	}{
		{"warn", "warn", "allow", false},
		{"warn, and the posture is strict", "warn", "block", false},
		{"strict", "strict", "allow", false},
		{"strict, and the posture is strict", "strict", "block", true},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := validating(t, mode(c.mode, "missing_structured_content", c.posture))
			body := textResult("5 m")
			got := r.sums("71", body)
			if c.blocked != strings.Contains(got, "does not match its output schema (missing), so") || !c.blocked && got != whole("71", body) {
				t.Errorf("%s", got)
			}
			r.eventually("the call is recorded", func() bool { return r.callsRecorded("sum") == 1 })
			records, found := r.violations()
			if c.blocked != (len(records) == 1) || c.blocked && (found[0].Keyword != "missing" || records[0].Status != "blocked") {
				t.Errorf("%+v %+v", records, found)
			}
		})
	}
}

func TestEdgeCaseASchemaThatDoesNotCompileBlocksNothing(t *testing.T) {
	for name, output := range map[string]string{
		"a type that is none":     `{"type":"decimal"}`,
		"a reference to a file":   `{"$ref":"file:///etc/passwd"}`,
		"a reference to the web":  `{"$ref":"https://example.com/schema.json"}`,
		"a dialect of its own":    `{"$schema":"https://example.com/dialect","type":"object"}`,
		"a pattern that is none":  `{"properties":{"sum":{"pattern":"("}}}`,
		"a list":                  `[]`,
		"more than 64 levels":     strings.Repeat(`{"not":`, 70) + `{}` + strings.Repeat(`}`, 70),
		"larger than is compiled": `{"description":"` + strings.Repeat("x", 200<<10) + `"}`,
	} {
		t.Run(name, func(t *testing.T) {
			r := ready(t, func(r *rig) {
				r.server.tools = append(r.server.tools, sumTool(output))
				r.gate.settings = mode("strict", "missing_structured_content", "block")
			})
			for id, body := range map[string]string{"71": structured(`{"anything":true}`), "72": textResult("nothing structured")} {
				if got := r.sums(id, body); got != whole(id, body) {
					t.Errorf("%s", got)
				}
			}
			reports := r.reported("tool:sum")
			if low := slices.ContainsFunc(reports, func(f string) bool { return f == "output_schema low" }); !low {
				t.Errorf("the findings about it: %q", reports)
			}
			if records, _ := r.violations(); len(records) != 0 {
				t.Errorf("%+v", records)
			}
		})
	}
}

// reported are the rules and levels that the last report found in an item.
func (r *rig) reported(key string) (found []string) {
	r.gate.mu.Lock()
	defer r.gate.mu.Unlock()
	for _, item := range r.gate.reports[len(r.gate.reports)-1].Items {
		if item.Key() == key {
			for _, f := range item.Findings {
				found = append(found, f.Rule+" "+string(f.Level))
			}
		}
	}
	return found
}

// notValidated are responses of a tool with a schema to which it does not apply.
var notValidated = map[string]string{
	"a result that is an error":        `"result":{"content":[{"type":"text","text":"no"}],"structuredContent":{"total":5},"isError":true}`,
	"the same, without the content":    `"result":{"content":[{"type":"text","text":"no"}],"isError":true}`,
	"an error":                         `"error":{"code":-32000,"message":"no"}`,
	"an error with structured content": `"error":{"code":-32000,"message":"no","data":{"structuredContent":{"total":5}}}`,
}

func TestEdgeCaseAnErrorIsNotValidated(t *testing.T) {
	r := validating(t, mode("strict", "missing_structured_content", "block"))
	for name, body := range notValidated {
		if got := r.sums("71", body); got != whole("71", body) {
			t.Errorf("%s: %s", name, got)
		}
	}
	if records, _ := r.violations(); len(records) != 0 {
		t.Errorf("%+v", records)
	}
}

func TestEdgeCaseTextImagesAndSoundsPassUntouched(t *testing.T) {
	blocks := `"content":[{"type":"text","text":"{\"sum\":\"no number\"}"},{"type":"image","data":"iVBORw0KGgo=","mimeType":"image/png"},` +
		`{"type":"audio","data":"UklGRg==","mimeType":"audio/wav"},{"type":"resource","resource":{"uri":"file:///a","text":"{}"}}]`
	r := validating(t, mode("strict"))
	body := `"result":{` + blocks + `,"structuredContent":{"sum":5}}`
	if got := r.sums("71", body); got != whole("71", body) {
		t.Errorf("%s", got)
	}
	if got := r.sums("72", `"result":{`+blocks+`,"structuredContent":{"sum":"5"}}`); !refused(got) || strings.Contains(got, "iVBOR") {
		t.Errorf("%s", got)
	}
}
