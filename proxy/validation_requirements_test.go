package proxy

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/sallyport/sallyport/proxy/control"
	"github.com/sallyport/sallyport/proxy/pin"
	"github.com/sallyport/sallyport/proxy/policy"
)

func TestFRA2EveryReturnOfAToolIsValidated(t *testing.T) {
	r := validating(t, mode("strict"))
	saying(r, `"result":{"task":{"taskId":"t1","status":"working","ttl":60000}}`)
	r.send(`{"jsonrpc":"2.0","id":61,"method":"tools/call","params":{"name":"sum","arguments":{},"task":{"ttl":60000}}}`)
	r.answerTo("61")
	bad, good := structured(`{"sum":"5"}`), structured(`{"sum":5}`)
	for _, c := range []struct {
		name, request string
		validated     bool
	}{
		{"a call", `"method":"tools/call","params":{"name":"sum","arguments":{}}`, true},
		{"the result of a task that a call created", `"method":"tasks/result","params":{"taskId":"t1"}`, true},
		{"the state of a task", `"method":"tasks/get","params":{"taskId":"t1"}`, false},
		{"a resource", `"method":"resources/read","params":{"uri":"file:///x"}`, false},
		{"an unknown method", `"method":"x/sum","params":{"name":"sum"}`, false},
	} {
		for i, body := range []string{bad, good} {
			saying(r, body)
			id := fmt.Sprint(70 + i)
			r.send(`{"jsonrpc":"2.0","id":` + id + `,` + c.request + `}`)
			got := r.answerTo(id)
			if blocked := c.validated && body == bad; blocked != refused(got) || !blocked && got != whole(id, body) {
				t.Errorf("%s: %s", c.name, got)
			}
		}
	}
	r.eventually("each failing one is recorded once", func() bool { records, _ := r.violations(); return len(records) == 2 })
	records, _ := r.violations()
	for _, rec := range records {
		if rec.Tool != "sum" || rec.Status != "blocked" || rec.Mode != "strict" {
			t.Errorf("%+v", rec)
		}
	}
	if got := r.calledTimes("blocked"); got != 1 {
		t.Errorf("%d calls are recorded as blocked", got)
	}
}

func TestFRA3AMatchingResponseIsNeverChanged(t *testing.T) {
	r := validating(t, mode("strict"))
	for i, line := range []string{
		`{"jsonrpc":"2.0", "result" :{"structuredContent":{"sum" : 1.50},"content":[ ]} ,"id":%s}`,
		`{"id":%s,"jsonrpc":"2.0","result":{"_meta":{"x":1},"content":[],"structuredContent":{"sum":-0,"zz":"\ud83d\ude00","Z":[]},"more":null}}`,
		`{"result":{"structuredContent":{"of":[],"sum":1e2},"content":[]},"jsonrpc":"2.0","id":%s,"extra":[1.0]}`,
	} {
		r.server.declare(func(s *server) {
			s.handle = func(asked string) (string, bool) {
				return fmt.Sprintf(line, between(asked, `"id":`, `,`)), strings.Contains(asked, `"tools/call"`)
			}
		})
		id := fmt.Sprint(70 + i)
		if got, want := r.call(id, "sum"), fmt.Sprintf(line, id); got != want {
			t.Errorf("%s\nis not\n%s", got, want)
		}
	}
}

