package main

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// Each policy_decision says which value of a setting decided (mode). So only a few functions write one, and they ask for it: in a wrapper
// journal.decide and journal.about, in the hub Office.Decision. If this test names a function, let it call one of those.
func TestEveryDecisionInTheTimelineNamesItsMode(t *testing.T) {
	may := map[string][]string{
		"RecordPolicyDecision": {"decide", "about", "recordKind", "counts", "Decision", "wrapperKinds"},
		"recordKind":           {"about", "counts", "detail"},
	}
	seen := map[string]bool{}
	for _, room := range []string{"proxy", "app"} {
		err := filepath.WalkDir(filepath.Join("..", "..", room), func(path string, _ fs.DirEntry, err error) error {
			if err != nil || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
				return err
			}
			file, err := parser.ParseFile(token.NewFileSet(), path, nil, 0)
			if err != nil {
				return err
			}
			for _, d := range file.Decls {
				in := declaredName(d)
				ast.Inspect(d, func(n ast.Node) bool {
					use, ok := n.(*ast.SelectorExpr)
					if !ok || may[use.Sel.Name] == nil {
						return true
					}
					seen[in] = true
					if !slices.Contains(may[use.Sel.Name], in) {
						t.Errorf("%s: %s uses %s", filepath.ToSlash(path), in, use.Sel.Name)
					}
					return true
				})
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	for _, names := range may {
		for _, name := range names {
			if !seen[name] {
				t.Errorf("%s no longer writes decisions", name)
			}
		}
	}
}

// declaredName is the name of what a declaration declares first.
func declaredName(d ast.Decl) string {
	switch d := d.(type) {
	case *ast.FuncDecl:
		return d.Name.Name
	case *ast.GenDecl:
		for _, spec := range d.Specs {
			if v, ok := spec.(*ast.ValueSpec); ok {
				return v.Names[0].Name
			}
		}
	}
	return ""
}
