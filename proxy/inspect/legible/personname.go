package legible

import (
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/rivo/uniseg"
)

const (
	// MaxShownName is how many characters, as a reader counts them (graphemes), of a name are shown if room is limited.
	MaxShownName = 64
	// MaxNarrowName is how many fit in a notification and in the icon's menu.
	MaxNarrowName = 32
	// maxWholeName is how many are kept.
	maxWholeName = 256
	// maxGivenName is how much of a name in a file is read.
	maxGivenName = 16 << 10
	// maxNameMarks is how many accents a letter can have. Vietnamese and Hebrew need three; a pile of fifty would cover the lines around
	// it.
	maxNameMarks = 4
)

// PersonName is the only way for a name that a person gave a server to be shown: in any script, whole, without invisible characters,
// characters that change how other text is drawn, and terminal sequences; with single blanks for white space; and not beginning like a
// sentence of ours or one of our tools. It is "" if nothing is left. For a model, use Name and ToldName instead.
func PersonName(name string) string {
	if len(name) > maxGivenName {
		name = name[:maxGivenName]
	}
	// Whether a joiner or a variation selector draws anything depends on its neighbours, and those may have been removed, so one round of
	// cleaning may make another necessary. Clean text stays as it is.
	for range maxNameRounds {
		clean := cleanName(name)
		if clean == name {
			return clean
		}
		name = clean
	}
	return cleanName(strings.Map(func(r rune) rune {
		if c := ClassOf(r); c == joiner || c == Variation {
			return -1
		}
		return r
	}, name))
}

// maxNameRounds is enough for any name not built to need more; such a name loses all its joiners and variation selectors.
const maxNameRounds = 8

func cleanName(name string) string {
	var b strings.Builder
	blank, marks := false, 0
	for i := 0; i < len(name); {
		r, size := utf8.DecodeRuneInString(name[i:])
		if n := Sequence(name[i:]); n > 0 {
			i += n
			continue
		}
		before, run, after := name[:i], name[i:i+size], name[i+size:]
		i += size
		switch c := ClassOf(r); {
		case unicode.IsSpace(r) || unicode.Is(unicode.Z, r):
			blank = b.Len() > 0
			continue
		case r == utf8.RuneError:
			continue
		case c == joiner || c == Variation:
			if b.Len() == 0 || blank || !Honest(c, before, run, after) {
				continue
			}
		case c != Ordinary || !unicode.IsGraphic(r):
			continue
		case unicode.In(r, unicode.Mn, unicode.Me):
			if marks++; marks > maxNameMarks || b.Len() == 0 || blank {
				continue
			}
		default:
			marks = 0
		}
		if blank {
			b.WriteByte(' ')
			blank = false
		}
		b.WriteRune(r)
	}
	clean := b.String()
	for n := ownBeginning(clean); n > 0; n = ownBeginning(clean) {
		clean = strings.TrimLeftFunc(clean[n:], func(r rune) bool {
			return r == ' ' || unicode.In(r, unicode.M) || ClassOf(r) != Ordinary // an accent of a letter that was cut off
		})
	}
	return firstGraphemes(clean, maxWholeName)
}

// ShortName cuts a name to at most most graphemes, in the middle: both ends help to tell it apart.
func ShortName(name string, most int) string {
	all := graphemes(name)
	if len(all) <= most {
		return name
	}
	half := (most - 1) / 2
	return strings.Join(all[:most-1-half], "") + "…" + strings.Join(all[len(all)-half:], "")
}

// MarkLength is the length of what MarkedName adds.
const MarkLength = 6

// MarkedName is a shown name with the first four characters of its server's id, for names that a reader could confuse.
func MarkedName(shown, id string) string { return shown + markSign + id[:min(len(id), 4)] }

const markSign = " ·"

// LooksMarked reports whether a name ends like a result of MarkedName.
func LooksMarked(name string) bool {
	_, mark := cutMark(name)
	return mark != ""
}

func cutMark(name string) (rest, mark string) {
	at := strings.LastIndex(name, markSign)
	if at <= 0 || len(name)-at-len(markSign) != 4 || strings.Trim(name[at+len(markSign):], "0123456789abcdef") != "" {
		return name, ""
	}
	return name[:at], name[at:]
}

// NarrowName cuts a shown name to most graphemes, in the middle, and keeps its mark.
func NarrowName(shown string, most int) string {
	if rest, mark := cutMark(shown); mark != "" && most > 2*MarkLength {
		return ShortName(rest, most-MarkLength) + mark
	}
	return ShortName(shown, most)
}

// FirstOf cuts a text to at most most graphemes.
func FirstOf(text string, most int) string {
	first := firstGraphemes(text, most)
	if first == text {
		return text
	}
	return strings.TrimRight(firstGraphemes(text, most-1), " ") + "…"
}

// NameKey is equal for names that a reader could confuse: they differ only in case, blanks and accents, or in letters that look alike.
func NameKey(name string) string {
	var b strings.Builder
	for _, r := range name {
		if r == ' ' || ClassOf(r) != Ordinary || unicode.In(r, unicode.Mn, unicode.Me) {
			continue
		}
		switch r = foldLook(r); r {
		case 'I', 'i', '1', '|', 'l', 'L':
			r = 'l'
		case '0':
			r = 'o'
		}
		b.WriteRune(unicode.ToLower(r))
	}
	return b.String()
}

