package main

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// notOfThePage are words of a type that the page is never given.
var notOfThePage = map[string][]string{"vocab.ItemKind": {"unseen"}} // only a notification has it

// The toolkit turns every string type into `string` in TypeScript. Where the page should know the words, a tag repeats them.
func TestThePageKnowsTheWordsOfEachType(t *testing.T) {
	words := map[string][]string{} // of "vocab.Status" and the others
	type field struct{ of, where, tag string }
	var fields []field
	for _, file := range tracked(t) {
		if !strings.HasSuffix(file, ".go") || strings.HasSuffix(file, "_test.go") {
			continue
		}
		parsed, err := parser.ParseFile(token.NewFileSet(), filepath.Join("../..", file), nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		name := func(of ast.Expr) string {
			switch of := of.(type) {
			case *ast.SelectorExpr:
				return of.X.(*ast.Ident).Name + "." + of.Sel.Name
			case *ast.Ident:
				return parsed.Name.Name + "." + of.Name
			}
			return ""
		}
		ast.Inspect(parsed, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.ValueSpec:
				_, here := n.Type.(*ast.Ident)
				for _, value := range n.Values {
					if literal, is := value.(*ast.BasicLit); here && is && literal.Kind == token.STRING {
						word, _ := strconv.Unquote(literal.Value)
						words[name(n.Type)] = append(words[name(n.Type)], word)
					}
				}
			case *ast.Field:
				if n.Tag == nil {
					break
				}
				plain, _ := strconv.Unquote(n.Tag.Value)
				if tag := reflect.StructTag(plain).Get("ts_type"); tag != "" {
					fields = append(fields, field{strings.Replace(name(n.Type), "inspect.Level", "rules.Level", 1), file, tag})
				}
			}
			return true
		})
	}
	checked := 0
	for _, f := range fields {
		known := slices.DeleteFunc(slices.Clone(words[f.of]), func(word string) bool { return word == "" || slices.Contains(notOfThePage[f.of], word) })
		if len(known) == 0 {
			continue // not a type with words of its own
		}
		checked++
		var tagged []string
		for _, match := range regexp.MustCompile(`'([a-z_]+)'`).FindAllStringSubmatch(f.tag, -1) {
			tagged = append(tagged, match[1])
		}
		slices.Sort(known)
		slices.Sort(tagged)
		if !slices.Equal(known, tagged) {
			t.Errorf("%s: a %s is one of %q, and the page is told %q", f.where, f.of, known, tagged)
		}
	}
	if checked < 5 {
		t.Errorf("only %d tags were compared", checked)
	}
}
