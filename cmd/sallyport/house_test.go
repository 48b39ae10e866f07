package main

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/sallyport/sallyport/proxy/inspect"
	"github.com/sallyport/sallyport/proxy/inspect/rules"
)

// tracked are the project's files: what git knows, or would add.
func tracked(t *testing.T) []string {
	t.Helper()
	command := exec.Command("git", "ls-files", "--cached", "--others", "--exclude-standard", "--deduplicate")
	command.Dir = "../.."
	out, err := command.Output()
	if err != nil {
		t.Fatalf("git ls-files: %v", err)
	}
	return strings.Fields(string(out))
}

func TestTheTopLevelIsTheFixedOne(t *testing.T) {
	fixed := strings.Fields("cmd app frontend proxy store build go.mod go.sum wails.json README.md CHANGELOG.md CONTRIBUTING.md SECURITY.md LICENSE Makefile docs .ci .gitignore")
	found := map[string]bool{}
	for _, path := range tracked(t) {
		top, _, _ := strings.Cut(path, "/")
		if found[top] = true; !slices.Contains(fixed, top) {
			t.Errorf("%s does not belong at the top level", path)
		}
	}
	for _, name := range fixed {
		if !found[name] {
			t.Errorf("%s is missing", name)
		}
	}
}

func TestEveryProblemCodeHasItsParagraph(t *testing.T) {
	page, err := os.ReadFile("../../docs/problems.md")
	if err != nil {
		t.Fatal(err)
	}
	described := map[string]bool{}
	for _, match := range regexp.MustCompile(`(?m)^## (SP-\d{3}) .+\n[^\n#]`).FindAllStringSubmatch(string(page), -1) {
		if described[match[1]] {
			t.Errorf("%s has two paragraphs", match[1])
		}
		described[match[1]] = true
	}
	used := map[string]bool{}
	for _, path := range tracked(t) {
		if filepath.Ext(path) != ".go" || strings.HasSuffix(path, "_test.go") {
			continue
		}
		source, err := os.ReadFile(filepath.Join("../..", path))
		if os.IsNotExist(err) {
			continue // removed and not yet committed
		}
		if err != nil {
			t.Fatal(err)
		}
		for _, match := range regexp.MustCompile(`"(SP-\d{3})[":]`).FindAllStringSubmatch(string(source), -1) {
			used[match[1]] = true
			if !described[match[1]] {
				t.Errorf("%s names %s, which has no paragraph in docs/problems.md", path, match[1])
			}
		}
	}
	for code := range described {
		if !used[code] {
			t.Errorf("docs/problems.md describes %s, which nothing names", code)
		}
	}
}

func TestLinksInTheDocsLeadSomewhere(t *testing.T) {
	for _, path := range tracked(t) {
		if filepath.Ext(path) != ".md" {
			continue
		}
		page, err := os.ReadFile(filepath.Join("../..", path))
		if err != nil {
			t.Fatal(err)
		}
		for _, match := range regexp.MustCompile(`\]\(([^)#:]+)\)`).FindAllStringSubmatch(string(page), -1) {
			if _, err := os.Stat(filepath.Join("../..", filepath.Dir(path), match[1])); err != nil {
				t.Errorf("%s links to %s, which is not there", path, match[1])
			}
		}
	}
}

// The page explains in its own words why a finding matters, never in the server's. A rule without words would get a sentence that fits all.
func TestEveryRuleOfTheCatalogueIsExplainedInTheWindow(t *testing.T) {
	page, err := os.ReadFile("../../frontend/src/review/findings.ts")
	if err != nil {
		t.Fatal(err)
	}
	beside := []string{ // rules outside the catalogue, which judge more than the words of a definition or request
		inspect.Shadowing, inspect.ToolImitation, inspect.ContextParameter, inspect.GrownDescription, inspect.LookAlikeName, inspect.OddSchema, inspect.NotASchema,
		inspect.AsksForSecret, inspect.AsksForPayment, inspect.UnsafeLink, inspect.IncludeContext, inspect.SamplingTools, inspect.UnreviewedPage,
	}
	for _, name := range append(rules.Names(), beside...) {
		if !strings.Contains(string(page), "  "+name+": { why: '") {
			t.Errorf("frontend/src/review/findings.ts does not say why %s matters", name)
		}
	}
}

// The Makefile tests some packages without the race detector, because in them it has nothing to find.
func TestWhatIsTestedWithoutTheRaceDetectorStartsNothingAndSharesNothing(t *testing.T) {
	makefile, err := os.ReadFile("../../Makefile")
	if err != nil {
		t.Fatal(err)
	}
	match := regexp.MustCompile(`(?m)^PURE = (.+)$`).FindSubmatch(makefile)
	if match == nil {
		t.Fatal("the Makefile has no line of them")
	}
	for _, folder := range strings.Fields(string(match[1])) {
		paths, err := filepath.Glob(filepath.Join("../..", folder, "*.go"))
		if err != nil || len(paths) == 0 {
			t.Fatalf("%s has no files: %v", folder, err)
		}
		for _, path := range paths {
			if strings.HasSuffix(path, "_test.go") {
				continue
			}
			file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.SkipObjectResolution)
			if err != nil {
				t.Fatal(err)
			}
			ast.Inspect(file, func(n ast.Node) bool {
				switch n := n.(type) {
				case *ast.GoStmt:
					t.Errorf("%s starts a goroutine", path)
				case *ast.ImportSpec:
					if n.Path.Value == `"sync"` || n.Path.Value == `"sync/atomic"` {
						t.Errorf("%s imports %s", path, n.Path.Value)
					}
				}
				return true
			})
		}
	}
}
