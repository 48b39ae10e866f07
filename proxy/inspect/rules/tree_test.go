package rules

import (
	"encoding/binary"
	"math/rand"
	"slices"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/sallyport/sallyport/proxy/inspect/decode"
)

// someLiterals are many texts that begin like each other, in a random order; those of an odd number count where their word goes on.
func someLiterals(t *testing.T, random *rand.Rand) (words []string, l *Literals) {
	t.Helper()
	known := map[string]bool{}
	for _, r := range Standard().Rules {
		for _, pattern := range r.patterns {
			for word := range strings.SplitSeq(pattern, "|") {
				if word = strings.Trim(unescaped(word), "*"); !strings.Contains(word, "~") && len(word) > 1 && len(word) < maxLiteral && !known[word] {
					known[word] = true
					words = append(words, word)
				}
			}
		}
	}
	for _, word := range []string{"a ", "ab", "abc", "abcd", "abcdefgh", "abcdefghi", "abcdefgh i", "a_b", "0", "01 2", "_x", "<|", "<|im", "é", "éa", "ab é"} {
		if !known[word] {
			words = append(words, word)
		}
	}
	random.Shuffle(len(words), func(i, j int) { words[i], words[j] = words[j], words[i] })
	l, err := newLiterals(words, func(id int) bool { return id%2 == 1 })
	if err != nil {
		t.Fatal(err)
	}
	return words, l
}

func TestTheTreeHasEveryLiteralAndNothingElse(t *testing.T) {
	random := rand.New(rand.NewSource(3))
	for range 2 {
		words, l := someLiterals(t, random)
		prefixes, nodes := map[string]bool{}, 0
		for id, w := range words {
			if len(w) == 1 {
				continue
			}
			if at := l.nodeOf(w); at == 0 || int(l.nodes[at].literal) != id+1 {
				t.Fatalf("%q is not in the tree", w)
			}
			for n := 1; n <= len(w); n++ {
				prefixes[w[:n]] = true
			}
		}
		for at := 2; at < len(l.nodes); at++ {
			if l.nodes[at].parent != 0 {
				nodes++
			}
		}
		if nodes != len(prefixes) {
			t.Fatalf("%d nodes for %d beginnings", nodes, len(prefixes))
		}
		for p := range prefixes {
			if l.nodes[l.nodeOf(p)].spaced != strings.HasSuffix(p, " ") {
				t.Fatalf("%q", p)
			}
			for c := range 256 {
				next := p + string([]byte{byte(c)})
				if l.class[c] != 0 && decode.FoldByte(byte(c)) == byte(c) && (l.next(l.nodeOf(p), l.class[c]) != 0) != prefixes[next] {
					t.Fatalf("%q", next)
				}
			}
		}
	}
}

// No word is passed over with which a literal begins, whatever follows it.
func TestNoWordOfALiteralIsPassedOver(t *testing.T) {
	random := rand.New(rand.NewSource(4))
	words, l := someLiterals(t, random)
	for id, w := range words {
		if !decode.KeyLetter(w[0]) || len(w) == 1 {
			continue
		}
		for _, behind := range []string{" ", ".", "_", "x", "7", "\xc3", " the rest", "going on"} {
			text := capitals(w) + behind + "        "
			key, _ := decode.WordKey(binary.LittleEndian.Uint64([]byte(text)))
			_, first := firstKey(w)
			if first == len(w) && first < decode.KeyLetters && decode.KeyLetter(behind[0]) && id%2 == 0 {
				continue // another word
			}
			if l.starts.letter(key) != 0 {
				continue
			}
			found := l.starts.find(key)
			switch {
			case found == nil || l.starts.whole(key) == 0:
				t.Errorf("%q is passed over in %q", w, text)
			case int(found.node) != l.nodeOf(w[:min(first, len(w))]):
				t.Errorf("%q is looked for elsewhere", text)
			case first < len(w) && !found.goesOn(l, text, first):
				t.Errorf("%q is passed over before its second word", w)
			case first == len(w) && int(found.own) != id+1 && first < decode.KeyLetters:
				t.Errorf("%q is not seen to be a word by itself", w)
			}
		}
	}
}

// A word that is passed over because no pattern waits for it would have matched nothing.
func TestNoWordIsMissedThatAPatternWaitsFor(t *testing.T) {
	standard := Standard()
	finder := *standard.Finder
	finder.starts.words = slices.Clone(finder.starts.words)
	waiting := 0
	for i := range finder.starts.words {
		if word := &finder.starts.words[i]; word.own != 0 && !word.begins {
			word.begins = true
			waiting++
		}
	}
	if waiting < 50 {
		t.Fatalf("%d words only continue patterns", waiting)
	}
	asked := &Set{Rules: standard.Rules, owner: standard.owner, Finder: &finder, phrases: standard.phrases, secret: standard.secret}
	random := rand.New(rand.NewSource(7))
	var phrases []string
	for _, r := range standard.Rules {
		for _, pattern := range r.patterns {
			for part := range strings.SplitSeq(pattern, " ~") {
				phrases = append(phrases, strings.Split(strings.Trim(part, "*0123456789 "), "|")...)
			}
		}
	}
	one, other, found := standard.Matcher(), asked.Matcher(), 0
	for range 2_000 {
		one.Begin()
		other.Begin()
		for base, n := 0, 1+random.Intn(4); n > 0; n-- {
			var text strings.Builder
			for range 1 + random.Intn(60) {
				text.WriteString(phrases[random.Intn(len(phrases))])
				text.WriteString([]string{" ", " ", " ", ". ", ", ", "\n"}[random.Intn(6)])
			}
			one.Match(text.String(), base)
			other.Match(text.String(), base)
			base += text.Len() + 1
		}
		if !slices.Equal(one.Hits, other.Hits) || one.Began != other.Began {
			t.Fatalf("%v, not %v", one.Hits, other.Hits)
		}
		found += len(one.Hits)
	}
	if found < 1_000 {
		t.Errorf("%d hits", found)
	}
}

// capitals is a text with capitals for the small letters of ASCII: other characters are folded before a literal is looked for.
func capitals(text string) string {
	return strings.Map(func(r rune) rune {
		if r < utf8.RuneSelf {
			return unicode.ToUpper(r)
		}
		return r
	}, text)
}
