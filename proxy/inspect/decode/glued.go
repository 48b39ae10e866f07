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
	gluedFits = 7   // tenths of the letters that must be in words
)

var plainLetters = [256]bool{
	'a': true, 'b': true, 'c': true, 'd': true, 'e': true, 'f': true, 'g': true, 'h': true, 'i': true, 'j': true, 'k': true, 'l': true, 'm': true,
	'n': true, 'o': true, 'p': true, 'q': true, 'r': true, 's': true, 't': true, 'u': true, 'v': true, 'w': true, 'x': true, 'y': true, 'z': true,
	'A': true, 'B': true, 'C': true, 'D': true, 'E': true, 'F': true, 'G': true, 'H': true, 'I': true, 'J': true, 'K': true, 'L': true, 'M': true,
	'N': true, 'O': true, 'P': true, 'Q': true, 'R': true, 'S': true, 'T': true, 'U': true, 'V': true, 'W': true, 'X': true, 'Y': true, 'Z': true,
}

// orderly are the words of which orders to a model are made: the most used words of English, and those of the rules.
const orderly = `a able about above accept access account accounts across act action actions add added address admin administrator after again agent agents all allow
		allowed alone along already also always among amount an analysis and answer answers any anyone api app append application applications approval
		approve approved archive are area around article as ask assist assistant at attach attached attachment attack attacker attempt author authority auto
		automatic available away back backup bank base based be because become been before begin behind being believe below best better between billing blank
		block blue book booking both bottom box branch bring browser build business but button by bypass cache calendar call came can canary cancel cannot
		card case cases cat center certain change channel character chat check child choose city class clean clear click client close cloud code collect color
		column come comes command commands comment commit common company compare complete completely computer conclude config configuration confirm
		confirmation connect connection console contact contain contains content contents context continue control conversation cookie cookies copy core
		correct cost could country course cover create created credential credentials credit current customer customers daily dangerous dark dashboard data
		database date dates day days dear debug decide default delete deliver demand department deploy describe description desktop destination detail details
		developer developers device different digital direct directly directory disable discard disclose display disregard division do document does doing
		dollar domain done door double down download draft drive drop during each earlier early easy edit editor either else email emails employee employees
		empty enable encode end endpoint engine english enough ensure enter entire entry environment equal error errors escape especially even evening event
		events ever every everything evil exact exactly example except exchange execute exfiltrate existing exit expense export expose express external extra
		fact fail failed false family far fast feature fetch few field fields file files fill final finally finance find fine finish first fix flag folder
		folders follow following food for force forget form format forms forward found four free friend friends from full fully function functions further
		future game gave general generate get getting girl give given global go goes going good google got grant great green ground group groups guide
		guidelines had hand handle happen happy hard has have he head header health hear heart hello help helpful her here hidden high him his history hold
		home host hour hours house how however http https human hundred i id idea if ignore ignoring image images immediate immediately important in inbox
		include income index inform information input inputs insert inside install instead instruct instruction instructions integrity interest internal
		internet into invalid invite invoice is issue issues it item items its job json june just keep kernel key keys kind kitchen know knowledge known label
		land language large last late later latest law lead leak learn least leave left legal less let letter level library license life light like limit line
		lines link links linux list little live load local locate location log login logs long longer look looking lost love low machine made mail main
		maintain make making man manage manager manual many map march mark market master match matter may maybe me meaning means media meet meeting member
		members memory mention merge message messages method might million mind minute minutes miss mobile mode model models modify moment monday money
		monitor month months more morning mother move movie much music must my myself name named names nation native near necessary need needed needs network
		never new news next nice night no nobody none normal not note notes nothing notice notify now number numbers object of off offer office often old on
		once one ones online only open opened operator option optional options or order orders organization original other otherwise our out output outside
		overall override own owner page pages paid paper parameter parameters part party pass password passwords past paste path pay payload payment payments
		people percent perform period permission permissions person personal phone photo phrase picture piece place plain plan play please point policies
		policy poor position possible post power present press pretend previous previously price print prior privacy private problem process product
		production program project projects promise prompt prompts proper protect protected provide provided public publish pull purchase purpose push put
		question questions quick quickly quiet quietly quite random rather reach react read ready real really reason receive received recent recipient record
		records red redirect refer regard register regular reject related relay release remain remember remote remove render repeat replace replied reply
		report reports repository request requests require required reserve reset resource respond response rest restrict result results return reveal review
		right rights risk road role room root route row rule rules run running safe safety said sale same save saved say saying scan scenario scene schedule
		school science screen script search second secret secrets section secure security see seem seen select self sell send sending sense sensitive sent
		sentence separate sequence series serious server servers service services session set setting settings several share she sheet shell ship shop short
		should show side sign silent silently similar simple simply since single site size skip slack small so social software sold some someone something
		soon sort source space special specific speech staff standard star start state statement status stay steal step steps still stop store stored story
		straight street strict string strong student study style subject submit success summarize summary sunday support sure switch system table take taken
		takes talk target task tasks team technical tell tenant term terminal terms test text than thank thanks that the their them then there these they
		thing things think third this those though thought thousand three through thus ticket time times title to today together token tokens tomorrow tonight
		tool tools top total toward trace track trade train transaction transfer transform translate transmit travel tree trick true trust truth try trying
		turn twice two type under understand unique unit unless unlock unrestricted until up update updated upload upon upper url us usage use useful user
		users using usually valid value values variable various vendor verify version very via video view visible visit voice wait walk wall wallet want
		warning was watch water way we web webhook website week weeks well went were west what when where whether which while white who whole whom whose why
		wide wife will window windows with within without woman won word words work worked worker working workspace world worst worth would wrap write writer
		writing wrong year years yellow yes yesterday yet you young your yours zero`

// letterTree has words by their letters. Node 0 is the root; a child of 0 is none.
type letterTree []letterNode

type letterNode struct {
	child [26]uint16
	word  bool
}

// next is the node behind a letter in lower case, 0 for none.
func (t letterTree) next(node int, c byte) int {
	if c < 'a' || c > 'z' {
		return 0
	}
	return int(t[node].child[c-'a'])
}

var vocabulary = sync.OnceValue(func() letterTree {
	tree := make(letterTree, 1, 4096)
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
