package schema

import (
	"net/url"
	"strconv"
	"strings"
)

// references are the keywords that lead to another subschema, by the dialects that have them.
var references = []struct {
	keyword     string
	first, last dialect
}{{"$ref", 4, 2020}, {"$recursiveRef", 2019, 2019}, {"$dynamicRef", 2020, 2020}}

// followAll goes where the references of a schema lead. That can be a place that is no subschema by any keyword: what is there becomes one,
// with references of its own. What is outside is refused, but for metaschemas.
func (s *survey) followAll() error {
	var named []*site // with references to anchors, which can be in places that are found later
	for len(s.pending) > 0 {
		at := s.pending[len(s.pending)-1]
		s.pending = s.pending[:len(s.pending)-1]
		later, err := s.follow(at)
		if err != nil {
			return err
		}
		if later {
			named = append(named, at)
		}
	}
	for _, at := range named {
		if later, err := s.follow(at); err != nil || later {
			return errNowhere
		}
	}
	return nil
}

// follow resolves the references of one subschema. It says later if one leads to an anchor that is not known yet.
func (s *survey) follow(at *site) (later bool, err error) {
	obj, _ := at.value.(map[string]any)
	for _, r := range references {
		to, ok := obj[r.keyword].(string)
		if !ok || at.dialect < r.first || at.dialect > r.last {
			continue
		}
		target, known, err := s.resolve(at, to)
		if err != nil {
			return false, err
		}
		if !known {
			later = true
			continue
		}
		if s.sites[target.place] == nil {
			s.checked = append(s.checked, target)
			if err := s.subschema(target); err != nil {
				return false, err
			}
		}
	}
	return later, nil
}

// resolve finds the site that a reference means. It is not known if it names an anchor that was not met yet.
func (s *survey) resolve(at *site, to string) (target *site, known bool, err error) {
	address, escaped, _ := strings.Cut(to, "#")
	fragment, err := url.PathUnescape(escaped)
	if err != nil {
		return nil, false, errAddress
	}
	res := at.resource
	if address != "" {
		if res, err = s.outside(at, address); err != nil {
			return nil, false, err
		}
	}
	if fragment != "" && fragment[0] != '/' {
		where, ok := res.anchors[fragment]
		return s.sites[where], ok, nil
	}
	where := place{res.at.source, res.at.pointer + fragment}
	if found := s.sites[where]; found != nil {
		return found, true, nil
	}
	v, ok := find(where.source.root, where.pointer)
	if !ok {
		return nil, false, errNowhere
	}
	first := *s.around(where)
	first.place, first.value, first.level, first.weight = where, v, 0, len(where.pointer)
	return &first, true, nil
}

// around is the innermost site that a place is in.
func (s *survey) around(where place) *site {
	for s.sites[where] == nil {
		where.pointer = where.pointer[:strings.LastIndexByte(where.pointer, '/')]
	}
	return s.sites[where]
}

// outside finds the resource of another address.
func (s *survey) outside(at *site, address string) (*resource, error) {
	absolute, err := at.base.Parse(address)
	if err != nil {
		return nil, errAddress
	}
	if res := s.resources[absolute.String()]; res != nil {
		return res, nil
	}
	first, ok := s.load(absolute.String())
	if !ok {
		return nil, errOutside
	}
	return first.resource, nil
}

// find follows a JSON pointer.
func find(v any, pointer string) (any, bool) {
	for _, segment := range strings.Split(pointer, "/")[1:] {
		segment = strings.ReplaceAll(strings.ReplaceAll(segment, "~1", "/"), "~0", "~")
		switch of := v.(type) {
		case map[string]any:
			member, ok := of[segment]
			if !ok {
				return nil, false
			}
			v = member
		case []any:
			i, err := strconv.Atoi(segment)
			if err != nil || i < 0 || i >= len(of) {
				return nil, false
			}
			v = of[i]
		default:
			return nil, false
		}
	}
	return v, true
}
