package pin

import (
	"fmt"
	"slices"
	"strings"
)

// RequestDigest is equal for two requests that ask for the same: method and params, compared as pins are. It leaves out `_meta` (a progress
// token differs each time) and treats absent arguments as empty. params is nil or an object.
func RequestDigest(method string, params []byte) (Digest, error) {
	if params == nil {
		params = []byte("{}")
	}
	if err := check(params); err != nil {
		return "", fmt.Errorf("request: %w", err)
	}
	all, err := members(params)
	if err != nil {
		return "", fmt.Errorf("request: %w", err)
	}
	all = slices.DeleteFunc(all, func(m field) bool {
		return m.key == "_meta" || m.key == "arguments" && strings.Join(strings.Fields(string(m.raw)), "") == "{}"
	})
	form := []byte{'{'}
	for i, m := range all {
		if i > 0 {
			form = append(form, ',')
		}
		form = append(form, appendString(nil, m.key)...)
		form = append(form, ':')
		form = append(form, m.raw...)
	}
	return digestChecked("request", method, append(form, '}'))
}
