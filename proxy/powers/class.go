package powers

import (
	"slices"
	"strings"

	"github.com/sallyport/sallyport/proxy/frame"
	"github.com/sallyport/sallyport/proxy/inspect/decode"
	"github.com/sallyport/sallyport/proxy/vocab"
)

// Classes is a set of the classes of tools whose calls are compared with what came out of servers.
type Classes uint8

// The classes, by what a call does that cannot be taken back.
const (
	Gives         Classes = 1 << iota // passes something on to a destination
	Takes                             // deletes, cancels, moves away
	Commits                           // pays, orders, books
	ChangesAccess                     // sets a password, key, role or permission
	Reaches                           // contacts a host that its arguments name
)

// named are the classes in the order in which they are told.
var named = []struct {
	class Classes
	name  vocab.CallClass
}{
	{Gives, vocab.ClassGives}, {Takes, vocab.ClassTakes}, {Commits, vocab.ClassCommits}, {ChangesAccess, vocab.ClassChangesAccess}, {Reaches, vocab.ClassReaches},
}

// Has reports whether all of some classes are among these.
func (c Classes) Has(some Classes) bool { return c&some == some }

// Names are the classes as they are told, nil for none.
func (c Classes) Names() (names []vocab.CallClass) {
	for _, n := range named {
		if c.Has(n.class) {
			names = append(names, n.name)
		}
	}
	return names
}

// ClassesNamed is the set of those names that are classes.
func ClassesNamed(names ...vocab.CallClass) (c Classes) {
	for _, n := range named {
		if slices.Contains(names, n.name) {
			c |= n.class
		}
	}
	return c
}

// Reach is what calls of a tool do, and what its definition claims of them.
type Reach struct {
	Classes  Classes
	ReadOnly bool // readOnlyHint is true
	Inside   bool // openWorldHint is false
}

// WordsOf are the words of a tool's name, in lower case, without look-alike letters.
func WordsOf(name string) []string { return wordsOf(legibly(name)) }

// ReachOf reads a tool's definition as delivered.
func ReachOf(definition []byte) Reach {
	hints := claimsOf(definition)
	return Reach{Classes: ClassesOf(definition), ReadOnly: hints.readOnly == Yes, Inside: hints.openWorld == No}
}

// Words in the names of tools.
const (
	// givingWords are what a tool does that passes something on.
	givingWords wordSet = " send reply forward post tweet notify broadcast message email mail share publish upload invite submit create add schedule transfer " +
		"pay assign write push call dm sms deliver export "
	// sendingWords are those of them that need a destination, whatever the inputs are called.
	sendingWords wordSet = " send reply forward post tweet notify broadcast message email mail share publish upload invite transfer pay dm sms deliver "
	takingWords  wordSet = " delete del remove drop destroy erase purge wipe truncate rm unlink uninstall cancel revoke move archive unsubscribe terminate kill " +
		"ban kick decline withdraw discard trash "
	committingWords wordSet = " pay buy purchase order book reserve transfer subscribe rent donate bid withdraw reservation booking payment subscription "
	// checkoutWord is as often of a repository as of a shop.
	checkoutWord wordSet = " checkout "
	cartWords    wordSet = " cart basket bag shop store payment "
	accessWords  wordSet = " password passwords passphrase credential credentials token tokens role roles permission permissions access acl policy " +
		"privilege privileges collaborator member owner admin sharing visibility "
	// keyWords are keys of a lock if the name says which, and else as often those of a table.
	keyWords wordSet = " key keys "
	keyKinds wordSet = " api ssh access secret deploy public private encryption signing gpg service rotate revoke grant "
	// settingWords are what is done to access; the plain verbs that change things are too.
	settingWords wordSet = " set change update reset grant revoke add remove create rotate regenerate edit modify give assign unassign make promote demote share put replace "
)

// Words of tools that look at something and pass nothing on, besides those of readVerbs.
const (
	lookingWords wordSet = " assess audit check classify identify locate monitor scan summarize summarise trace validate "
	// openingWords look only at what shownWords name: an account, an issue or a ticket that is opened is made.
	openingWords wordSet = " open load download go "
	shownWords   wordSet = " page pages webpage webpages web website site url urls uri link links tab file files document documents doc docs pdf image "
	// goingWords are those of a browser, wherever they are in a name.
	goingWords wordSet = " navigate goto visit "
)

// looks reports whether a tool of these words looks at what its arguments name: it gets, reads or opens it, and passes nothing on.
func looks(words []string) bool {
	return leads(words) || slices.ContainsFunc(words, goingWords.has) && !slices.ContainsFunc(words, givingWords.has)
}

