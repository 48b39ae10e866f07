package main

import (
	"encoding/json"
	"errors"
	"go/ast"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"io"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// The files of a package that reach each other by calls, however indirectly, are a circle: to change one you have to know all of them. A type
// with many methods is the same problem in one piece.
const (
	largestCircle = 12 // files
	mostMethods   = 60
)

func TestNoPackageOfTheHouseIsOneLargeCircle(t *testing.T) {
	circles, methods := map[string]int{}, map[string]int{}
	members := map[string][]string{}
	for room, p := range typeChecked(t) {
		members[room] = p.largestCircle()
		circles[room] = len(members[room])
		for name, n := range p.methods() {
			methods[room+"."+name] = n
		}
	}
	for _, room := range withinBounds(t, "the files in the largest circle", circles, largestCircle) {
		t.Logf("%s: %s", room, strings.Join(members[room], " "))
	}
	withinBounds(t, "the methods", methods, mostMethods)
}

// withinBounds reports, and returns, what is larger than its bound.
func withinBounds(t *testing.T, what string, found map[string]int, bound int) []string {
	t.Helper()
	var over []string
	for _, name := range slices.Sorted(maps.Keys(found)) {
		if n := found[name]; n > bound {
			t.Errorf("%s: %s are %d, at most %d", name, what, n, bound)
			over = append(over, name)
		}
	}
	return over
}

type checkedPackage struct {
	fset  *token.FileSet
	files []*ast.File
	types *types.Package
	info  types.Info
}

// typeChecked are our packages, without their tests, as they are built for Linux. What they import is not read as source: the
// compiler has its types.
func typeChecked(t *testing.T) map[string]checkedPackage {
	t.Helper()
	command := exec.Command("go", "list", "-export", "-deps", "-json=ImportPath,Dir,GoFiles,Export", "./...")
	command.Dir = "../.."
	command.Env = append(command.Environ(), "GOOS=linux", "CGO_ENABLED=0")
	out, err := command.Output()
	if err != nil {
		t.Fatalf("go list: %v", err)
	}
	type listedPackage struct {
		ImportPath, Dir, Export string
		GoFiles                 []string
	}
	fset, exports, ours := token.NewFileSet(), map[string]string{}, []listedPackage{}
	for decoder := json.NewDecoder(strings.NewReader(string(out))); ; {
		var p listedPackage
		if err := decoder.Decode(&p); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			t.Fatal(err)
		}
		exports[p.ImportPath] = p.Export
		if strings.HasPrefix(p.ImportPath, module) {
			ours = append(ours, p)
		}
	}
	compiled := importer.ForCompiler(fset, "gc", func(path string) (io.ReadCloser, error) { return os.Open(exports[path]) })
	checked := map[string]checkedPackage{}
	for _, listed := range ours {
		p := checkedPackage{fset: fset, info: types.Info{Uses: map[*ast.Ident]types.Object{}, Types: map[ast.Expr]types.TypeAndValue{}}}
		for _, name := range listed.GoFiles {
			file, err := parser.ParseFile(fset, filepath.Join(listed.Dir, name), nil, parser.SkipObjectResolution)
			if err != nil {
				t.Fatal(err)
			}
			p.files = append(p.files, file)
		}
		if p.types, err = (&types.Config{Importer: compiled}).Check(listed.ImportPath, fset, p.files, &p.info); err != nil {
			t.Fatal(err)
		}
		checked[strings.TrimPrefix(listed.ImportPath, module)] = p
	}
	return checked
}

// methods counts the methods of each type.
func (p checkedPackage) methods() map[string]int {
	count := map[string]int{}
	for _, name := range p.types.Scope().Names() {
		if declared, ok := p.types.Scope().Lookup(name).(*types.TypeName); ok && !declared.IsAlias() {
			count[name] = declared.Type().(*types.Named).NumMethods()
		}
	}
	return count
}

// largestCircle names the files of the largest strongly connected set. An arrow leads from a file to each whose functions and methods
// it uses.
func (p checkedPackage) largestCircle() []string {
	arrows := map[string]map[string]bool{}
	name := func(at token.Pos) string { return filepath.Base(p.fset.Position(at).Filename) }
	for _, file := range p.files {
		arrows[name(file.FileStart)] = map[string]bool{}
	}
	for id, used := range p.info.Uses {
		if f, ok := used.(*types.Func); ok && f.Pkg() == p.types {
			arrows[name(id.Pos())][name(f.Pos())] = true
		}
	}
	reach := map[string]map[string]bool{}
	for from := range arrows {
		reach[from] = map[string]bool{from: true}
		for next := []string{from}; len(next) > 0; next = next[1:] {
			for to := range arrows[next[0]] {
				if !reach[from][to] {
					reach[from][to] = true
					next = append(next, to)
				}
			}
		}
	}
	var largest []string
	for a := range reach {
		var circle []string
		for b := range reach[a] {
			if reach[b][a] {
				circle = append(circle, b)
			}
		}
		if len(circle) > len(largest) {
			largest = circle
		}
	}
	slices.Sort(largest)
	return largest
}
