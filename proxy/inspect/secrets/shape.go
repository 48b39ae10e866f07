package secrets

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/sallyport/sallyport/proxy/inspect/decode"
)

// shape is the form of a key, compiled from a pattern: literal letters, and classes with counts. It is followed once, greedily, without
// backtracking, so its cost is limited by what it takes.
//
// The classes are those of regular expressions: [A-Za-z0-9_-], \w (letters, digits, _), \a (letters and digits), \h (hexadecimal), \d
// (digits), \k (characters of keys: \w, - and =), \b (base64: \w, -, +, / and =); the counts {n}, {n,m}, {n,} and {0,1}. If its rule has no
// literals of its own, a pattern begins with letters that are searched for at the head of a word.
type shape struct {
	head  string // the literal beginning that is searched for
	steps []step
}

type step struct {
	letters  string // literal; "" for a class
	set      [4]uint64
	min, max int
}

// maxKey limits a class without an upper count.
const maxKey = 4096

func (s *step) has(c byte) bool { return s.set[c>>6]&(1<<(c&63)) != 0 }

func (s *step) add(first, last byte) {
	for c := int(first); c <= int(last); c++ {
		s.set[c>>6] |= 1 << (c & 63)
	}
}

// named adds a class that is written with a backslash.
func (s *step) named(c byte) bool {
	switch c {
	case 'w', 'k', 'b', 'a':
		s.add('a', 'z')
		s.add('A', 'Z')
		s.add('0', '9')
	case 'h':
		s.add('a', 'f')
		s.add('A', 'F')
		s.add('0', '9')
	case 'd':
		s.add('0', '9')
	default:
		return false
	}
	if c == 'w' || c == 'k' || c == 'b' {
		s.add('_', '_')
	}
	if c == 'k' || c == 'b' {
		s.add('-', '-')
		s.add('=', '=')
	}
	if c == 'b' {
		s.add('+', '+')
		s.add('/', '/')
	}
	return true
}

func newShape(pattern string) (shape, error) {
	var s shape
	for i := 0; i < len(pattern); {
		var next step
		switch c := pattern[i]; {
		case c == '[':
			end := strings.IndexByte(pattern[i:], ']')
			if end < 0 {
				return s, fmt.Errorf("%q has a class without an end", pattern)
			}
			class := pattern[i+1 : i+end]
			for k := 0; k < len(class); k++ {
				switch {
				case class[k] == '\\' && k+1 < len(class):
					if k++; !next.named(class[k]) {
						next.add(class[k], class[k])
					}
				case k+2 < len(class) && class[k+1] == '-':
					next.add(class[k], class[k+2])
					k += 2
				default:
					next.add(class[k], class[k])
				}
			}
			i += end + 1
		case c == '\\' && i+1 < len(pattern) && next.named(pattern[i+1]):
			i += 2
		default:
			if c == '\\' {
				i++
			}
			end := i + 1
			for end < len(pattern) && strings.IndexByte(`[\{`, pattern[end]) < 0 {
				end++
			}
			s.steps = append(s.steps, step{letters: pattern[i:end]})
			i = end
			continue
		}
		next.min, next.max = 1, 1
		if i < len(pattern) && pattern[i] == '{' {
			end := strings.IndexByte(pattern[i:], '}')
			if end < 0 {
				return s, fmt.Errorf("%q has a count without an end", pattern)
			}
			low, high, two := strings.Cut(pattern[i+1:i+end], ",")
			var err error
			if next.min, err = strconv.Atoi(low); err != nil {
				return s, fmt.Errorf("%q has an invalid count: %w", pattern, err)
			}
			next.max = next.min
			if two {
				if next.max = maxKey; high != "" {
					if next.max, err = strconv.Atoi(high); err != nil {
						return s, fmt.Errorf("%q has an invalid count: %w", pattern, err)
					}
				}
			}
			i += end + 1
		}
		s.steps = append(s.steps, next)
	}
	if len(s.steps) > 0 {
		s.head = s.steps[0].letters
	}
	return s, nil
}

// end returns where the shape that begins at text[at] ends, and how many bytes were read. -1: it doesn't match.
func (s *shape) end(text string, at int) (end, looked int) {
	i := at
	for k := range s.steps {
		step := &s.steps[k]
		if step.letters != "" {
			if !strings.HasPrefix(text[i:], step.letters) {
				return -1, i - at
			}
			i += len(step.letters)
			continue
		}
		from := i
		for i < len(text) && i-from < step.max && step.has(text[i]) {
			i++
		}
		if i-from < step.min {
			return -1, i - at
		}
	}
	last := &s.steps[len(s.steps)-1]
	if i < len(text) && (last.letters == "" && last.has(text[i]) || decode.IsWord(text[i])) {
		return -1, i - at // a longer word, or part of something else
	}
	return i, i - at
}