func TestFRA4ModesGloballyPerServerAndPerToolAndWarnByDefault(t *testing.T) {
	if policy.ForWrapper(policy.Defaults()).Validation != "warn" {
		t.Error("the default is not warn")
	}
	r := validating(t, mode("strict"))
	body := structured(`{"sum":"5"}`)
	for i, c := range []struct{ server, tool, want string }{
		{"strict", "", "strict"}, {"warn", "", "warn"}, {"off", "", "off"}, {"strict", "warn", "warn"}, {"strict", "off", "off"}, {"off", "strict", "strict"}, {"warn", "strict", "strict"},
	} {
		r.gate.set(func(g *gatekeeper) {
			g.settings, g.tools = mode(c.server), nil
			if c.tool != "" {
				g.tools = map[string]map[string]string{"tool:sum": mode(c.tool)}
			}
		})
		before, _ := r.violations()
		id := fmt.Sprint(70 + i)
		got := r.sums(id, body)
		if refused(got) != (c.want == "strict") || c.want != "strict" && got != whole(id, body) {
			t.Errorf("server %s, tool %q: %s", c.server, c.tool, got)
		}
		r.eventually("the call is recorded", func() bool { return r.callsRecorded("sum") == i+1 })
		after, _ := r.violations()
		if recorded := len(after) - len(before); recorded != map[string]int{"strict": 1, "warn": 1, "off": 0}[c.want] || recorded == 1 && after[len(after)-1].Mode != c.want {
			t.Errorf("server %s, tool %q: %d records", c.server, c.tool, recorded)
		}
	}
}

func TestFRA5EachFailureIsOneRecordWithServerToolModeAndDescription(t *testing.T) {
	for _, in := range []string{"warn", "strict"} {
		r := validating(t, mode(in))
		for i, one := range broken {
			r.sums(fmt.Sprint(70+i), structured(one.content))
		}
		r.eventually("the calls are recorded", func() bool { return r.callsRecorded("sum") == len(broken) })
		records, found := r.violations()
		if len(records) != len(broken) {
			t.Fatalf("%s: %d records of %d failures", in, len(records), len(broken))
		}
		for i, one := range broken {
			if rec := records[i]; rec.Server != "weather" || rec.Tool != "sum" || rec.Mode != in || found[i].Keyword != one.keyword || found[i].Schema != one.place || found[i].Message == "" {
				t.Errorf("%s %s: %+v %+v", in, one.content, rec, found[i])
			}
		}
	}
}

func TestFRA6GuardsComeBeforeTheSchema(t *testing.T) {
	for guard, c := range guardBreaks {
		r := validating(t, mode("strict", c.settings...))
		content := strings.Replace(c.content, `5`, `"no number"`, 1)
		if got := r.sums("71", structured(content)); !strings.Contains(got, "("+guard+")") {
			t.Errorf("%s", got)
		}
	}
	r := validating(t, mode("strict", "max_bytes", "20", "max_depth", "1"))
	if got := r.sums("71", structured(`{"sum":"","of":[[1,2,3,4]]}`)); !strings.Contains(got, "(size)") {
		t.Errorf("the depth came before the size: %s", got)
	}
}

func TestFRA7WithoutASchemaValidationDoesNothing(t *testing.T) {
	for _, output := range []string{"", "null"} {
		r := ready(t, func(r *rig) {
			tool := addTool
			if output != "" {
				tool = strings.Replace(sumTool(output), `"sum"`, `"add"`, 1)
			}
			r.server.tools = []string{tool}
			r.gate.settings = mode("strict", "missing_structured_content", "block", "max_bytes", "1", "max_depth", "0")
		})
		for i, body := range []string{structured(`{"total":[5]}`), textResult("5 m"), structured("null")} {
			saying(r, body)
			if id := fmt.Sprint(70 + i); r.call(id, "add") != whole(id, body) {
				t.Errorf("%q: %s was changed", output, body)
			}
		}
		r.eventually("the calls are recorded", func() bool { return r.callsRecorded("add") == 3 })
		if records, _ := r.violations(); len(records) != 0 {
			t.Errorf("%q: %+v", output, records)
		}
	}
}

// The client knows the tool by a name without its invisible characters, and in the profile strict gets no output schema. It is validated all the same.
func TestAToolOfAnotherNameIsRefusedUnderTheOneThatTheClientKnows(t *testing.T) {
	r := ready(t, func(r *rig) {
		r.server.tools = append(r.server.tools, strings.Replace(sumTool(sumSchema), `"sum"`, `"total\u200b_sum"`, 1))
		r.gate.settings = mode("strict")
		r.gate.settings["sanitizer.profile"] = "strict"
	})
	if names := r.tools("70"); !slices.Contains(names, "total_sum") {
		t.Fatalf("%q", names)
	}
	saying(r, structured(`{"sum":"5"}`))
	if got := r.call("71", "total_sum"); !strings.Contains(got, `The answer of the tool \"total_sum\" does not match`) || !strings.Contains(got, `"tool":"total_sum"`) {
		t.Errorf("%s", got)
	}
	r.eventually("it is recorded", func() bool { records, _ := r.violations(); return len(records) == 1 })
	if records, _ := r.violations(); !strings.Contains(string(records[0].Detail), `"delivered_as":"total_sum"`) {
		t.Errorf("%s", records[0].Detail)
	}
}

