package inspect

import (
	"strings"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"

	"github.com/sallyport/sallyport/proxy/cut"
	"github.com/sallyport/sallyport/proxy/frame"
	"github.com/sallyport/sallyport/proxy/inspect/legible"
)

// Rules that compare a definition with a client's other servers, or with its own earlier version.
const (
	Shadowing        = "shadowing"
	ToolImitation    = "tool_imitation"
	ContextParameter = "context_parameter"
	GrownDescription = "grown_description"
)

// Tools are the tools of a client's other servers, prepared for a search in definitions.
type Tools struct {
	named map[string]bool   // by the name in lower case: whether it is distinctive, or an ordinary word
	drawn map[string]string // the name, by what it looks like
	room  *int              // how many more places can be checked
}

// maxNamed limits the places checked in which one server's definitions name tools of others. Each takes a tenth of a millisecond.
const maxNamed = 1000

// OtherTools prepares names for one look at all definitions of a server. own are that server's tools: it may mention what it offers itself,
// and two servers often have a tool of the same name. resting are tools of servers that do not run: a name can imitate them, but a text
// that mentions them is no finding, because a server may mention what its last version had.
func OtherTools(names, resting, own []string) Tools {
	t := Tools{named: map[string]bool{}, drawn: map[string]string{}, room: new(maxNamed)}
	mine := map[string]bool{}
	for _, name := range own {
		mine[strings.ToLower(name)] = true
	}
	taken := func(name string) bool { return mine[strings.ToLower(name)] || len(name) < 3 || len(name) > maxName }
	for _, name := range resting {
		if !taken(name) {
			t.drawn[drawn(name)] = name
		}
	}
	for _, name := range names {
		if !taken(name) {
			low := strings.ToLower(name)
			t.named[low] = t.named[low] || distinctive(name)
			t.drawn[drawn(name)] = name
		}
	}
	return t
}

func (t Tools) Empty() bool { return len(t.drawn) == 0 }

// distinctive reports whether a name can't occur by chance: it consists of several words, or of a word with digits.
func distinctive(name string) bool {
	if utf8.RuneCountInString(name) < 6 {
		return false
	}
	for i, r := range name {
		if r == '_' || r == '-' || r == '.' || r >= '0' && r <= '9' || i > 0 && r >= 'A' && r <= 'Z' && name[i-1] >= 'a' && name[i-1] <= 'z' {
			return true
		}
	}
	return false
}

// drawn is what a name looks like: without compatibility forms, look-alike letters and invisible characters.
func drawn(name string) string {
	alike := legible.Lookalikes()
	return strings.Map(func(r rune) rune {
		if legible.Hidden(r) || legible.ClassOf(r) != legible.Ordinary {
			return -1
		}
		if latin := alike[r]; latin != 0 {
			return latin
		}
		return r
	}, norm.NFKC.String(name))
}

// Across compares one definition with the tools of other servers. tool is its name if it is a tool, else "". raw must have passed
// frame.Validate or frame.Scan.
func Across(tool string, raw []byte, others Tools) []Finding {
	if others.Empty() {
		return nil
	}
	a := across{others: others}
	a.name(tool)
	if len(others.named) > 0 {
		new(reading).strings(raw, &a)
	}
	return a.found
}

type across struct {
	others Tools
	found  []Finding
}

// name finds a name that looks like another server's tool but differs. Equal names are no finding, nor are names that differ in case or a
// hyphen: many servers have a search and a read_file.
func (a *across) name(tool string) {
	if _, same := a.others.named[strings.ToLower(tool)]; same || tool == "" {
		return
	}
	like := drawn(tool)
	level, other := Level(""), ""
	if name, ok := a.others.drawn[like]; ok && name != tool {
		level, other = High, name
	} else if len(like) >= 8 {
		for form, name := range a.others.drawn {
			if len(form) == len(like) && digitsFor(form) == digitsFor(like) && (other == "" || name < other) {
				level, other = Medium, name
			}
		}
	}
	if other != "" {
		a.found = append(a.found, Finding{
			Rule: ToolImitation, Level: level, Category: "threat", Title: "Its name imitates another server's tool",
			Where: "name", End: len(tool), Match: cut.Runes(tool, maxMatch), Decoded: cut.Runes(other, maxMatch),
		})
	}
}

