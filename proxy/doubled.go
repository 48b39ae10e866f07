package proxy

import (
	"bytes"
	"encoding/json"
	"errors"

	"github.com/sallyport/sallyport/proxy/frame"
	"github.com/sallyport/sallyport/proxy/pin"
	"github.com/sallyport/sallyport/proxy/vocab"
)

// withoutDoubled is a page of a listing without the definitions in which two keys are one to some parser, and these definitions.
// The rule would have the whole page refused, and with it everything the server declares; only what stands inside of one definition
// can be withheld with it alone. What is left has been scanned into m like any line, so nothing with two readings is in it: where
// anything else is wrong with the line, or it is no answer to a listing, rest is nil. why is what was wrong with the line.
func (s *Session) withoutDoubled(line []byte, why error, m *frame.Message) (rest []byte, cut [][]byte) {
	id, _ := frame.FindID(line)
	if r := s.calls.peek(id); r != nil && r.method.listing() {
		rest, cut = cutDoubled(line, why, r.method.list().Member)
	}
	if rest == nil || frame.Scan(rest, frame.FromServer, m) != nil || m.Kind != frame.Result || !bytes.Equal(m.ID.Of(rest), id) {
		return nil, nil
	}
	for range cut {
		s.journal.counted("blocked a definition: two of its keys are the same to some programs", vocab.StatusBlocked, "one_reading")
	}
	return rest, cut
}

// cutDoubled cuts those definitions out of the array member of a result. rest may still be a line that is refused.
func cutDoubled(line []byte, why error, member string) (rest []byte, cut [][]byte) {
	var problem *frame.Problem
	if !errors.As(why, &problem) || !problem.TwoKeys() || !json.Valid(line) {
		return nil, nil
	}
	array, ok := frame.Find(line, frame.Root(line), "result", member)
	if !ok || frame.Type(line, array) != '[' {
		return nil, nil
	}
	edits := frame.EditArray(line, array, func(i int, value frame.Span) bool {
		if i >= pin.MaxItems { // what lies beyond is not looked at
			return true
		}
		problem = nil
		if !errors.As(frame.Validate(value.Of(line)), &problem) || !problem.TwoKeys() {
			return true
		}
		cut = append(cut, bytes.Clone(value.Of(line)))
		return false
	})
	if len(cut) == 0 {
		return nil, nil
	}
	return frame.Splice(nil, line, edits), cut
}
