package clientconfig

import (
	"slices"

	"github.com/tailscale/hujson"
)

// tooMuch is why an entry is left whose edit would do more than it should.
const tooMuch = "Sallyport can't edit it without changing something else in the file"

// plan is the edit of one entry, and what the entry must start once it is made.
type plan struct {
	name string
	ways [][]splice // the first that does nothing else counts
	argv []string   // nil for an address that is an entry of its own again

	address *Address // of a remote server
}

// met reports whether an entry is what was planned.
func (p plan) met(e Entry) bool {
	switch {
	case e.unmarked().Odd != "":
		return false
	case p.argv == nil:
		return e.URL != "" && e.left == "" && e.address.equal(*p.address)
	case p.address == nil:
		return slices.Equal(e.Argv(), p.argv)
	}
	address, ok := e.wraps()
	return ok && slices.Equal(e.Argv(), p.argv) && address.equal(*p.address)
}

// carryOut makes edits of entries. Each result is parsed again: if it differs from f in anything but the planned command and arguments, it
// is not used. after is the file with the edits that do what they should, f itself if there are none; failed are the others.
func (f *File) carryOut(plans []plan) (after *File, failed map[string]bool) {
	failed = map[string]bool{}
	if len(plans) == 0 {
		return f, failed
	}
	if after := f.attempt(plans, make([]int, len(plans))); after != nil {
		return after, failed
	}
	var good []plan
	var ways []int
	for _, p := range plans {
		way := slices.IndexFunc(p.ways, func(edits []splice) bool {
			return f.attempt([]plan{{p.name, [][]splice{edits}, p.argv, p.address}}, []int{0}) != nil
		})
		if way < 0 {
			failed[p.name] = true
			continue
		}
		good, ways = append(good, p), append(ways, way)
	}
	if len(good) == 0 {
		return f, failed
	}
	if after := f.attempt(good, ways); after != nil {
		return after, failed
	}
	for _, p := range good {
		failed[p.name] = true
	}
	return f, failed
}

// attempt makes each plan's edit in the given way, nil if the result is not what was planned.
func (f *File) attempt(plans []plan, ways []int) *File {
	var splices []splice
	for i, p := range plans {
		if len(p.ways[ways[i]]) == 0 {
			return nil
		}
		splices = append(splices, p.ways[ways[i]]...)
	}
	if overlap(splices) {
		return nil
	}
	after, err := Parse(apply(f.raw, splices), f.Format)
	if err != nil || len(after.Entries) != len(f.Entries) {
		return nil
	}
	before, now := map[*hujson.Value]bool{}, map[*hujson.Value]bool{}
	for i, e := range after.Entries {
		was := f.Entries[i]
		at := slices.IndexFunc(plans, func(p plan) bool { return p.name == e.Name })
		if e.Name != was.Name || at >= 0 && !plans[at].met(e) {
			return nil
		}
		if at >= 0 {
			was.edited(before)
			e.edited(now)
		}
	}
	if !same(&f.root, &after.root, before, now) {
		return nil
	}
	return after
}

// edited adds the values that wrapping edits.
func (e Entry) edited(values map[*hujson.Value]bool) {
	for _, v := range []*hujson.Value{e.command, e.vector, e.args} {
		if v != nil {
			values[v] = true
		}
	}
	if _, wraps := e.wraps(); !wraps && e.URL == "" || e.object == nil {
		return
	}
	s := e.shape
	for _, key := range append(s.addresses(), s.kind, s.headers, s.env, s.bearer, s.variables, s.passes) {
		if m := part(e.object, key); m != nil {
			values[&m.Value] = true
		}
	}
}

func overlap(splices []splice) bool {
	sorted := slices.Clone(splices)
	slices.SortStableFunc(sorted, func(a, b splice) int { return a.at.from - b.at.from })
	for i := 1; i < len(sorted); i++ {
		if sorted[i].at.from < sorted[i-1].at.to {
			return true
		}
	}
	return false
}
