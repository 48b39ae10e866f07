package control

import (
	"encoding/base64"
	"strconv"

	"github.com/sallyport/sallyport/proxy/frame"
)

// byHand reads JSON that has passed frame.Validate. What it does not take, it says no to.
type byHand struct{ raw []byte }

// object calls member for each until it says no. A key may be valid only until member returns.
func (r byHand) object(v frame.Span, member func(key string, v frame.Span) bool) bool {
	if frame.Type(r.raw, v) != '{' {
		return false
	}
	ok := true
	frame.Members(r.raw, v, func(key string, m frame.Member) bool {
		ok = member(key, m.Value)
		return ok
	})
	return ok
}

func listByHand[T any](r byHand, v frame.Span, into *[]T, one func(v frame.Span, into *T) bool) bool {
	if frame.Type(r.raw, v) != '[' {
		return false
	}
	ok := true
	all := []T{}
	frame.Elements(r.raw, v, func(_ int, v frame.Span) bool {
		var t T
		ok = one(v, &t)
		all = append(all, t)
		return ok
	})
	*into = all
	return ok
}

func (r byHand) texts(v frame.Span, into *[]string) bool { return listByHand(r, v, into, r.text) }

func (r byHand) text(v frame.Span, into *string) (wellFormed bool) {
	*into, wellFormed = frame.String(r.raw, v)
	return wellFormed
}

func (r byHand) bytes(v frame.Span, into *[]byte) bool {
	var text string
	if !r.text(v, &text) {
		return false
	}
	b, err := base64.StdEncoding.DecodeString(text)
	*into = b
	return err == nil
}

func (r byHand) truth(v frame.Span, into *bool) bool {
	*into = frame.Type(r.raw, v) == 't'
	return *into || frame.Type(r.raw, v) == 'f'
}

func (r byHand) unsigned(v frame.Span, into *uint64) (ok bool) {
	n, err := strconv.ParseUint(string(v.Of(r.raw)), 10, 64)
	*into = n
	return err == nil
}

func (r byHand) signed(v frame.Span, into *int64) (ok bool) {
	n, err := strconv.ParseInt(string(v.Of(r.raw)), 10, 64)
	*into = n
	return err == nil
}
