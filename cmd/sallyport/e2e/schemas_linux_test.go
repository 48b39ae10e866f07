package e2e

import (
	"encoding/json"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"
)

// A schemaCase is a tool with an output schema, its structured content, and the keyword that the content is refused for, "" if it is delivered.
type schemaCase struct{ tool, schema, content, refused string }

// withheld is a tool that can't be allowed: what it declares is too deep to be compared.
const withheld = "withheld"

// doubledSchema applies the next of its levels twice on each.
func doubledSchema(keyword string, levels int) string {
	var b strings.Builder
	for i := range levels {
		fmt.Fprintf(&b, `"l%d":{"%s":[{"$ref":"#/$defs/l%d"},{"$ref":"#/$defs/l%d"}]},`, i, keyword, i+1, i+1)
	}
	return fmt.Sprintf(`{"$ref":"#/$defs/l0","$defs":{%s"l%d":{"type":"string"}}}`, b.String(), levels)
}

func repeated(n int, format string) string {
	all := make([]string, n)
	for i := range all {
		all[i] = fmt.Sprintf(format, i)
	}
	return strings.Join(all, ",")
}

// hostileSchemas can make a validator take for ever, or gigabytes, or panic.
func hostileSchemas() (all []schemaCase) {
	for _, keyword := range []string{"allOf", "anyOf", "oneOf"} {
		for _, levels := range []int{24, 40, 60} {
			all = append(all, schemaCase{fmt.Sprint(keyword, levels), doubledSchema(keyword, levels), `{"a":1}`, "cost"})
		}
	}
	deep := strings.Repeat(`{"c":`, 60) + "1" + strings.Repeat("}", 60)
	strings60 := "[" + repeated(60, `"`+strings.Repeat("a", 40)+`b%d"`) + "]"
	all = append(all,
		schemaCase{"recursion", `{"$ref":"#/$defs/n","$defs":{"n":{"anyOf":[{"properties":{"c":{"$ref":"#/$defs/n"}},"required":["x"]},{"properties":{"c":{"$ref":"#/$defs/n"}},"required":["y"]}]}}}`, deep, "cost"},
		schemaCase{"not", `{"$ref":"#/$defs/n","$defs":{"n":{"not":{"properties":{"c":{"$ref":"#/$defs/n"}}},"properties":{"c":{"$ref":"#/$defs/n"}}}}}`, deep, "cost"},
		schemaCase{"patterns", `{"items":{"pattern":"^(?=(a+)+$)(a+)+$"}}`, strings60, "cost"},
	)
	for i, number := range []string{"1e1000001", "-1e1000001", "1e-1000001", "1e99999999999", "1E+999999999999999999999999"} {
		all = append(all, schemaCase{fmt.Sprint("exponent", i), `{"properties":{"n":{"minimum":1,"multipleOf":0.1}}}`, `{"n":` + number + `}`, "cost"},
			schemaCase{fmt.Sprint("bound", i), `{"properties":{"n":{"minimum":` + number + `}}}`, `{"n":1}`, ""})
	}
	return append(all,
		schemaCase{"wide", `{"properties":{` + repeated(40_000, `"%d":{}`) + `}}`, `{"a":1}`, ""},
		schemaCase{"levels", strings.Repeat(`{"not":`, 900) + `{}` + strings.Repeat(`}`, 900), `{"a":1}`, withheld})
}

// outsideSchemas refer to a file and to an address, in all ways there are. None compiles.
func outsideSchemas(file, address string) (all []schemaCase) {
	for i, to := range []string{"file://" + file, file, filepath.Base(file), "http://" + address + "/schema.json", "//" + address + "/schema.json"} {
		for keyword, format := range map[string]string{"ref": `{"$ref":%q}`, "dynamic": `{"$dynamicRef":%q}`, "schema": `{"$schema":%q}`, "id": `{"$id":%q,"properties":{"a":{"$ref":"other.json"}}}`} {
			all = append(all, schemaCase{fmt.Sprint(keyword, i), fmt.Sprintf(format, to), `{"a":1}`, ""})
		}
	}
	return all
}

