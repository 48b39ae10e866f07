package inspect

import (
	"strconv"

	"github.com/sallyport/sallyport/proxy/cut"
	"github.com/sallyport/sallyport/proxy/inspect/decode"
)

// Member is the path of a member of the object at where: "inputSchema.properties.city", or `_meta["io.x/y"]` if the key is not a plain
// word. Keys are server text: escape a path before you print it.
func Member(where, key string) string {
	if !word(key) {
		return where + "[" + strconv.Quote(cut.Runes(key, maxMatch)) + "]"
	}
	if where == "" {
		return key
	}
	return where + "." + key
}

func Element(where string, index int) string {
	return where + "[" + strconv.Itoa(index) + "]"
}

func word(key string) bool {
	if key == "" || len(key) > maxMatch {
		return false
	}
	for i := range len(key) {
		if !inWord[key[i]] {
			return false
		}
	}
	return true
}

// inWord are the bytes of plain names.
var inWord = func() (in [256]bool) {
	for c := range in {
		in[c] = decode.Base64Letters[c] && c != '+' && c != '/' || c == '$'
	}
	return in
}()
