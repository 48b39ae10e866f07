package inspect

import (
	"github.com/sallyport/sallyport/proxy/cut"
	"github.com/sallyport/sallyport/proxy/frame"
)

// schemaKinds names values that are not a schema, by their first character. An object is a schema.
var schemaKinds = map[byte]string{'"': "a text", '[': "a list", 't': "true", 'f': "false", 'n': "null"}

// oddSchemas finds schemas of a tool that are not objects. The protocol allows only objects, and the official clients refuse the whole
// listing for one other value: all tools of the server are lost, without an explanation.
func oddSchemas(raw []byte) (found []Finding) {
	root := frame.Root(raw)
	if frame.Type(raw, root) != '{' {
		return nil
	}
	for _, key := range []string{"inputSchema", "outputSchema"} {
		value, ok := frame.Find(raw, root, key)
		if !ok || frame.Type(raw, value) == '{' {
			continue
		}
		what := schemaKinds[frame.Type(raw, value)]
		if what == "" {
			what = "a number"
		}
		text := value.Of(raw)
		found = append(found, Finding{
			Rule: OddSchema, Level: Medium, Category: "threat", Where: key, End: len(text), Match: cut.Runes(string(text), maxMatch),
			Title: "Its " + key + " is " + what + ", not a schema; many clients then drop every tool of this server",
		})
	}
	return found
}
