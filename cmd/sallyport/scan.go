package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"slices"
	"strings"
	"unicode"

	"github.com/sallyport/sallyport/app/settings"
	"github.com/sallyport/sallyport/cmd/sallyport/terminal"
	"github.com/sallyport/sallyport/proxy/frame"
	"github.com/sallyport/sallyport/proxy/inspect"
	"github.com/sallyport/sallyport/proxy/inspect/secrets"
)

// maxScanned is how large one file, or one line of a stream, may be.
const maxScanned = 256 << 20

type scanCommand struct {
	Format string   `default:"text" enum:"text,json,sarif" help:"Output format: text, json or sarif (2.1.0). With --as jsonl the output is always JSON Lines."`
	As     string   `default:"" enum:",tools,text,jsonl" help:"Type of the files: a tools/list result or one tool, plain text, or a stream of JSON Lines. Default: detected for each file."`
	Rules  filePath `placeholder:"FILE" help:"File with additional rules, as in the setting inspect.rules."`
	Files  []string `arg:"" name:"file" complete:"file" help:"Files to scan; - is standard input."`
}

// scanReport is what `scan --format json` prints.
type scanReport struct {
	Files   []scannedFile `json:"files"`
	RuleSet string        `json:"rule_set"` // the rules the files were inspected with
	Schema  string        `json:"schema"`   // sallyport.scan/1
}

// scannedFile is one file of a report.
type scannedFile struct {
	File  string        `json:"file"`
	Kind  string        `json:"kind"` // tools or text
	Items []scannedItem `json:"items"`

	raw []byte // the file's content, for a report with places
}

type scannedItem struct {
	at frame.Span // of a definition in its file; absent for a text

	ID       string            `json:"id"` // the tool's name, else "text"
	Verdict  inspect.Verdict   `json:"verdict"`
	Findings []inspect.Finding `json:"findings"`
	Passages []inspect.Passage `json:"passages"` // the merged findings: one warning each for a person
	Checks   []inspect.Check   `json:"checks"`
}

func (c scanCommand) run(_ context.Context, s streams) (int, error) {
	if c.As == "jsonl" && c.Format == "sarif" {
		return exitUsage, errors.New("--as jsonl can't be used with --format sarif: its output is JSON Lines")
	}
	var own *inspect.RuleFile
	if c.Rules != "" {
		var err error
		if _, own, err = settings.ReadRules(string(c.Rules)); err != nil {
			return exitFailed, fmt.Errorf("rule file %s: %w", terminal.Text(string(c.Rules)), err)
		}
	}
	look := scanner{own}
	if c.As == "jsonl" {
		return c.each(s, func(_ string, in io.Reader) (bool, error) { return look.stream(in, s.out) }), nil
	}
	files := []scannedFile{}
	code := c.each(s, func(name string, in io.Reader) (bool, error) {
		raw, err := readScanned(in)
		if err != nil {
			return false, err
		}
		file, err := look.file(name, c.As, raw)
		if err != nil {
			return false, err
		}
		if c.Format == "sarif" {
			file.raw = raw
		}
		files = append(files, file)
		return slices.ContainsFunc(file.Items, scannedItem.threatens), nil
	})
	switch c.Format {
	case "json":
		return code, writeJSON(s.out, scanReport{Files: files, RuleSet: own.RuleSet(), Schema: "sallyport.scan/1"})
	case "sarif":
		return code, writeJSON(s.out, sarifOf(files, own.RuleSet()))
	}
	sayScanned(newPage(s), files)
	return code, nil
}

// each inspects one file after the other and returns the exit code. A file that can't be inspected hides no other, and the code says that
// the result is incomplete.
func (c scanCommand) each(s streams, look func(name string, in io.Reader) (threatens bool, err error)) int {
	code, failed := exitFine, false
	for _, name := range c.Files {
		threatens, err := opened(name, s.in, look)
		if path := new(fs.PathError); errors.As(err, &path) && path.Path == name { // it is named already
			err = path.Err
		}
		if err != nil {
			failed = true
			fail(s, exitFailed, "scan", fmt.Errorf("%s: %w", name, err))
		}
		if threatens {
			code = exitPerson
		}
	}
	if failed {
		return exitFailed
	}
	return code
}

// opened looks at one file, or at standard input.
func opened(name string, in io.Reader, look func(string, io.Reader) (bool, error)) (threatens bool, err error) {
	if name != "-" {
		f, err := os.Open(name)
		if err != nil {
			return false, err
		}
		defer f.Close()
		in = f
	}
	return look(name, in)
}

func readScanned(in io.Reader) ([]byte, error) {
	raw, err := io.ReadAll(io.LimitReader(in, maxScanned+1))
	if err != nil {
		return nil, err
	}
	if len(raw) > maxScanned {
		return nil, errors.New("it is larger than 256 MiB; split it into smaller files")
	}
	return raw, nil
}

// scanner inspects with the catalogue and the rules of a file, nil for none.
type scanner struct{ own *inspect.RuleFile }

// file inspects one file. Without a kind, JSON with tools is a listing, and anything else is text.
func (look scanner) file(name, kind string, raw []byte) (scannedFile, error) {
	spans, why := toolsOf(raw)
	if kind == "tools" && why != nil {
		return scannedFile{}, why
	}
	if kind == "text" || why != nil {
		return scannedFile{File: name, Kind: "text", Items: []scannedItem{look.text("text", string(raw))}}, nil
	}
	file := scannedFile{File: name, Kind: "tools", Items: []scannedItem{}}
	for i, span := range spans {
		tool := span.Of(raw)
		item := look.tool(toolName(tool, i), tool)
		item.at = span
		file.Items = append(file.Items, item)
	}
	return file, nil
}

var errNoTools = errors.New("it has no tools: expected a tools/list result, a list of tools, or one tool")

