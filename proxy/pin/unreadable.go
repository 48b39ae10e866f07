package pin

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/sallyport/sallyport/proxy/cut"
	"github.com/sallyport/sallyport/proxy/frame"
	"github.com/sallyport/sallyport/proxy/inspect"
)

// Declared is ItemOf, but turns an ambiguous definition that has a name into an item: with Unread instead of Raw, a digest of its bytes
// that no readable definition can have, and one High finding inspect.NoReading. The item is blocked and cannot be approved, but a person
// can see that it replaced another definition.
func Declared(kind Kind, raw []byte) (Item, error) {
	item, err := ItemOf(kind, raw)
	if err == nil {
		return item, nil
	}
	return unreadable(kind, raw, err)
}

// unreadable builds the item for a definition that is ambiguous because of why.
func unreadable(kind Kind, raw []byte, why error) (Item, error) {
	raw = bytes.TrimSpace(raw)
	if !json.Valid(raw) || !utf8.Valid(raw) {
		return Item{}, why // its content can't be told
	}
	name, ok := plainName(kind, raw)
	if !ok {
		return Item{}, why
	}
	return Item{
		Kind: kind, Name: name, Unread: bytes.Clone(raw), Digest: unreadDigest(kind, name, raw),
		Findings: []inspect.Finding{whyUnread(raw, why)},
	}, nil
}

// plainName is the name of an ambiguous definition as every parser that respects case reads it; not ok if there are two different ones.
func plainName(kind Kind, raw []byte) (name string, ok bool) {
	if kind == Instructions {
		return "", kindOf(raw) == '"'
	}
	key, some, clear := nameKey(kind), false, true
	frame.Members(raw, frame.Root(raw), func(k string, m frame.Member) bool {
		if k != key {
			return true
		}
		text, whole := frame.String(raw, m.Value)
		clear = whole && text != "" && (!some || text == name)
		name, some = text, true
		return clear
	})
	return name, some && clear
}

// unreadDigest identifies the bytes of a definition. Its input begins differently from DigestOf's, so the two are never equal.
func unreadDigest(kind Kind, name string, raw []byte) Digest {
	return named(frame.AppendString([]byte(`{"unread":`), hashOf(raw)), kind, name)
}

// whyUnread tells a person what is ambiguous, and where.
func whyUnread(raw []byte, why error) inspect.Finding {
	f := inspect.Finding{Rule: inspect.NoReading, Level: inspect.High, Category: "threat"}
	s := seeker{raw: raw, budget: maxWork*len(raw) + 1<<20}
	var problem *frame.Problem
	switch {
	case errors.As(why, &problem) && problem.TwoKeys():
		f.Title = "Two of its keys are the same to some programs"
		if first, second, ok := s.doubled(frame.Root(raw), problem.Offset); ok {
			f.Match = fmt.Sprintf("%s and %s", cut.Runes(first, maxMatch/2-3), cut.Runes(second, maxMatch/2-3))
		}
	case errors.Is(why, ErrLoneSurrogate):
		f.Title = "It holds half of a character (a lone surrogate)"
		s.lone(frame.Root(raw), 0)
	default:
		f.Title = "It is nested too deeply to be compared"
	}
	f.Where = s.where()
	return f
}

// seeker finds the place of the ambiguity.
type seeker struct {
	raw    []byte
	budget int
	hops   []hop // innermost first
}

// hop is one step of a path: into a member, or into an element if index is not negative.
type hop struct {
	key   string
	index int
}

func (s *seeker) where() string {
	where := ""
	for _, h := range slices.Backward(s.hops) {
		if h.index >= 0 {
			where = inspect.Element(where, h.index)
		} else {
			where = inspect.Member(where, h.key)
		}
	}
	return tail(where)
}

// doubled returns the two equal keys, the second at offset, after its quote. Its hops lead to the object that holds them.
func (s *seeker) doubled(v frame.Span, offset int) (first, second string, ok bool) {
	if s.budget -= v.End - v.Start; s.budget < 0 {
		return "", "", false
	}
	into := func(inner frame.Span, to hop) bool {
		if inner.Start > offset || offset >= inner.End {
			return false
		}
		first, second, ok = s.doubled(inner, offset)
		s.hops = append(s.hops, to)
		return true
	}
	var before []string
	frame.Members(s.raw, v, func(key string, m frame.Member) bool {
		if m.Key.Start+1 != offset {
			before = append(before, key)
			return !into(m.Value, hop{strings.Clone(key), -1})
		}
		same := slices.IndexFunc(before, func(k string) bool { return strings.EqualFold(k, key) })
		if ok = same >= 0; ok {
			first, second = strings.Clone(before[same]), strings.Clone(key)
		}
		return false
	})
	frame.Elements(s.raw, v, func(i int, inner frame.Span) bool { return !into(inner, hop{index: i}) })
	return first, second, ok
}

// lone finds the first string, key or value, with half a surrogate pair.
func (s *seeker) lone(v frame.Span, depth int) (found bool) {
	if s.budget -= v.End - v.Start; depth > maxDepth || s.budget < 0 || bytes.IndexByte(v.Of(s.raw), '\\') < 0 {
		return false
	}
	if frame.Type(s.raw, v) == '"' {
		_, wellFormed := frame.StringBytes(s.raw, v)
		return !wellFormed
	}
	frame.Members(s.raw, v, func(key string, m frame.Member) bool {
		if _, wellFormed := frame.StringBytes(s.raw, m.Key); !wellFormed || s.lone(m.Value, depth+1) {
			s.hops, found = append(s.hops, hop{strings.Clone(key), -1}), true
		}
		return !found
	})
	frame.Elements(s.raw, v, func(i int, inner frame.Span) bool {
		if s.lone(inner, depth+1) {
			s.hops, found = append(s.hops, hop{index: i}), true
		}
		return !found
	})
	return found
}
