package proxy

import (
	"runtime"
	"sync"
	"time"

	"github.com/sallyport/sallyport/proxy/frame"
	"github.com/sallyport/sallyport/proxy/policy"
	"github.com/sallyport/sallyport/proxy/schema"
)

const (
	// validateOne is the size from which responses to be validated are examined one at a time. Decoding takes up to 30 times as much memory.
	validateOne = 1 << 20
	// collectFrom is the size from which the garbage of earlier responses goes first, which costs less than decoding: four responses of 8 MiB,
	// beside sixty large schemas, take a wrapper to 257 MB with it and to 292 without.
	collectFrom = 4 << 20
	// keywordMissing is the keyword of a result that lacks structured content, beside those of package schema.
	keywordMissing = "missing"
	modeStrict     = "strict"
)

// validation judges structured content by the output schema that was approved with its tool. It does so beside the reading goroutine, unless
// maxAside is reached: a schema can be made to take a second.
type validation struct {
	schemas schema.Cache
	lanes   [3]*lane // by the size of the response: none waits for a longer one
	long    sync.Map // the tools with a validation that took longerThan, by item
}

func newValidation() *validation {
	return &validation{lanes: [3]*lane{newLane(2), newLane(2), newLane(1)}}
}

// of is where a response of n bytes is validated.
func (c *validation) of(n int) *lane {
	switch {
	case n >= validateOne:
		return c.lanes[2]
	case n >= asideFrom:
		return c.lanes[1]
	default:
		return c.lanes[0]
	}
}

// tookLong reports whether a validation of a tool did.
func (c *validation) tookLong(item string) bool {
	_, long := c.long.Load(item)
	return long
}

// took notes how long a validation took.
func (c *validation) took(item string, d time.Duration) {
	if d >= longerThan {
		c.long.Store(item, true)
	}
}

// judge returns how the structured content of a result breaks its tool's output schema, nil if it doesn't, or if the schema does not compile:
// the review and the timeline say that. The guards come first, before anything is decoded. task tells whether the client asked for a task.
func (c *validation) judge(output []byte, p *policy.Wrapper, line []byte, result frame.Span, task func() bool) *schema.Violation {
	content, ok := frame.Find(line, result, "structuredContent")
	if !ok && (p.Validation != modeStrict || !p.BlockMissing || interim(line, result, task)) {
		return nil
	}
	compiled, err := c.schemas.Get(output)
	switch {
	case err != nil:
		return nil
	case !ok:
		return &schema.Violation{Keyword: keywordMissing, Message: "has no structured content"}
	}
	value := content.Of(line)
	if len(value) >= collectFrom {
		runtime.GC()
	}
	return compiled.Validate(value, schema.Limits{MaxBytes: p.ValidateBytes, MaxDepth: p.ValidateDepth})
}

// interim reports whether a result only announces another one, that of the task that was asked for. In the legacy era a resultType means
// nothing: with "input_required" a server must not get past the check.
func interim(line []byte, result frame.Span, task func() bool) bool {
	_, created := frame.Find(line, result, "task", "taskId")
	return created && task()
}