var digits = strings.NewReplacer("0", "o", "1", "l", "I", "l", "5", "s", "rn", "m", "vv", "w")

func digitsFor(name string) string { return strings.ToLower(digits.Replace(name)) }

// read finds orders about another server's tool in a text. A mere mention is no finding.
func (a *across) read(r *reading, text string, _ bool) {
	if len(a.found) >= 16 {
		return
	}
	for at := 0; at < len(text); {
		start, end := nextName(text, at)
		if start < 0 {
			return
		}
		at = end
		distinctive, known := a.others.named[strings.ToLower(text[start:end])]
		if !known || !distinctive && !quoted(text, start, end) {
			continue
		}
		level, title := High, "It names other servers' tools in more places than Sallyport checks"
		if *a.others.room > 0 {
			*a.others.room--
			if level, title = orders(text, start, end), "It gives instructions about another server's tool"; level == "" {
				continue
			}
			if !distinctive {
				level = Low // an ordinary word in quotes may mean something else
			}
		}
		a.found = append(a.found, Finding{
			Rule: Shadowing, Level: level, Category: "threat", Title: title, Where: r.at(),
			Start: start, End: end, Match: strings.Clone(cut.Runes(text[start:end], maxMatch)),
		})
		return // once per text
	}
}

// nextName returns the next run of characters that names consist of.
func nextName(text string, at int) (start, end int) {
	is := func(c byte) bool {
		return c == '_' || c == '-' || c == '.' || c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= utf8.RuneSelf
	}
	for at < len(text) && !is(text[at]) {
		at++
	}
	if at >= len(text) {
		return -1, -1
	}
	end = at
	for end < len(text) && is(text[end]) {
		end++
	}
	for end > at && (text[end-1] == '.' || text[end-1] == '-') { // strip the end of a sentence
		end--
	}
	return at, max(end, at+1)
}

func quoted(text string, start, end int) bool {
	return start > 0 && end < len(text) && strings.IndexByte("`\"'", text[start-1]) >= 0 && text[start-1] == text[end]
}

const aroundName = 160 // bytes before and after a name that belong to the same thought

// orders returns how serious the text around a name is, "" if it orders nothing about it.
func orders(text string, start, end int) Level {
	from, to := max(0, start-aroundName), min(len(text), end+aroundName)
	before, behind := text[from:start], text[end:to]
	if grave().MatchString(before+"\x00"+behind) || graveBefore().MatchString(before) {
		return High
	}
	if mildBefore().MatchString(before) {
		return Medium
	}
	return ""
}

var (
	// An order about the use of the named tool (\x00 marks its name): what to do when it is called, with which arguments, or not to use it.
	grave = expression(`(?:when(?:ever)?|each time|every time|any ?time|if|before|after|once|prior to)\b[^.!?\x00]{0,60}\x00[^.!?]{0,60}\b(?:must|always|never|should|shall|have to|need to|be sure|make sure|ensure|add|set|change|replace|include|append|use|send|call|first)\b` +
		`|\b(?:must|always|never|should|shall|be sure|make sure|ensure)\b[^.!?\x00]{0,80}\b(?:when(?:ever)?|before|after|each time|every time|prior to)\b[^.!?\x00]{0,40}\x00` +
		`|\x00[^.!?]{0,40}\b(?:must (?:not |never |always |only )?be|is (?:deprecated|broken|unsafe|insecure|disabled|obsolete)|should (?:not|never|no longer) be|has been replaced|no longer works)\b`)
	// An order not to use the named tool.
	graveBefore = expression(`\b(?:(?:do not|don't|never|stop|avoid|must not|should not|no longer)\s+(?:ever\s+)?(?:use|call|using|calling|invoke|run|trust)|overrides?|supersedes?|takes precedence over)\b[^.!?]{0,40}$`)
	// A preference, which honest descriptions have too.
	mildBefore = expression(`\b(?:instead of|rather than|in place of|prefer(?:red)? (?:this )?(?:to|over)|before (?:using|calling)|always (?:use|call|run)|must (?:use|call|run)|first (?:use|call|run)|replac(?:es?|ing|ement for))\b[^.!?]{0,40}$`)
)