// toolsOf are the definitions in a JSON value, as spans: the result of tools/list, the whole response, a list, or one tool.
func toolsOf(raw []byte) ([]frame.Span, error) {
	root := trimmed(raw)
	if err := frame.Validate(root.Of(raw)); err != nil {
		return nil, fmt.Errorf("it isn't JSON that every program reads the same way: %w", err)
	}
	list := root
	if frame.Type(raw, root) == '{' {
		found := false
		for _, path := range [][]string{{"tools"}, {"result", "tools"}} {
			if span, ok := frame.Find(raw, root, path...); ok && frame.Type(raw, span) == '[' {
				list, found = span, true
				break
			}
		}
		if !found {
			_, named := frame.Find(raw, root, "name")
			_, described := frame.Find(raw, root, "description")
			_, schema := frame.Find(raw, root, "inputSchema")
			if !named || !described && !schema {
				return nil, errNoTools
			}
			return []frame.Span{root}, nil
		}
	}
	if frame.Type(raw, list) != '[' {
		return nil, errNoTools
	}
	tools := []frame.Span{}
	objects := true
	frame.Elements(raw, list, func(_ int, v frame.Span) bool {
		objects = frame.Type(raw, v) == '{'
		tools = append(tools, v)
		return objects
	})
	if !objects {
		return nil, errNoTools
	}
	return tools, nil
}

// trimmed is raw without the white space around it, including kinds that JSON does not know.
func trimmed(raw []byte) frame.Span {
	start := len(raw) - len(bytes.TrimLeftFunc(raw, unicode.IsSpace))
	return frame.Span{Start: start, End: start + len(bytes.TrimSpace(raw))}
}

func toolName(raw []byte, i int) string {
	if span, ok := frame.Find(raw, frame.Root(raw), "name"); ok && frame.Type(raw, span) == '"' {
		if name, _ := frame.String(raw, span); name != "" {
			return name
		}
	}
	return fmt.Sprintf("tool %d", i+1)
}

// tool judges a definition. An ambiguous one would be blocked if a server declared it.
func (look scanner) tool(id string, raw []byte) scannedItem {
	if err := frame.Validate(raw); err != nil {
		judged := inspect.Judged{Verdict: inspect.Block, Findings: []inspect.Finding{{
			Rule: inspect.NoReading, Level: inspect.High, Category: "threat", Title: "Its text can be read in two ways", Match: err.Error(),
		}}}
		checks := judged.DefinitionChecks(true)
		for i := range checks {
			checks[i].Ran, checks[i].Why = false, "it has no one reading"
		}
		return itemOf(id, judged, checks)
	}
	judged := look.own.JudgeDefinition(raw)
	secrets, whole := inspect.Secrets(raw, secrets.Precise)
	for _, s := range secrets {
		judged.Findings = append(judged.Findings, s.Finding)
	}
	return itemOf(id, judged, judged.DefinitionChecks(whole))
}

func (look scanner) text(id, text string) scannedItem {
	judged, secrets, whole := look.own.JudgeText(text, secrets.Precise)
	judged.Findings = append(judged.Findings, secrets...)
	return itemOf(id, judged, judged.TextChecks(whole))
}

// threatens reports a finding of Medium or above. A secret is not a threat.
func (item scannedItem) threatens() bool {
	return slices.ContainsFunc(item.Findings, func(f inspect.Finding) bool {
		return f.Category != inspect.CategorySecret && f.Level.Rank() >= inspect.Medium.Rank()
	})
}

func itemOf(id string, j inspect.Judged, checks []inspect.Check) scannedItem {
	if j.Findings == nil {
		j.Findings = []inspect.Finding{}
	}
	return scannedItem{ID: id, Verdict: j.Verdict, Findings: inspect.Catalogued(j.Findings), Passages: inspect.Passages(j.Findings), Checks: checks}
}

// sayScanned prints a report for people. Names and matches come from the file, so they are escaped.
func sayScanned(p *page, files []scannedFile) {
	for _, f := range files {
		for _, item := range f.Items {
			colour, word := terminal.Green, string(item.Verdict)
			switch {
			case item.Verdict == inspect.Block:
				colour = terminal.Red
			case item.Verdict == inspect.Flag:
				colour = terminal.Yellow
			case item.threatens(): // its score lets it pass, but "clean" would suggest that nothing was found
				colour, word = terminal.Yellow, "passes, with warnings"
			}
			p.Printf("%s: %s: %s\n", terminal.Text(f.File), terminal.Text(item.ID), p.Paint(colour, word))
			for _, passage := range item.Passages {
				if !passage.Warns() {
					continue
				}
				for n, at := range passage.Findings {
					p.scanned(item.Findings[at], n > 0)
				}
			}
			if rules, n := inspect.Signs(item.Findings, item.Passages); n > 0 {
				p.Prose("    ", terminal.WeakSigns(rules, n)+" (--format json shows them)")
			}
		}
	}
}

// scanned prints one finding; folded means that a more serious one of the same passage was printed before it.
func (p *page) scanned(f inspect.Finding, folded bool) {
	indent, where := "    ", ""
	if folded {
		indent += "    also "
	}
	if f.Where != "" {
		where = " in " + terminal.Text(f.Where)
	}
	p.Printf("%s%s: %s (%s%s, bytes %d to %d)\n", indent, f.Level, f.Title, f.Rule, where, f.Start, f.End)
	indent = strings.Repeat(" ", 8)
	if folded {
		indent += "    "
	}
	if f.Match != "" {
		p.Printf("%s%s\n", indent, terminal.Text(f.Match))
	}
	if f.Decoded != "" {
		p.Printf("%sdecoded: %s\n", indent, terminal.Text(f.Decoded))
	}
}
