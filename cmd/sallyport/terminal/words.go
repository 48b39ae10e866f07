package terminal

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/rivo/uniseg"

	"github.com/sallyport/sallyport/proxy/inspect/legible"
)

// Counted is "1 item" or "3 items".
func Counted(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}

// mostSigns is how many rules of weak signs are named.
const mostSigns = 6

// WeakSigns is what was found of Low level alone, in one sentence: too little for a warning.
func WeakSigns(rules []string, n int) string {
	words := Counted(n, "weak sign") + ", too little for a warning: " + strings.Join(rules[:min(len(rules), mostSigns)], ", ")
	if more := len(rules) - mostSigns; more > 0 {
		words += fmt.Sprintf(" and %d more", more)
	}
	return words
}

// Names is texts of others, one after the other.
func Names(keys []string) string {
	out := make([]string, len(keys))
	for i, key := range keys {
		out[i] = Text(key)
	}
	return strings.Join(out, ", ")
}

// Entry is the name of an entry of a client's file, "" if it has no visible one.
func Entry(name string) string {
	if shown := Name(name, 60); shown != "" && shown != " " {
		return shown
	}
	return fmt.Sprintf("%q", Short(name, 60))
}

// Tool is a tool's name for one of our lines. One that isn't plain is quoted, so that it can't be read on into our words.
func Tool(name string, most int) string {
	if plain := legible.Name(name, ""); plain != "" {
		return Short(plain, most)
	}
	return fmt.Sprintf("%q", Short(name, most))
}

// Command is a readable argument vector, quoted where a word would otherwise fall apart or hide.
func Command(argv []string) string {
	words := make([]string, len(argv))
	for i, a := range argv {
		if a == "" || strings.ContainsAny(a, " \t\r\n\"'\\$`*?|&;<>()") {
			a = fmt.Sprintf("%q", a)
		}
		words[i] = a
	}
	return strings.Join(words, " ")
}

// Indented is a JSON value spread over lines and escaped, with nothing else changed.
func Indented(raw json.RawMessage) string {
	var out bytes.Buffer
	if json.Indent(&out, raw, "", "  ") != nil {
		return legible.Escape(string(raw))
	}
	return string(legible.EscapeJSON(out.Bytes()))
}

// Clock is a time to the second, in UTC.
func Clock(t time.Time) string { return t.UTC().Format("2006-01-02 15:04:05 UTC") }

// Name makes our own text that contains a person's name for a server safe for one of our lines. The cleaning of names keeps the joiners of
// emoji and of Persian or Indic words, and so does this: spelled out, the name would no longer be the one that was given. A text with
// anything else in it is escaped like a server's.
func Name(s string, most int) string {
	if !isGiven(s) {
		return Short(s, most)
	}
	if utf8.RuneCountInString(s) <= most {
		return s
	}
	first, room, state := 0, most-1, -1
	for rest := s; rest != ""; {
		var one string
		one, rest, _, state = uniseg.FirstGraphemeClusterInString(rest, state)
		if room -= utf8.RuneCountInString(one); room < 0 {
			break // never within a joined emoji
		}
		first += len(one)
	}
	return s[:first] + "…"
}

// isGiven says that there is nothing in a text that the name of a server can't have.
func isGiven(s string) bool { return legible.PersonName(s) == s }