// askedContext are parameter names that ask for the conversation, whatever the tool is for.
var (
	sidenote    = expression(`^(?:side ?notes?|conversation|conversation (?:history|context|summary|log|so far)|(?:chat|message|full|entire|complete) ?(?:history|context|transcript|conversation)|chat ?log|previous messages|system ?prompt|user ?context|hidden ?(?:context|notes?)|internal ?notes?)$`)
	contextWish = expression(`\b(?:(?:full|entire|whole|complete|all(?: of)?|summary of|copy of|verbatim|previous|prior|preceding|contents? of|include|paste|put)\b[^.!?]{0,50}\b(?:conversation|chat|dialog(?:ue)?|messages|transcript|context window|system prompt|system message|instructions you|chain of thought|your reasoning|tool (?:list|results|outputs))|(?:conversation|chat|message) (?:history|transcript|log) (?:so far|up to|verbatim|with the user)|everything (?:the user|you) (?:said|wrote|know)|system prompt)\b`)
	keptSecret  = expression(`\b(?:do not (?:mention|tell|show|reveal)|don't (?:mention|tell|show|reveal)|without (?:telling|mentioning|asking)|never mention|hidden from the user|silently|not (?:visible|shown) to the user)\b`)
)

// ContextParameters finds parameters of a tool that ask for the conversation. raw is its definition, which must have passed frame.Validate
// or frame.Scan.
func ContextParameters(raw []byte) []Finding {
	properties, ok := frame.Find(raw, frame.Root(raw), "inputSchema", "properties")
	if !ok {
		return nil
	}
	var found []Finding
	frame.Members(raw, properties, func(key string, m frame.Member) bool {
		key = strings.Clone(key)
		description := textAt(raw, m.Value, "description")
		named := sidenote().MatchString(strings.ToLower(spacedName(key)))
		wish := contextWish().FindStringIndex(description)
		secret := (named || wish != nil) && keptSecret().MatchString(description)
		level := Level("")
		switch {
		case secret:
			level = High
		case wish != nil && (named || strings.EqualFold(key, "context") || strings.EqualFold(key, "notes")):
			level = Medium
		case named || wish != nil:
			level = Low // some servers honestly store or judge conversations
		}
		if level == "" {
			return true
		}
		f := Finding{
			Rule: ContextParameter, Level: level, Category: "threat", Title: "It asks for the conversation",
			Where: Member("inputSchema.properties", key), End: len(key), Match: cut.Runes(key, maxMatch),
		}
		if wish != nil {
			f.Where, f.Start, f.End = f.Where+".description", wish[0], wish[1]
			f.Match = cut.Runes(description[wish[0]:wish[1]], maxMatch)
		}
		found = append(found, f)
		return len(found) < 16
	})
	return found
}

// How much longer a description can become before it is reported.
const (
	grownTimes = 4
	grownBytes = 600
)

// Grown finds a description that is far longer than the approved one. Both are definitions, or instructions as JSON strings.
func Grown(approved, now []byte) []Finding {
	before, after := describes(approved), describes(now)
	if len(after) < grownTimes*len(before) || len(after)-len(before) < grownBytes || len(approved) == 0 {
		return nil
	}
	where := "description"
	if frame.Type(now, frame.Root(now)) == '"' {
		where = ""
	}
	return []Finding{{
		Rule: GrownDescription, Level: Medium, Category: "threat", Title: "Its description is far longer than the one you allowed", Where: where,
		Start: 0, End: len(after), Match: cut.Runes(after, maxMatch),
	}}
}

func describes(raw []byte) string {
	root := frame.Root(raw)
	if frame.Type(raw, root) == '"' {
		return textAt(raw, root)
	}
	return textAt(raw, root, "description")
}
