package decode

import (
	"slices"
	"strings"
	"sync"
)

const (
	minGlued  = 24  // letters of a run that may be words without blanks; few words are longer
	minCamel  = 40  // the same if it is written as names in code are
	maxGlued  = 600 // letters that are taken apart at once
	gluedFits = 8   // tenths of the letters that must be in words
)

var plainLetters = [256]bool{
	'a': true, 'b': true, 'c': true, 'd': true, 'e': true, 'f': true, 'g': true, 'h': true, 'i': true, 'j': true, 'k': true, 'l': true, 'm': true,
	'n': true, 'o': true, 'p': true, 'q': true, 'r': true, 's': true, 't': true, 'u': true, 'v': true, 'w': true, 'x': true, 'y': true, 'z': true,
	'A': true, 'B': true, 'C': true, 'D': true, 'E': true, 'F': true, 'G': true, 'H': true, 'I': true, 'J': true, 'K': true, 'L': true, 'M': true,
	'N': true, 'O': true, 'P': true, 'Q': true, 'R': true, 'S': true, 'T': true, 'U': true, 'V': true, 'W': true, 'X': true, 'Y': true, 'Z': true,
}

// orderly are the words of which orders to a model are made: the most used words of English, and those of the rules.
const orderly = `a about above access account act action after again all also always an and any anyone api are as ask assistant at
		be been before begin below by call can change code command commands content contents context conversation copy credentials data delete details developer
		directory disregard do document does done email even every everything execute file files find first follow following for forget forward from further get
		give given go guidelines had has have he her here him his history hidden how human i id if ignore important in include information input instead instruct
		instruction instructions into is it its just keep key keys know last list load local log mail make may me memory message messages mode more must my name
		necessary need never new next no not nothing now of off on one only open operator or order orders other our out output override own page password
		passwords path please post previous previously print prior private prompt prompts provide put read recipient remember repeat reply request reset
		respond response reveal role rule rules run safety said say secret secrets secure security see send sent server service set she shell should show silently so
		some start stop store system tell text than that the their them then there these they this those to token tokens tool tools until up upload upon url
		us use user users using via want was we web were what when where which who will with without word write you your yours earlier`

// letterTree has words by their letters. Node 0 is the root; a child of 0 is none.
type letterTree []letterNode

type letterNode struct {
	child [26]uint16
	word  bool
}

var vocabulary = sync.OnceValue(func() letterTree {
	tree := make(letterTree, 1, 1024)
	for _, word := range strings.Fields(orderly) {
		at := 0
		for i := range len(word) {
			next := int(tree[at].child[word[i]-'a'])
			if next == 0 {
				next = len(tree)
				tree = append(tree, letterNode{})
				tree[at].child[word[i]-'a'] = uint16(next)
			}
			at = next
		}
		tree[at].word = true
	}
	return tree
})

// glued puts blanks between words that are written without: "ignoreallpreviousinstructions".
func glued(v *View) *View {
	if v.joined {
		return nil
	}
	w := weaver{src: v}
	var words letterTree
	for i := NextRun(v.Text, 0, minGlued, &plainLetters); i < len(v.Text); i = NextRun(v.Text, i, minGlued, &plainLetters) {
		end := i + minGlued
		for end < len(v.Text) && end-i < maxGlued && plainLetters[v.Text[end]] {
			end++
		}
		run := v.Text[i:end]
		if Capitals(run) > 1 && len(run) < minCamel && run != strings.ToUpper(run) {
			i = end
			continue
		}
		if words == nil {
			words = vocabulary()
		}
		if ends := apartAt(run, words); ends != nil {
			for _, at := range ends {
				w.cut(i+at, i+at)
				w.put(" ", i+at-1, i+at)
			}
		}
		i = end
	}
	return w.rest("glued_words")
}

// apartAt is where the words of a run end, in order; nil if too little of it is words. A long word says more than the short ones of which it
// could be made, so the squares of lengths are added up.
func apartAt(run string, tree letterTree) []int {
	type step struct{ score, from int32 }
	var all [maxGlued + 1]step
	best := all[:len(run)+1]
	for i := range len(run) {
		if next := &best[i+1]; next.score <= best[i].score { // a letter of no word
			*next = step{best[i].score, int32(i)}
		}
		at := 0
		for j := i; j < len(run); j++ {
			if at = int(tree[at].child[(run[j]|0x20)-'a']); at == 0 {
				break
			}
			if n := int32(j + 1 - i); tree[at].word && best[i].score+n*n > best[j+1].score {
				best[j+1] = step{best[i].score + n*n, int32(i)}
			}
		}
	}
	covered := 0
	var ends []int
	for i := int32(len(run)); i > 0; i = best[i].from {
		if n := i - best[i].from; best[i].score > best[best[i].from].score {
			covered += int(n)
			if len(ends) == 0 || ends[len(ends)-1] != int(i) {
				ends = append(ends, int(i))
			}
			if best[i].from > 0 {
				ends = append(ends, int(best[i].from)) // what is before it may be no word
			}
		}
	}
	if covered*10 < len(run)*gluedFits {
		return nil
	}
	slices.Reverse(ends)
	return ends
}
