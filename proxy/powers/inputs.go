package powers

import (
	"strings"
	"unicode"

	"github.com/sallyport/sallyport/proxy/frame"
)

// maxInputs is how many inputs are read. Real tools have fewer.
const maxInputs = 500

// input is one input of a tool: its name without case and separators ("filePath" and "file_path" are "filepath"), and its choices.
type input struct {
	name    string
	choices []string
}

// inputsOf returns a tool's name and its inputs at the schema's top level: deeper ones name data.
func inputsOf(definition []byte) (name string, inputs []input) {
	root := frame.Root(definition)
	at, _ := frame.Find(definition, root, "name")
	name, _ = frame.String(definition, at)
	properties, _ := frame.Find(definition, root, "inputSchema", "properties")
	frame.Members(definition, properties, func(key string, m frame.Member) bool {
		in := input{name: plain(key)}
		choices, _ := frame.Find(definition, m.Value, "enum")
		frame.Elements(definition, choices, func(_ int, e frame.Span) bool {
			if s, _ := frame.String(definition, e); s != "" {
				in.choices = append(in.choices, s)
			}
			return len(in.choices) < maxInputs
		})
		inputs = append(inputs, in)
		return len(inputs) < maxInputs
	})
	return name, inputs
}

func plain(name string) string {
	return strings.Map(func(r rune) rune {
		if r == '_' || r == '-' || r == '.' || r == ' ' {
			return -1
		}
		return unicode.ToLower(r)
	}, name)
}

const maxWords = 24

// wordsOf cuts a name into lower-case words: "getFileInfo", "get_file_info" and "HTTPGet" as people read them. Only Latin letters make
// words: a look-alike from another script can hide a verb but not fake one.
func wordsOf(name string) []string {
	var out []string
	var word []rune
	cut := func() {
		if len(word) > 0 {
			out = append(out, strings.ToLower(string(word)))
			word = nil
		}
	}
	runes := []rune(name)
	for i, r := range runes {
		lower, upper := r >= 'a' && r <= 'z', r >= 'A' && r <= 'Z'
		switch {
		case len(out) == maxWords:
			return out
		case upper && (i == 0 || !isUpper(runes[i-1]) || i+1 < len(runes) && runes[i+1] >= 'a' && runes[i+1] <= 'z'):
			cut()
			word = append(word, r)
		case lower, upper:
			word = append(word, r)
		default:
			cut()
		}
	}
	cut()
	return out
}

func isUpper(r rune) bool { return r >= 'A' && r <= 'Z' }
