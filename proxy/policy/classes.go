package policy

import (
	"fmt"
	"slices"
	"strings"

	"github.com/sallyport/sallyport/proxy/vocab"
)

const (
	auto = "auto" // Sallyport's own reading
	none = "none"
)

// classes is the classes of a tool, or auto.
type classes struct{}

// classWords are the classes, in the order in which they are written.
var classWords = []string{
	string(vocab.ClassGives), string(vocab.ClassTakes), string(vocab.ClassCommits), string(vocab.ClassChangesAccess), string(vocab.ClassReaches),
}

func (classes) list(items []string) string { return strings.Join(items, ",") }

func (classes) parse(value string) (string, error) {
	switch strings.ToLower(value) {
	case auto:
		return auto, nil
	case none:
		return none, nil
	}
	var words []string
	for word := range strings.SplitSeq(strings.ToLower(value), ",") {
		word = strings.Join(strings.Fields(word), " ")
		if !slices.Contains(classWords, word) {
			return "", fmt.Errorf("%.40q is not one of auto, none, %s", word, strings.Join(classWords, ", "))
		}
		words = append(words, word)
	}
	var canonical []string
	for _, word := range classWords {
		if slices.Contains(words, word) {
			canonical = append(canonical, word)
		}
	}
	return strings.Join(canonical, ","), nil
}

func (classes) risk(canonical string) (float64, error) {
	if canonical == auto {
		return 0, nil
	}
	return -float64(len(classesIn(canonical))), nil
}

// rival: a set without one of the others is not safer, however many it has; what auto has depends on the tool.
func (classes) rival(from, to string) bool {
	if from == auto || to == auto {
		return len(classesIn(to)) < len(classWords)
	}
	for _, class := range classesIn(from) {
		if !slices.Contains(classesIn(to), class) {
			return true
		}
	}
	return false
}

// ClassesOf are the classes of a value of tools.class; own is false if Sallyport's own reading counts.
func ClassesOf(value string) (all []vocab.CallClass, own bool) {
	return classesIn(value), value != auto
}

func classesIn(canonical string) (all []vocab.CallClass) {
	for word := range strings.SplitSeq(canonical, ",") {
		if slices.Contains(classWords, word) {
			all = append(all, vocab.CallClass(word))
		}
	}
	return all
}
