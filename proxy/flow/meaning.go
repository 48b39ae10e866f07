package flow

import (
	"strings"

	"github.com/sallyport/sallyport/proxy/inspect/decode"
)

// role is what a word says about a verb behind it, or as one.
type role uint8

const (
	begins role = 1 << iota // there is none: the sentence begins
	orders                  // a verb behind it orders
	urges                   // a "to" behind it does
	isTo
	acts   // it is a verb with a meaning of its own
	visits // it orders to open what an address behind it names
	does   // it says what is done only together with a noun
)

// Visit is the verb of an order to open a host: its act has the host for a noun.
const Visit = "visit"

// meaning is what one word means for acts.
type meaning struct {
	word string
	verb string // that it counts as, "" for none
	is   role
}

// verbs are, by the verb that they count as, the words of tools and orders. docs/flow.md lists them.
var verbs = [...][2]string{
	{"delete", "delete remove erase drop destroy purge wipe"},
	{"cancel", "cancel revoke unsubscribe"},
	{"book", "reserve book schedule"},
	{"buy", "buy purchase order subscribe"},
	{"pay", "pay transfer withdraw donate"},
	{"send", "send forward email mail share post publish upload reply"},
	{"invite", "invite add"},
	{"change", "change update modify reset set edit"},
	{"create", "create make"},
	{"grant", "grant assign promote"},
	{"move", "move archive rename"},
}

var roles = [...]struct {
	is    role
	words string
}{
	{orders | urges, "you"},
	{orders, "please must should then now also first kindly immediately and can could always just finally next instead"},
	{urges, "need have remember sure required instructed asked want supposed forget"},
	{isTo, "to"},
	{visits, "visit open go browse navigate click access load fetch download follow"},
	{does, "make place do perform initiate complete execute arrange submit issue"},
}

// meanings has the words by their first letters. Of a text, each word is looked up, and few of them are there.
var meanings = func() (m meaningTable) {
	for _, v := range verbs {
		for word := range strings.FieldsSeq(v[1]) {
			m.of(word).verb, m.of(word).is = v[0], m.of(word).is|acts
		}
	}
	for _, r := range roles {
		for word := range strings.FieldsSeq(r.words) {
			m.of(word).is |= r.is
		}
	}
	return m
}()

type meaningTable struct {
	keys  [1 << meaningBits]uint64 // the first letters (decode.LowerKey), 0 for none
	at    [1 << meaningBits]uint8
	words [128]meaning
	n     uint8
}

const (
	meaningBits    = 10
	meaningLot     = 0x9e3779b97f4a7c15
	longestMeaning = 11 // letters
)

// of is the meaning of a word, a new one if it has none. No two of the words begin with the same eight letters.
func (m *meaningTable) of(word string) *meaning {
	key := keyOf(word)
	at := key * meaningLot >> (64 - meaningBits)
	for ; m.keys[at] != key; at = (at + 1) & (1<<meaningBits - 1) {
		if m.keys[at] == 0 {
			m.keys[at], m.at[at], m.words[m.n].word = key, m.n, word
			m.n++
			break
		}
	}
	return &m.words[m.at[at]]
}

// meaningOf is the meaning of a word of letters, by the first eight in lower case (keyOf), nil if it has none.
func meaningOf(key uint64, word string) *meaning {
	for at := key * meaningLot >> (64 - meaningBits); meanings.keys[at] != 0; at = (at + 1) & (1<<meaningBits - 1) {
		if meanings.keys[at] == key {
			if m := &meanings.words[meanings.at[at]]; len(m.word) == len(word) && (len(word) <= decode.KeyLetters || strings.EqualFold(m.word, word)) {
				return m
			}
			return nil
		}
	}
	return nil
}

// keyOf are the first eight letters of a word.
func keyOf(word string) (key uint64) {
	if len(word) >= decode.KeyLetters {
		return decode.Eight(word, 0)
	}
	for i := range len(word) {
		key |= uint64(word[i]) << (8 * i)
	}
	return key
}

// verbOf is the verb that a word of a tool counts as, "" for any other word.
func verbOf(word string) string {
	if m := meaningOf(keyOf(word), word); m != nil {
		return m.verb
	}
	return ""
}