// leads reports whether a name begins with looking.
func leads(words []string) bool {
	if len(words) == 0 {
		return false
	}
	first, rest := words[0], words[1:]
	switch {
	case readVerbs.has(first), goingWords.has(first):
		return true
	case lookingWords.has(first):
		return len(rest) == 0 || rest[0] != "in" && rest[0] != "out" // to check in is to book
	}
	return openingWords.has(first) && (len(rest) == 0 || slices.ContainsFunc(rest, shownWords.has))
}

// Words in the names of inputs.
const (
	destinationWords wordSet = " recipient recipients cc bcc email emails mail participant participants attendee attendees invitee invitees guest guests url urls uri " +
		"webhook host hostname endpoint account iban payee beneficiary phone channel channels repo repository owner bucket wallet user users username address addresses " +
		"receiver destination sendto mailto "
	// afterPlace are words that make a place on this computer, a number or a setting of what comes before them.
	afterPlace   wordSet = " path paths dir directory folder file agent size type format count limit filter status "
	addressWords wordSet = " url urls uri uris host hostname endpoint webhook website domain link address href "
	toWords      wordSet = " send sent reply forward deliver ship transfer mail assign share copy "
)

// maxNested is how many levels of a schema are searched for inputs.
const maxNested = 6

// ClassesOf is what a call of the tool does, by its claims, the name and the inputs in its definition as delivered. A claim counts only as a boolean
// (MCP 2025-06-18, ToolAnnotations). Names are read as a person reads them: without look-alike letters and invisible characters.
func ClassesOf(definition []byte) (c Classes) {
	root := frame.Root(definition)
	at, _ := frame.Find(definition, root, "name")
	name, _ := frame.String(definition, at)
	words, hints := wordsOf(legibly(name)), claimsOf(definition)
	in := destinations{of: definition}
	schema, _ := frame.Find(definition, root, "inputSchema")
	in.schema(schema, 0)
	reads := looks(words) || slices.ContainsFunc(words, readVerbs.has)
	has := func(set wordSet) bool { return slices.ContainsFunc(words, set.has) }
	inside, leading := hints.openWorld == No, leads(words)
	if !inside && in.reaches {
		c |= Reaches
	}
	if hints.readOnly != Yes {
		if !inside && (in.gives || in.unknown && has(sendingWords)) && (!reads || has(givingWords) && !leading) {
			c |= Gives
		}
		if !inside && hints.destructive == Yes {
			c |= Takes
		}
	}
	if leading {
		return c
	}
	if !inside && has(takingWords) {
		c |= Takes
	}
	if has(committingWords) || has(checkoutWord) && (len(words) == 1 || has(cartWords)) {
		c |= Commits
	}
	if has(settingWords) && (has(accessWords) || has(keyWords) && has(keyKinds)) {
		c |= ChangesAccess
	}
	return c
}

// destinations are what the inputs of a schema say.
type destinations struct {
	of      []byte
	gives   bool
	reaches bool
	unknown bool // nothing says which inputs there are
}

func (d *destinations) schema(schema frame.Span, depth int) {
	properties, found := frame.Find(d.of, schema, "properties")
	if depth == 0 && (!found || frame.Type(d.of, properties) != '{') {
		d.unknown = true
	}
	frame.Members(d.of, properties, func(key string, m frame.Member) bool {
		d.input(key)
		if depth < maxNested && !(d.gives && d.reaches) {
			d.schema(m.Value, depth+1)
			if items, ok := frame.Find(d.of, m.Value, "items"); ok {
				d.schema(items, depth+1)
			}
		}
		return !(d.gives && d.reaches)
	})
}

func (d *destinations) input(key string) {
	d.gives = d.gives || IsDestination(key)
	words := wordsOf(legibly(key))
	if n := len(words); n > 0 && addressWords.has(words[n-1]) && !slices.Contains(words, "email") && !slices.Contains(words, "mail") {
		d.reaches = true
	}
}

// IsDestination reports whether an input of this name is drawn as a destination.
func IsDestination(input string) bool {
	words := wordsOf(legibly(input))
	for i, w := range words {
		last := i == len(words)-1
		switch {
		case w == "to":
			if len(words) == 1 || last && toWords.has(words[i-1]) || i == 0 && destinationWords.has(words[1]) {
				return true
			}
		case destinationWords.has(w) && (last || !afterPlace.has(words[i+1])):
			return true
		}
	}
	return false
}

// legibly is a name as a reader takes it.
func legibly(name string) string {
	if strings.IndexFunc(name, func(r rune) bool { return r >= 0x80 || r < ' ' }) < 0 {
		return name
	}
	return decode.Fold(&decode.View{Text: name}).Text
}
