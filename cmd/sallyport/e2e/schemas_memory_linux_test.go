package e2e

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"
)

// wrapperMemory is what a wrapper can take whatever it validates, in bytes.
const wrapperMemory = 300 << 20

// full are tools whose structured content is as large as is validated by default: the rows of a search, and what takes most memory to decode.
// The last value of one is wrong, which only shows once all of it was looked at.
func full() []schemaCase {
	fill := func(one, end string) string {
		return strings.Repeat(one+",", (8<<20-len(end)-20)/(len(one)+1)) + end
	}
	row := `{"id":7,"title":"A pull request with a title that says what it does","state":"open"}`
	return []schemaCase{
		{"brackets", `{"items":{"type":"array"}}`, "[" + fill("[]", "[]") + "]", ""},
		{"numbers", `{"type":"array","items":{"type":"integer","minimum":0}}`, "[" + fill("0", "0") + "]", ""},
		{"numbers_altered", `{"type":"array","items":{"type":"integer","minimum":0}}`, "[" + fill("0", "-1") + "]", "minimum at /items/minimum"},
		{"rows", honestSchemas()[0].schema, `{"rows":[` + fill(row, row) + `]}`, ""},
	}
}

// large are tools with output schemas that have as many parts as one can, each its own.
func large(n int) (all []schemaCase) {
	for i := range n {
		all = append(all, schemaCase{fmt.Sprint("schema", i), `{"properties":{` + repeated(3900, fmt.Sprint(`"p`, i)+`_%d":{}`) + `}}`, `{"a":1}`, ""})
	}
	return all
}

// Four at a time, beside sixty large schemas: more of either waits, or is forgotten.
func TestFourResponsesOf8MBAtOnceAreValidatedInLittleMemory(t *testing.T) {
	if testing.Short() {
		t.Skip("validates megabytes")
	}
	dir := folder(t)
	schemas, cases := large(60), played(1, full())
	h, first, argv := judgedStrictly(t, dir, slices.Concat(schemas, cases), nil)
	first.hangUp(true)
	for _, c := range cases {
		t.Run(c.tool, func(t *testing.T) {
			s := h.inFront(dir, "e2e", argv)
			for _, other := range schemas {
				other.check(t, s.call(other.tool, `{}`))
			}
			before, began := peak(t, s.cmd.Process.Pid), time.Now()
			ids := []string{"1001", "1002", "1003", "1004"}
			for _, id := range ids {
				s.start(id, "tools/call", fmt.Sprintf(`{"name":%q,"arguments":{}}`, c.tool))
			}
			left := len(ids)
			s.until("all responses", func(e envelope, line string) bool {
				if id, _ := strconv.Atoi(string(e.ID)); e.Method == "" && id > 1000 {
					c.check(t, line)
					left--
				}
				return left == 0
			})
			took, used := time.Since(began), peak(t, s.cmd.Process.Pid)
			t.Logf("four of %d bytes in %v: the wrapper took %d MiB, and %d before them", len(c.content), took.Round(time.Millisecond), used>>20, before>>20)
			if used > wrapperMemory {
				t.Errorf("the wrapper took %d MiB", used>>20)
			}
			s.hangUp(true)
		})
	}
}
