package declared

import (
	"github.com/sallyport/sallyport/proxy/control"
	"github.com/sallyport/sallyport/proxy/inspect"
	"github.com/sallyport/sallyport/proxy/pin"
	"github.com/sallyport/sallyport/proxy/schema"
)

const (
	// schemasPerCheck is how many bytes of new output schemas one check compiles. Made to be slow, they take 5 µs a byte; what is left is
	// looked at by the next check.
	schemasPerCheck = 512 << 10
	// schemasAtOnce is after how many bytes in all a check no longer causes the next.
	schemasAtOnce = 4 << 20
)

// schemaLook finds tools whose output schema does not compile, so that a person sees it before allowing them. It compiles each definition
// once for as long as it is listed.
type schemaLook struct {
	found map[pin.Digest]*inspect.Finding // nil for a schema that compiles
	bytes int                             // compiled so far
}

// look adds the findings to the items. It is false if there are schemas that it has not compiled yet.
func (s *schemaLook) look(items []pin.Item) (whole bool) {
	whole = true
	now := map[pin.Digest]*inspect.Finding{}
	left := schemasPerCheck
	for i := range items {
		item := &items[i]
		if item.Kind != pin.Tool || item.Raw == nil {
			continue
		}
		raw := pin.OutputSchema(item.Raw)
		if raw == nil {
			continue
		}
		found, known := s.found[item.Digest]
		if !known {
			work := len(raw)
			if work > control.MaxSchema {
				work = 0 // refused unread
			}
			if left < work {
				whole = false
				continue
			}
			left -= work
			s.bytes += work
			found = uncompiled(raw)
		}
		now[item.Digest] = found
		if found != nil {
			item.Findings = append(item.Findings, *found)
		}
	}
	s.found = now
	return whole || s.bytes > schemasAtOnce
}

// uncompiled is the finding about an output schema that does not compile.
func uncompiled(raw []byte) *inspect.Finding {
	_, err := schema.Compile(raw)
	if err == nil {
		return nil
	}
	return &inspect.Finding{
		Rule: inspect.OutputSchema, Level: inspect.Low, Category: "threat", Where: "outputSchema",
		Title: "Its outputSchema " + err.Error() + ", so its responses can't be checked against it",
	}
}

// lookFurther has the next check do what this one did not.
func (c *Checker) lookFurther() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.resyncs = true
	c.wake()
}