func TestFRA8AResponseWithoutStructuredContentIsNothingToValidate(t *testing.T) {
	r := validating(t, mode("strict", "missing_structured_content", "block"))
	saying(r, `"result":{"task":{"taskId":"t1","status":"working","ttl":60000}}`)
	for id, asks := range map[string]string{"61": `,"task":{"ttl":60000}`, "62": ``} {
		r.send(`{"jsonrpc":"2.0","id":` + id + `,"method":"tools/call","params":{"name":"sum","arguments":{"task":1}` + asks + `}}`)
		if got := r.answerTo(id); refused(got) != (asks == "") {
			t.Errorf("a task, asked for with %q: %s", asks, got)
		}
	}
	for i, content := range []string{`"result":{"content":[]}`, `"result":{}`, `"result":{"content":[],"structured_content":{"sum":5},"StructuredContents":{"sum":5}}`,
		`"result":{"resultType":"input_required","inputRequests":{},"content":[]}`} {
		if got := r.sums(fmt.Sprint(70+i), content); !strings.Contains(got, "(missing)") {
			t.Errorf("%s", got)
		}
	}
	if got := r.sums("78", `"result":{"resultType":"input_required","structuredContent":{"total":5}}`); !refused(got) || strings.Contains(got, "(missing)") {
		t.Errorf("structured content of what claims to want more input: %s", got)
	}
	r.gate.set(func(g *gatekeeper) { g.settings = mode("warn", "missing_structured_content", "block") })
	if body := textResult("5 m"); r.sums("79", body) != whole("79", body) {
		t.Error("warn refuses a response with text only")
	}
}

func TestFRA10AResultThatIsAnErrorIsSkipped(t *testing.T) {
	for _, in := range []string{"warn", "strict"} {
		r := validating(t, mode(in, "missing_structured_content", "block"))
		for i, failed := range []string{"true", "false"} {
			id, body := fmt.Sprint(70+i), `"result":{"content":[],"isError":`+failed+`,"structuredContent":{"sum":"5"}}`
			if got := r.sums(id, body); refused(got) != (in == "strict" && failed == "false") {
				t.Errorf("%s, isError %s: %s", in, failed, got)
			}
		}
		r.eventually("the one that is no error is recorded", func() bool { records, _ := r.violations(); return len(records) == 1 })
	}
}

func TestFRA11AWarnedResponseIsDeliveredAsItWas(t *testing.T) {
	r := validating(t, mode("warn", "max_bytes", "200", "max_depth", "3"))
	n := 0
	for _, content := range []string{`{ "sum" : "5" }`, `[[[[1.0]]]]`, `"` + strings.Repeat("x", 300) + `"`, `1e99999`} {
		n++
		id, body := fmt.Sprint(70+n), structured(content)
		if got := r.sums(id, body); got != whole(id, body) {
			t.Errorf("%s", got)
		}
		r.eventually("it is recorded", func() bool { records, _ := r.violations(); return len(records) == n })
	}
}

func TestSC001EveryViolationIsBlockedInStrictAndRecordedInWarn(t *testing.T) {
	for _, in := range []string{"strict", "warn"} {
		r := validating(t, mode(in))
		for i, one := range broken {
			id, body := fmt.Sprint(100+i), structured(one.content)
			got := r.sums(id, body)
			if in == "warn" && got != whole(id, body) {
				t.Errorf("warn: %s", got)
			}
			if in == "strict" && (!refused(got) || !strings.Contains(got, "("+one.keyword+" at "+one.place+")")) {
				t.Errorf("strict, %s: %s", one.content, got)
			}
		}
		r.eventually("each is recorded", func() bool { records, _ := r.violations(); return len(records) == len(broken) })
	}
}

