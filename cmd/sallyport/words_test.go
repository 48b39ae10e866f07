package main

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// unsaid are words that texts for people avoid, with what to say instead: one word for one thing, in plain English.
var unsaid = []struct{ old, instead string }{
	{`(?:an?|the|each|every|its|this|held|one|such|no|more|many|of|in|from|for|large|long|single) answers?|that answer`, "a response: what a server sends back for a request"},
	{`stands?|stood`, "is"},
	{`nobody|nobody's`, "no one, or who it is that does not"},
	{`goes on|go on|went on`, "continues, keeps"},
	{`no more than one|is no more|are no more|waits no more`, "no longer"},
	{`otherwise than`, "differently from"},
	{`says? of (?:itself|themselves)`, "declares, claims"},
	{`lets? (?:it |them )?through`, "allow, pass"},
	{`(?:hold|holds|held|keep|keeps|kept) back`, "hold; block"},
	{`(?:hand|hands|handed|handing) over`, "release, deliver"},
	{`(?:throw|throws|thrown) away`, "discard"},
	{`withheld|withholds?`, "blocked; held"},
	{`mends?|mended`, "fix"},
	{`things? waits?|waits? for you|waits? for your`, "needs your review"},
	{`is no (?:JSON|text|number|object|list|word|name|file|folder|program)`, "is not a …"},
}

// said are texts in which a word of unsaid is right: their file, and the text itself.
var said = map[string][]string{
	"docs/performance.md":                 {"mcp-go on both sides"},
	"proxy/refusal/refusal.go":            {"The answer of %s does not match its output schema"}, // the words that clients know it by
	"frontend/src/review/Headline.svelte": {"Nobody from Sallyport will ever ask"},
}

// texts are the texts of a file for people: of a page everything outside code, of Go and TypeScript every string of several words.
func texts(t *testing.T, file string) []string {
	t.Helper()
	source, err := os.ReadFile(filepath.Join("../..", file))
	if os.IsNotExist(err) {
		return nil // removed and not yet committed
	}
	if err != nil {
		t.Fatal(err)
	}
	switch filepath.Ext(file) {
	case ".md":
		if strings.HasPrefix(string(source), "<!-- Written by") {
			return nil // generated from code, whose texts are checked there
		}
		prose := regexp.MustCompile("(?s)```.*?```|`[^`]*`|\\]\\([^)]*\\)").ReplaceAllString(string(source), " ")
		return strings.Split(prose, "\n\n")
	case ".go":
		parsed, err := parser.ParseFile(token.NewFileSet(), file, source, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		var all []string
		ast.Inspect(parsed, func(n ast.Node) bool {
			if literal, is := n.(*ast.BasicLit); is && literal.Kind == token.STRING {
				if text, err := strconv.Unquote(literal.Value); err == nil && strings.Contains(text, " ") {
					all = append(all, text)
				}
			}
			return true
		})
		return all
	}
	// A comment of a script is for engineers.
	plain := regexp.MustCompile(`(?s)/\*.*?\*/|<!--.*?-->|(?m:^\s*//.*$)|(?m:\s// .*$)`).ReplaceAllString(string(source), "")
	var all []string
	if script := regexp.MustCompile(`(?s)<script.*?</script>|<style.*?</style>`); filepath.Ext(file) == ".svelte" {
		page := script.ReplaceAllString(plain, "")
		for range 3 { // braces in braces
			page = regexp.MustCompile(`\{[^{}]*\}`).ReplaceAllString(page, " ")
		}
		all = strings.Split(regexp.MustCompile(`<[^>]*>`).ReplaceAllString(page, " "), "\n")
	}
	return append(all, regexp.MustCompile("'[^'\n]* [^'\n]*'|`[^`]* [^`]*`").FindAllString(plain, -1)...)
}

// forPeople are the files with texts that people read.
func forPeople(t *testing.T) (files []string) {
	t.Helper()
	for _, file := range tracked(t) {
		switch {
		case strings.HasSuffix(file, "_test.go"), strings.Contains(file, ".test."), strings.Contains(file, "/test/"), strings.Contains(file, "/e2e/"), strings.Contains(file, "/uitest/"):
		case filepath.Ext(file) == ".md",
			strings.HasPrefix(file, "frontend/src/") && (filepath.Ext(file) == ".ts" || filepath.Ext(file) == ".svelte"),
			filepath.Ext(file) == ".go" && (strings.HasPrefix(file, "cmd/sallyport/") || strings.HasPrefix(file, "app/") || strings.HasPrefix(file, "proxy/")) &&
				!strings.HasPrefix(file, "proxy/inspect/") && !strings.HasPrefix(file, "proxy/scripted/"): // patterns of attacks, and what scripts play
			files = append(files, file)
		}
	}
	return files
}

func TestTextsForPeopleUseOneWordForOneThing(t *testing.T) {
	var old []*regexp.Regexp
	for _, row := range unsaid {
		old = append(old, regexp.MustCompile(`(?i)\b(?:`+row.old+`)\b`))
	}
	met := map[string]bool{}
	for _, file := range forPeople(t) {
		for _, text := range texts(t, file) {
			for i, word := range old {
				for _, at := range word.FindAllStringIndex(text, -1) {
					around := strings.Join(strings.Fields(text[max(0, at[0]-40):min(len(text), at[1]+40)]), " ")
					if j := slices.IndexFunc(said[file], func(meant string) bool { return strings.Contains(around, meant) }); j >= 0 {
						met[file+said[file][j]] = true
						continue
					}
					t.Errorf("%s: %q; say instead: %s", file, around, unsaid[i].instead)
				}
			}
		}
	}
	for file, meant := range said {
		for _, text := range meant {
			if !met[file+text] {
				t.Errorf("%s says %q no more: it needs no exception", file, text)
			}
		}
	}
}