// ToldName is a server's name for a model: a plain name, or its number.
func ToldName(name string, number int) string {
	if plain := Name(name, ""); plain != "" {
		return plain
	}
	return numbered + strconv.Itoa(number)
}

const numbered = "server "

// SpokenServer is a server's name for a model: ToldName's result, else fallback.
func SpokenServer(name, fallback string) string {
	if digits, ok := strings.CutPrefix(name, numbered); ok && len(digits) > 0 && len(digits) < 10 && strings.Trim(digits, "0123456789") == "" {
		return name
	}
	return Name(name, fallback)
}

// OwnNames are beginnings that no name may have: our own voice, and the wrapper's own tools.
var OwnNames = []string{"[sallyport]", "approve_server_config", "quarantine_release"}

// ownBeginning is how much of a name looks like one of OwnNames: other alphabets, accents and blanks do not hide it.
func ownBeginning(name string) int {
	for _, own := range OwnNames {
		rest := own
		for i, r := range name {
			if r == ' ' && i > 0 || ClassOf(r) != Ordinary || unicode.In(r, unicode.Mn, unicode.Me) {
				continue
			}
			if rest == "" {
				return i
			}
			if unicode.ToLower(foldLook(r)) != rune(rest[0]) {
				rest = "x"
				break
			}
			rest = rest[1:]
		}
		if rest == "" {
			return len(name)
		}
	}
	return 0
}

// foldLook is the ASCII character that r looks like, or r.
func foldLook(r rune) rune {
	if r < utf8.RuneSelf {
		return r
	}
	if like, ok := Lookalikes()[r]; ok {
		return like
	}
	switch {
	case r >= 0xff01 && r <= 0xff5e: // full width
		return r - 0xfee0
	case r >= 0x1d400 && r < 0x1d6a4: // mathematical alphabets, of 26 capitals and 26 small letters each
		if n := (r - 0x1d400) % 52; n < 26 {
			return 'A' + n
		} else {
			return 'a' + n - 26
		}
	case r >= 0x24b6 && r <= 0x24cf: // circled
		return 'A' + r - 0x24b6
	case r >= 0x24d0 && r <= 0x24e9:
		return 'a' + r - 0x24d0
	case r == '【' || r == '〔' || r == '⟦' || r == '〚' || r == '⁅':
		return '['
	case r == '】' || r == '〕' || r == '⟧' || r == '〛' || r == '⁆':
		return ']'
	}
	return r
}

func graphemes(s string) (all []string) {
	for state := -1; s != ""; {
		var one string
		one, s, _, state = uniseg.FirstGraphemeClusterInString(s, state)
		all = append(all, one)
	}
	return all
}

func firstGraphemes(s string, most int) string {
	if len(s) <= most {
		return s
	}
	if all := graphemes(s); len(all) > most {
		return strings.TrimRight(strings.Join(all[:most], ""), " ")
	}
	return s
}

// Name is the only way for a name chosen by a server or a configuration file to get into our own sentences: name if it is
// [A-Za-z0-9._-]{1,64}, else fallback, which is ours ("tool 3 of weather"). So no name can carry a sentence, a direction or a line break in
// our voice.
func Name(name, fallback string) string {
	odd := func(r rune) bool {
		return !(r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r == '.' || r == '_' || r == '-')
	}
	if name == "" || len(name) > 64 || strings.ContainsFunc(name, odd) {
		return fallback
	}
	return name
}

// maxRecorded is how many characters of a tool's name a record keeps.
const maxRecorded = 256

// Recorded is a tool's name in a member of its own, as records have it: name if it is plain, else what Text leaves of it. Never put it into
// a sentence of ours.
func Recorded(name string) string {
	if plain := Name(name, ""); plain != "" {
		return plain
	}
	return Text(name, maxRecorded)
}

// rightToLeft are the scripts in use that are written from right to left.
var rightToLeft = []*unicode.RangeTable{unicode.Arabic, unicode.Hebrew, unicode.Syriac, unicode.Thaana, unicode.Nko, unicode.Adlam, unicode.Mandaic, unicode.Samaritan, unicode.Hanifi_Rohingya}

// Isolated puts each piece of right-to-left text into an isolate of its own, together with the mark after a name; otherwise it would move
// the digits and signs that follow to its other side. Use it for a line of ours that holds names, as the last step before drawing: cleaning
// removes isolates.
func Isolated(line string) string {
	var b strings.Builder
	done, from, to := 0, -1, 0 // from and to: the open piece, up to the end of its last letter
	end := func() {
		if from < 0 {
			return
		}
		if tail := line[to:]; len(tail) >= len(markSign)+4 && LooksMarked("x"+tail[:len(markSign)+4]) {
			to += len(markSign) + 4
		}
		b.WriteString(line[done:from] + "\u2068" + line[from:to] + "\u2069")
		done, from = to, -1
	}
	for i, r := range line {
		next := i + len(string(r))
		switch {
		case i < done: // of a mark
		case unicode.IsLetter(r) && unicode.In(r, rightToLeft...):
			if from < 0 {
				from = i
			}
			to = next
		case from >= 0 && unicode.Is(unicode.M, r):
			to = next
		case unicode.IsLetter(r):
			end()
		}
	}
	end()
	return b.String() + line[done:]
}
