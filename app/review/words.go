package review

import (
	"fmt"
	"strings"

	"github.com/sallyport/sallyport/proxy/inspect/legible"
	"github.com/sallyport/sallyport/proxy/pin"
)

func Count(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}

// ToolOf is the tool name in a pin key, "" for other kinds and for names that could carry a sentence.
func ToolOf(key string) string {
	name, ok := pin.ToolName(key)
	if !ok {
		return ""
	}
	return legible.Name(name, "")
}

// ToolNamed is the tool of a pin key as a record names it, "" if the key is no tool's.
func ToolNamed(key string) string {
	name, ok := pin.ToolName(key)
	if !ok {
		return ""
	}
	return legible.Recorded(name)
}

// ItemWords names an item in our sentences.
func ItemWords(key string) string {
	switch key {
	case string(pin.Instructions):
		return "the instructions"
	case KeyLaunch:
		return "what the server runs"
	}
	if words := askWords[askOf(key)].noun; words != "" {
		return words
	}
	kind, name, _ := strings.Cut(key, ":")
	if kind == string(pin.Skill) {
		if name = pin.SkillTitle(name); name == "" {
			return "a file of a skill"
		}
	}
	kind = strings.ReplaceAll(kind, "-", " ")
	if kind == string(pin.Resource) && pin.IsPage(name) {
		kind = "page"
	}
	if clean := legible.Name(name, ""); clean != "" {
		return fmt.Sprintf("the %s %q", kind, clean)
	}
	return "a " + kind
}

// asMany turns a sentence about one thing into the plural.
var asMany = strings.NewReplacer(" is ", " are ", " was ", " were ", " allowed it", " allowed them")

// ItemSaid is a sentence about an item. "Instructions" is plural.
func ItemSaid(key, words string) string {
	if key != string(pin.Instructions) {
		return ItemWords(key) + " " + words
	}
	return ItemWords(key) + asMany.Replace(" "+words)
}
