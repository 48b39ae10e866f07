package proxy

import (
	"bytes"
	"encoding/json"
	"errors"

	"github.com/sallyport/sallyport/proxy/frame"
	"github.com/sallyport/sallyport/proxy/pin"
	"github.com/sallyport/sallyport/proxy/vocab"
)

// withoutDoubled cuts the definitions with duplicate keys out of a page of a listing, and returns the rest and those definitions. Otherwise
// they would make the whole page unreadable, and with it everything the server declares. The rest has been scanned into m like any line, so
// it is unambiguous; if the line has any other fault, or is no response to a listing, rest is nil. why is the fault of the line.
func (s *Session) withoutDoubled(line []byte, why error, m *frame.Message) (rest []byte, cut [][]byte) {
	id, _ := frame.FindID(line)
	if r := s.calls.peek(id); r != nil && r.method.listing() {
		rest, cut = cutDoubled(line, why, r.method.list().Member)
	}
	if rest == nil || frame.Scan(rest, frame.FromServer, m) != nil || m.Kind != frame.Result || !bytes.Equal(m.ID.Of(rest), id) {
		return nil, nil
	}
	for range cut {
		s.journal.counted(vocab.ModeAlways, "blocked a definition: two of its keys are the same to some programs", vocab.StatusBlocked, "one_reading")
	}
	return rest, cut
}

// cutDoubled cuts those definitions out of the array member of a result. rest may still be refused.
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
		if i >= pin.MaxItems { // nothing beyond is read
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