// honestSchemas are large or elaborate, as real ones can be. Each has a twin whose content differs at its end.
func honestSchemas() []schemaCase {
	rows := `{"type":"object","required":["rows"],"properties":{"rows":{"type":"array","items":{"type":"object","required":["id","state"],"additionalProperties":false,` +
		`"properties":{"id":{"type":"integer"},"title":{"type":"string","pattern":"^[A-Za-z0-9 ,]+$"},"state":{"enum":["open","closed"]}}}}}}`
	row := `{"id":%d,"title":"A pull request with a title that says what it does","state":"open"}`
	node := `{"$ref":"#/$defs/node","$defs":{"node":{"oneOf":[{"type":"object","properties":{"op":{"enum":["add","mul"]},"left":{"$ref":"#/$defs/node"},"right":{"$ref":"#/$defs/node"}},` +
		`"required":["op","left","right"],"additionalProperties":false},{"type":"object","properties":{"value":{"type":"number"}},"required":["value"],"additionalProperties":false}]}}}`
	var tree func(n int, leaf string) string
	tree = func(n int, leaf string) string {
		if n < 3 {
			return `{"` + leaf + `":1.5}`
		}
		left := (n - 1) / 2
		return `{"op":"add","left":` + tree(left, "value") + `,"right":` + tree(n-1-left, leaf) + `}`
	}
	mail := `{"items":{"type":"string","pattern":"^(?=.{6,254}$)(?=[^@]{1,64}@)[A-Za-z0-9._%+-]+@(?!-)[A-Za-z0-9-]+(\\.[A-Za-z]{2,})+$"}}`
	mails := repeated(50, `"ada.lovelace+%d@example.org"`)
	return []schemaCase{
		{"rows", rows, `{"rows":[` + repeated(12_000, row) + `]}`, ""},
		{"rows_altered", rows, `{"rows":[` + repeated(12_000, row) + `,{"id":1,"state":"opened"}]}`, "enum at /properties/rows/items/properties/state/enum"},
		{"tree", node, tree(4000, "value"), ""},
		{"tree_altered", node, tree(4000, "other"), "oneOf"},
		{"mail", mail, "[" + mails + "]", ""},
		{"mail_altered", mail, "[" + mails + `,"ada@-example.org"]`, "pattern at /items/pattern"},
	}
}

// schemaServer has a tool for each case, one without a schema, and more of those that say something.
func schemaServer(t *testing.T, dir string, cases []schemaCase, without map[string]string) []string {
	t.Helper()
	tools, answers := []string{`{"name":"beside","inputSchema":{"type":"object"}}`}, map[string]json.RawMessage{}
	for tool, says := range without {
		tools = append(tools, fmt.Sprintf(`{"name":%q,"inputSchema":{"type":"object"}}`, tool))
		answers[tool] = fmt.Appendf(nil, `{"content":[{"type":"text","text":%q}]}`, says)
	}
	for _, c := range cases {
		tools = append(tools, fmt.Sprintf(`{"name":%q,"inputSchema":{"type":"object"},"outputSchema":%s}`, c.tool, c.schema))
		answers[c.tool] = json.RawMessage(`{"content":[{"type":"text","text":"told"}],"structuredContent":` + c.content + `}`)
	}
	raw, err := json.Marshal(map[string]any{"tools": tools, "answers": answers})
	if err != nil {
		t.Fatal(err)
	}
	return script(t, dir, "schemas.json", string(raw))
}

// together calls a tool and, without waiting, the one beside it. It returns the response of the first, how long each took, and whether the
// other came first.
func (s *session) together(tool string) (got string, took, beside time.Duration, first bool) {
	s.t.Helper()
	s.nextID += 2
	id, other := strconv.Itoa(s.nextID-1), strconv.Itoa(s.nextID)
	began := time.Now()
	s.start(id, "tools/call", fmt.Sprintf(`{"name":%q,"arguments":{}}`, tool))
	s.start(other, "tools/call", `{"name":"beside","arguments":{}}`)
	for range 2 {
		s.until("a response", func(e envelope, line string) bool {
			switch {
			case e.Method == "" && string(e.ID) == id:
				got, took = line, time.Since(began)
				return true
			case e.Method == "" && string(e.ID) == other:
				beside, first = time.Since(began), got == ""
				return true
			}
			return false
		})
	}
	return got, took, beside, first
}