func TestSC002AMatchingResponseIsTheSameByteForByte(t *testing.T) {
	r := validating(t, mode("strict"))
	long := `{"sum":1,"of":[` + strings.Repeat(` 1.0, `, 200_000) + `2]}`
	for i, content := range append(slices.Clone(matching), long) {
		id, body := fmt.Sprint(70+i), structured(content)
		if got := r.sums(id, body); got != whole(id, body) {
			t.Errorf("%.200s", got)
		}
	}
}

func TestSC003AToolWithoutASchemaBehavesAsBefore(t *testing.T) {
	said := map[string][]string{}
	for _, in := range []string{"off", "strict"} {
		r := validating(t, mode(in, "missing_structured_content", "block"))
		for i, body := range []string{structured(`{"total":5}`), textResult("x"), notValidated["an error"], textResult(poison)} {
			saying(r, body)
			said[in] = append(said[in], r.call(fmt.Sprint(70+i), "add"))
			r.eventually("the call is recorded, before the next one", func() bool { return r.callsRecorded("add") == i+1 })
		}
		r.gate.recorded(func(rec control.Record) bool {
			if rec.Tool == "add" {
				said[in] = append(said[in], fmt.Sprint(rec.Kind, rec.Status, rec.Summary, rec.Mode, string(rec.Detail)))
			}
			return false
		})
	}
	if !slices.Equal(said["off"], said["strict"]) {
		t.Errorf("%q\nis not\n%q", said["strict"], said["off"])
	}
}

func TestSC004AGuardIsBrokenBeforeTheSchemaIsRun(t *testing.T) {
	// Counting alone would take this schema beyond what it may cost. With a guard broken it is not asked.
	heavy := `{"type":"string","$defs":{"a0":{"type":"object"}`
	for i := range 60 {
		heavy += fmt.Sprintf(`,"a%d":{"allOf":[{"$ref":"#/$defs/a%d"},{"$ref":"#/$defs/a%[2]d"}]}`, i+1, i)
	}
	heavy += `},"$ref":"#/$defs/a60"}`
	for guard, c := range guardBreaks {
		r := ready(t, func(r *rig) {
			r.server.tools = append(r.server.tools, sumTool(heavy))
			r.gate.settings = mode("strict", c.settings...)
		})
		if got := r.sums("71", structured(c.content)); !strings.Contains(got, "("+guard+")") {
			t.Errorf("%s", got)
		}
		if got := r.sums("72", structured(`{}`)); !strings.Contains(got, "(cost)") && !strings.Contains(got, "(type at /type)") {
			t.Errorf("without a broken guard: %s", got)
		}
	}
}

func TestSC006ModeOffOrNoSchemaTakesNoMemoryMore(t *testing.T) {
	line := []byte(whole("71", structured(`{"sum":"`+strings.Repeat("x", 2000)+`"}`)) + "\n")
	measured := map[string]float64{}
	for _, c := range []struct{ name, tool, mode string }{{"no schema", "add", "strict"}, {"mode off", "sum", "off"}} {
		r := validating(t, mode(c.mode))
		r.call("70", c.tool)
		item := pin.Key(pin.Tool, c.tool)
		if schemaOf(r.s.view(), &request{method: methodCall, naming: naming{item: item}}) != nil {
			t.Errorf("%s: it would be validated", c.name)
		}
		e := &examined{v: r.s.view(), policy: r.s.view().PolicyOf(item), r: &request{method: methodCall, naming: naming{item: item}}, line: line}
		e.body, e.failed = bodyOf(line)
		measured[c.name] = testing.AllocsPerRun(100, func() { r.s.responses.validate(e) })
	}
	if measured["no schema"] != 0 || measured["mode off"] != 0 {
		t.Errorf("allocations: %v", measured)
	}
}
