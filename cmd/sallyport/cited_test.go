package main

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// toldFiles are the files with text for people who read code or docs: comments, scripts, pages.
func toldFiles(t *testing.T) []string {
	t.Helper()
	var files []string
	for _, file := range tracked(t) {
		switch {
		case strings.HasPrefix(file, "cmd/eval/"), strings.HasPrefix(file, "frontend/public/"): // corpora and licences are other people's words
		case slices.Contains([]string{".go", ".md", ".ts", ".svelte", ".css", ".mjs", ".sh", ".txtar"}, filepath.Ext(file)),
			file == "Makefile", strings.HasPrefix(file, ".ci/"), strings.HasPrefix(file, "build/") && filepath.Ext(file) == "":
			files = append(files, file)
		}
	}
	return files
}

// comments is the text of a file for its readers: the comments of Go, the comment lines of a script, all of a page.
func comments(t *testing.T, file string) string {
	t.Helper()
	source, err := os.ReadFile(filepath.Join("../..", file))
	if os.IsNotExist(err) {
		return "" // removed and not yet committed
	}
	if err != nil {
		t.Fatal(err)
	}
	switch filepath.Ext(file) {
	case ".md":
		return string(source)
	case ".go":
		parsed, err := parser.ParseFile(token.NewFileSet(), file, source, parser.ParseComments|parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		var told strings.Builder
		for _, group := range parsed.Comments {
			told.WriteString(group.Text() + "\n")
		}
		return told.String()
	}
	var told strings.Builder
	for line := range strings.Lines(string(source)) {
		if begins := strings.TrimSpace(line); strings.HasPrefix(begins, "#") || strings.HasPrefix(begins, "//") || strings.HasPrefix(begins, "/*") ||
			strings.HasPrefix(begins, "*") || strings.HasPrefix(begins, "<!--") {
			told.WriteString(line)
		} else if _, behind, is := strings.Cut(line, " // "); is {
			told.WriteString(behind)
		}
	}
	return told.String()
}

var (
	citedFile = regexp.MustCompile(`[A-Za-z0-9_.][A-Za-z0-9_./-]*\.(?:md|go|txtar|svelte|mjs|ts|sh)\b`)
	ourFolder = regexp.MustCompile(`^(cmd|app|frontend|proxy|store|build|docs|\.ci)/`)
	citedTrap = regexp.MustCompile(`\bT\d{1,2}\b`)
	outside   = regexp.MustCompile(`(?i)\bthe contract\b|\(contract\b|§ ?\d|\bissue #?\d|\bof the issue\b|\bseed list\b`)
)

// A reader can follow every file that a comment or page names.
func TestFilesThatAreCitedExist(t *testing.T) {
	all := tracked(t)
	for _, file := range toldFiles(t) {
		for _, cited := range citedFile.FindAllString(comments(t, file), -1) {
			if strings.HasPrefix(cited, "_") || path.Base(cited) == "SKILL.md" { // the ending of a name; a file of the skills that servers offer
				continue
			}
			inRepo := slices.Contains(all, cited) || slices.Contains(all, path.Join(path.Dir(file), cited))
			page, source := path.Ext(cited) == ".md", path.Ext(file) != ".md"
			if !inRepo && (page || ourFolder.MatchString(cited) || source && path.Ext(cited) == ".go") {
				t.Errorf("%s cites %s, which is not there", file, cited)
			}
		}
	}
}

// Code and docs cite only what is in the repository: an outsider can't open a brief, an issue or a design page.
func TestNothingIsCitedThatAnOutsiderCannotOpen(t *testing.T) {
	relay, err := os.ReadFile("../../docs/relay.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range toldFiles(t) {
		told := comments(t, file)
		for _, found := range outside.FindAllString(told, -1) {
			t.Errorf("%s cites %q", file, found)
		}
		for _, trap := range citedTrap.FindAllString(told, -1) {
			if !strings.Contains(string(relay), "| "+trap+" ") && file != "docs/relay.md" {
				t.Errorf("%s cites %s, which docs/relay.md does not tell", file, trap)
			}
		}
	}
}

// The docs say which test holds a claim; a name that ends with … is the beginning of one.
func TestTestsThatTheDocsCiteExist(t *testing.T) {
	var declared []string
	for _, file := range tracked(t) {
		if !strings.HasSuffix(file, "_test.go") {
			continue
		}
		parsed, err := parser.ParseFile(token.NewFileSet(), filepath.Join("../..", file), nil, parser.SkipObjectResolution)
		if os.IsNotExist(err) {
			continue
		}
		if err != nil {
			t.Fatal(err)
		}
		for _, declaration := range parsed.Decls {
			if function, is := declaration.(*ast.FuncDecl); is {
				declared = append(declared, function.Name.Name)
			}
		}
	}
	cited := regexp.MustCompile(`\b(?:Test|Fuzz|Benchmark)[A-Z][A-Za-z0-9]*…?`)
	for _, file := range toldFiles(t) {
		if filepath.Ext(file) != ".md" {
			continue
		}
		for _, name := range cited.FindAllString(comments(t, file), -1) {
			beginning, part := strings.CutSuffix(name, "…")
			if !slices.ContainsFunc(declared, func(d string) bool { return d == name || part && strings.HasPrefix(d, beginning) }) {
				t.Errorf("%s cites %s, which is no test", file, name)
			}
		}
	}
}
