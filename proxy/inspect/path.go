package inspect

import (
	"strconv"
	"strings"
)

// Member is the path of a member of the object at where: "inputSchema.properties.city", or `_meta["io.x/y"]` where the
// key is no plain word. Keys are server text: a path is escaped before it is printed.
func Member(where, key string) string {
	if !word(key) {
		return where + "[" + strconv.Quote(clip(key, maxMatch)) + "]"
	}
	if where == "" {
		return key
	}
	return where + "." + key
}

// Element is the path of an element of the array at where.
func Element(where string, index int) string {
	return where + "[" + strconv.Itoa(index) + "]"
}

func word(key string) bool {
	return key != "" && len(key) <= maxMatch && strings.IndexFunc(key, func(r rune) bool {
		return !(r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r == '_' || r == '-' || r == '$')
	}) < 0
}
