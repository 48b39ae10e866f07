package proxy

import (
	"strconv"
	"strings"

	"github.com/sallyport/sallyport/proxy/frame"
)

// maxCached is how long a client may keep what it was shown, in milliseconds: what was blocked since then is gone within that time
// (CacheableResult.ttlMs, specification of 2026-07-28).
const maxCached = 5000

// cached is what we write in place of a result's hints for caching. ours is false for any other member.
func cached(key string, value []byte) (with []byte, ours bool) {
	switch { // some parsers ignore case
	case strings.EqualFold(key, "ttlMs"):
		switch n, err := strconv.ParseFloat(string(value), 64); {
		case err != nil || n < 0:
			return []byte("0"), true
		case n > maxCached:
			return strconv.AppendInt(nil, maxCached, 10), true
		}
		return value, true
	case strings.EqualFold(key, "cacheScope"):
		return []byte(`"private"`), true
	}
	return nil, false
}

// uncached limits the hints for caching in a result of the modern era.
func uncached(line []byte) []byte {
	result, ok := frame.Find(line, frame.Root(line), "result")
	if !ok {
		return line
	}
	if edits := cacheEdits(line, result); len(edits) > 0 {
		return frame.Splice(nil, line, edits)
	}
	return line
}

// cacheEdits are the edits that limit the hints for caching in a result.
func cacheEdits(line []byte, result frame.Span) (edits []frame.Edit) {
	ttl, scope := false, false
	frame.Members(line, result, func(key string, m frame.Member) bool {
		ttl, scope = ttl || strings.EqualFold(key, "ttlMs"), scope || strings.EqualFold(key, "cacheScope")
		if with, ours := cached(key, m.Value.Of(line)); ours && string(with) != string(m.Value.Of(line)) {
			edits = append(edits, frame.Edit{Start: m.Value.Start, End: m.Value.End, With: with})
		}
		return true
	})
	if ttl && !scope {
		edits = append(edits, frame.AppendMember(line, result, []byte(`"cacheScope":"private"`))...)
	}
	return edits
}
