package e2e

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"
)

// besideWithin is how long a call beside hostile ones can take, where one of these alone takes so long on this machine: it waits for one of each
// tool at most, and has its own work to do.
func besideWithin(tools []string, alone time.Duration) time.Duration {
	different := len(slices.Compact(slices.Sorted(slices.Values(tools))))
	return time.Duration(different)*alone + alone/2 + 250*time.Millisecond
}

// costly is a tool whose response of about n bytes needs nearly all the work that it may, and then uses up the time that patterns have.
func costly(tool string, n int) schemaCase {
	schema := `{"items":{"allOf":[` + repeated(1900, `{"properties":{"a%d":true}}`) + `],"pattern":"(a?b?c?d?){0,300}e"}}`
	object := `{` + repeated(400, `"b%d":1`) + `}`
	return schemaCase{tool, schema, `[` + strings.Repeat(object+`,`, 3) + `"` + strings.Repeat("abcd", n/4) + `"]`, "cost"}
}

// ordinary are tools with honest responses of every size that is treated in its own way, with an output schema and without.
func ordinary(t *testing.T) (with []schemaCase, without map[string]string) {
	t.Helper()
	rows := honestSchemas()[0]
	fewer := strings.Index(rows.content[len(rows.content)/2:], "},{") + len(rows.content)/2
	with = []schemaCase{
		{"short", `{"type":"object","required":["n"],"properties":{"n":{"type":"integer"}}}`, `{"n":1}`, ""},
		{"middling", rows.schema, rows.content[:fewer] + "}]}", ""},
		{"large", rows.schema, rows.content, ""},
	}
	if n := len(with[1].content); n < 256<<10 || n >= 1<<20 || len(with[2].content) < 1<<20 {
		t.Fatalf("a middling response of %d bytes, and a large one of %d", n, len(with[2].content))
	}
	return with, map[string]string{"plain": "told", "plain_large": strings.Repeat("An ordinary line of a long report. ", 10_000)}
}

// besideMany calls tools without waiting, and then each of others. It returns how long each of these took, and the last of the first. On a busy
// machine the wrapper's processor time counts where it is less: the rest was somebody else's turn.
func (s *session) besideMany(tools, others []string) (took map[string]time.Duration, last time.Duration) {
	s.t.Helper()
	began, before, waiting := time.Now(), used(s.t, s.cmd.Process.Pid), map[string]string{}
	for _, tool := range slices.Concat(tools, others) {
		s.nextID++
		id := strconv.Itoa(s.nextID)
		waiting[id] = tool
		s.start(id, "tools/call", fmt.Sprintf(`{"name":%q,"arguments":{}}`, tool))
	}
	took = map[string]time.Duration{}
	s.until("all responses", func(e envelope, line string) bool {
		tool, ok := waiting[string(e.ID)]
		if !ok || e.Method != "" {
			return false
		}
		delete(waiting, string(e.ID))
		if slices.Contains(others, tool) {
			took[tool] = min(time.Since(began), used(s.t, s.cmd.Process.Pid)-before)
			if strings.Contains(line, "[Sallyport]") {
				s.t.Errorf("%s: %s", tool, short(line))
			}
		} else if last = time.Since(began); !strings.Contains(line, "does not match its output schema (cost") {
			s.t.Errorf("%s: %s", tool, short(line))
		}
		return len(waiting) == 0
	})
	return took, last
}

// times are durations by name.
func times(took map[string]time.Duration) string {
	var all []string
	for _, name := range slices.Sorted(maps.Keys(took)) {
		all = append(all, fmt.Sprint(name, " ", took[name].Round(time.Millisecond)))
	}
	return strings.Join(all, ", ")
}

// Responses that take as long to validate as they can, many at once, keep no other call waiting: neither of tools without an output schema, nor
// of honest ones with one.
func TestManyHostileValidationsKeepNoOtherCallWaiting(t *testing.T) {
	if testing.Short() {
		t.Skip("validates for half a minute")
	}
	dir := folder(t)
	cases, without := ordinary(t)
	others := slices.Sorted(maps.Keys(without))
	for _, c := range cases {
		others = append(others, c.tool)
	}
	for i := range 8 {
		cases = append(cases, costly(fmt.Sprint("costly", i), 100_000), costly(fmt.Sprint("costly_middling", i), 300_000))
	}
	cases = append(cases, costly("costly_large", 2<<20))
	h, first, argv := judgedStrictly(t, dir, cases, without)
	first.hangUp(true)
	each := func(tool string, n int) (all []string) {
		for i := range n {
			all = append(all, fmt.Sprint(tool, i))
		}
		return all
	}
	for _, c := range played(2, []struct {
		name  string
		tools []string
	}{
		{"eight large ones of one tool", slices.Repeat([]string{"costly_large"}, 8)},
		{"eight short ones of eight tools", each("costly", 8)},
		{"two short ones", each("costly", 2)},
		{"two middling ones", each("costly_middling", 2)},
		{"eight middling ones of eight tools", each("costly_middling", 8)},
		{"two large ones", []string{"costly_large", "costly_large"}},
	}) {
		t.Run(c.name, func(t *testing.T) {
			slowest, alone := time.Hour, time.Duration(0)
			for range 2 { // the best of two, each in a new wrapper, which does not know the tools yet
				s := h.inFront(dir, "e2e", argv)
				s.call("plain", `{}`) // once it is answered, all that belongs to a start is done
				before := used(t, s.cmd.Process.Pid)
				s.call(c.tools[0], `{}`)
				alone = max(alone, used(t, s.cmd.Process.Pid)-before)
				s.hangUp(true)
				s = h.inFront(dir, "e2e", argv)
				s.call("plain", `{}`)
				took, last := s.besideMany(c.tools, others)
				s.hangUp(true)
				slowest = min(slowest, slices.Max(slices.Collect(maps.Values(took))))
				t.Logf("%d hostile ones in %v, beside them %s", len(c.tools), last.Round(time.Millisecond), times(took))
			}
			t.Logf("the slowest beside them after %v, at best of two; one hostile one alone takes %v", slowest.Round(time.Millisecond), alone)
			if slowest > besideWithin(c.tools, alone) {
				t.Errorf("a call beside them took %v, and one hostile one alone %v", slowest, alone)
			}
		})
	}
}