// peak is the most memory that a process has had, in bytes.
func peak(t *testing.T, pid int) int {
	t.Helper()
	raw, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		t.Fatal(err)
	}
	_, rest, _ := strings.Cut(string(raw), "VmHWM:")
	fields := strings.Fields(rest)
	if len(fields) < 2 {
		t.Fatalf("no peak in %s", raw)
	}
	kb, err := strconv.Atoi(fields[0])
	if err != nil {
		t.Fatal(err)
	}
	return kb << 10
}

// judgedStrictly puts a server in front of a client, allows everything, and refuses what does not match.
func judgedStrictly(t *testing.T, dir string, cases []schemaCase, without map[string]string) (*installation, *session, []string) {
	t.Helper()
	h := install(t)
	if out, code := h.run("settings", "set", "output_validation.mode", "strict", "--yes"); code != 0 {
		t.Fatalf("settings: status %d: %s", code, out)
	}
	argv := schemaServer(t, dir, cases, without)
	s := h.inFront(dir, "e2e", argv)
	h.approve() // once: what can't be allowed stays in the inbox
	s.heard("list_changed")
	return h, s, argv
}

func (c schemaCase) check(t *testing.T, got string) {
	t.Helper()
	said := `"structuredContent":` + c.content
	switch c.refused {
	case "":
	case withheld:
		said = "has a definition that can be read in two ways, so it was not run"
	default:
		said = "does not match its output schema (" + c.refused
	}
	if !strings.Contains(got, said) || c.refused != "" && strings.Contains(got, "structuredContent") {
		t.Errorf("%s: %s", c.tool, short(got))
	}
}

func TestHostileOutputSchemasStopNoCallAndTakeLittleMemory(t *testing.T) {
	if testing.Short() {
		t.Skip("validates megabytes")
	}
	t.Parallel()
	dir := folder(t)
	cases := append(hostileSchemas(), honestSchemas()...)
	_, s, _ := judgedStrictly(t, dir, cases, nil)
	for _, c := range cases {
		got, took, beside, first := s.together(c.tool)
		t.Logf("%s: %v, beside it %v, which came first: %t", c.tool, took.Round(time.Millisecond), beside.Round(time.Millisecond), first)
		c.check(t, got)
	}
	// What is validated in turn with everything else never comes second.
	wait(t, "a response that passes another one that is validated", func() bool { _, _, _, first := s.together("patterns"); return first })
	used := peak(t, s.cmd.Process.Pid)
	t.Logf("the wrapper took %d MiB", used>>20)
	if used > wrapperMemory {
		t.Errorf("the wrapper took %d MiB", used>>20)
	}
}

func TestReferencesInOutputSchemasOpenNothing(t *testing.T) {
	if testing.Short() {
		t.Skip("runs strace")
	}
	t.Parallel()
	dir := folder(t)
	file := filepath.Join(dir, "referred-to.json")
	script(t, dir, filepath.Base(file), `{}`)
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	var asked atomic.Int32
	go func() {
		for {
			c, err := listener.Accept()
			if err != nil {
				return
			}
			asked.Add(1)
			c.Close()
		}
	}()
	cases := outsideSchemas(file, listener.Addr().String())
	h, first, argv := judgedStrictly(t, dir, cases, nil)
	first.hangUp(true)

	trace := filepath.Join(mkdir(t), "trace")
	s := launch(t, dir, environment(h.env()...), slices.Concat(strace(t, trace), h.wrap(), argv))
	s.handshake("2025-06-18")
	for _, c := range cases {
		c.check(t, s.call(c.tool, `{}`))
	}
	s.hangUp(true)
	raw, err := os.ReadFile(trace)
	if err != nil {
		t.Fatal(err)
	}
	opened := string(raw)
	if !strings.Contains(opened, inHex("schemas.json")) { // the server's own script
		t.Error("the trace shows no file that was opened")
	}
	for line := range strings.Lines(opened) {
		if strings.Contains(line, "open") && strings.Contains(line, inHex(filepath.Base(file))) {
			t.Errorf("%s", short(line))
		}
	}
	if n := asked.Load(); n != 0 {
		t.Errorf("the address was asked %d times", n)
	}
}
