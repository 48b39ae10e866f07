package main

import (
	"bytes"
	"maps"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"sort"
	"strings"
	"unicode/utf8"

	"github.com/sallyport/sallyport/proxy/frame"
	"github.com/sallyport/sallyport/proxy/inspect"
)

// The parts of SARIF 2.1.0 (OASIS, 2020) that a report needs. A finding is in one string of one definition of a file: lines, columns and
// bytes of the file are the physical location, the string the logical one. Code scanning pages drop a result without a line.
type (
	sarifLog struct {
		Schema  string     `json:"$schema"`
		Version string     `json:"version"`
		Runs    []sarifRun `json:"runs"`
	}
	sarifRun struct {
		Tool      sarifTool     `json:"tool"`
		Columns   string        `json:"columnKind"`
		Artifacts []sarifFile   `json:"artifacts"`
		Results   []sarifResult `json:"results"`
	}
	sarifTool struct {
		Driver sarifDriver `json:"driver"`
	}
	sarifDriver struct {
		Name    string      `json:"name"`
		Version string      `json:"version"`
		Rules   []sarifRule `json:"rules"`
		// A property bag, because no member of a driver names the rule set.
		Properties map[string]any `json:"properties"`
	}
	sarifRule struct {
		ID               string    `json:"id"`
		ShortDescription sarifText `json:"shortDescription"`
	}
	sarifText struct {
		Text string `json:"text"`
	}
	sarifFile struct {
		Location sarifURI `json:"location"`
	}
	sarifURI struct {
		URI string `json:"uri"`
	}
	sarifResult struct {
		RuleID     string          `json:"ruleId"`
		RuleIndex  int             `json:"ruleIndex"`
		Level      string          `json:"level"`
		Message    sarifText       `json:"message"`
		Locations  []sarifLocation `json:"locations"`
		Properties map[string]any  `json:"properties"`
	}
	sarifLocation struct {
		Physical sarifPhysical  `json:"physicalLocation"`
		Logical  []sarifLogical `json:"logicalLocations,omitempty"`
	}
	sarifPhysical struct {
		Artifact sarifURI     `json:"artifactLocation"`
		Region   *sarifRegion `json:"region,omitempty"`
	}
	sarifLogical struct {
		Name string `json:"fullyQualifiedName"`
	}
)

var sarifLevels = map[inspect.Level]string{inspect.Critical: "error", inspect.High: "error", inspect.Medium: "warning", inspect.Low: "note"}

func sarifOf(files []scannedFile, ruleSet string) sarifLog {
	titles := map[string]string{}
	for _, f := range files {
		for _, item := range f.Items {
			for _, finding := range item.Findings {
				if titles[finding.Rule] == "" {
					titles[finding.Rule] = finding.Title
				}
			}
		}
	}
	index := map[string]int{}
	run := sarifRun{Tool: sarifTool{sarifDriver{Name: "Sallyport", Version: version, Rules: []sarifRule{}, Properties: map[string]any{"ruleSet": ruleSet}}}, Columns: "utf16CodeUnits", Artifacts: []sarifFile{}, Results: []sarifResult{}}
	for i, name := range slices.Sorted(maps.Keys(titles)) {
		index[name] = i
		run.Tool.Driver.Rules = append(run.Tool.Driver.Rules, sarifRule{name, sarifText{titles[name]}})
	}
	for _, f := range files {
		uri := sarifURI{fileURI(f.File)}
		lines := linesOf(f.raw)
		run.Artifacts = append(run.Artifacts, sarifFile{uri})
		for _, item := range f.Items {
			for _, finding := range item.Findings {
				where := sarifLocation{Physical: sarifPhysical{uri, lines.region(placeOf(f, item, finding))}}
				if f.Kind == "tools" {
					name := item.ID
					if finding.Where != "" {
						name += "." + finding.Where
					}
					where.Logical = []sarifLogical{{name}}
				}
				run.Results = append(run.Results, sarifResult{
					RuleID: finding.Rule, RuleIndex: index[finding.Rule], Level: sarifLevels[finding.Level], Message: sarifText{finding.Title},
					Locations: []sarifLocation{where}, Properties: map[string]any{"finding": finding, "verdict": item.Verdict},
				})
			}
		}
	}
	return sarifLog{Schema: "https://json.schemastore.org/sarif-2.1.0.json", Version: "2.1.0", Runs: []sarifRun{run}}
}

func placeOf(f scannedFile, item scannedItem, finding inspect.Finding) frame.Span {
	if f.Kind == "tools" {
		return inspect.Locate(f.raw, item.at, finding)
	}
	return frame.Span{Start: finding.Start, End: finding.End}
}

// fileURI is a path for SARIF: relative to the working folder, so that a report can be read elsewhere; a file URI if the file is not below
// it.
func fileURI(path string) string {
	if path == "-" {
		return "stdin"
	}
	if filepath.IsAbs(path) {
		if here, err := os.Getwd(); err == nil {
			if below, err := filepath.Rel(here, path); err == nil && filepath.IsLocal(below) {
				path = below
			}
		}
	}
	u := url.URL{Path: filepath.ToSlash(path)}
	if filepath.IsAbs(path) {
		u.Scheme = "file"
		if !strings.HasPrefix(u.Path, "/") { // a drive
			u.Path = "/" + u.Path
		}
	}
	return u.String()
}

// sarifRegion is a part of a file. Lines and columns count from 1, columns in UTF-16 code units; the end is the place behind the last
// character.
type sarifRegion struct {
	StartLine   int `json:"startLine"`
	StartColumn int `json:"startColumn"`
	EndLine     int `json:"endLine"`
	EndColumn   int `json:"endColumn"`
	Offset      int `json:"byteOffset"`
	Length      int `json:"byteLength"`
}

// lineStarts is a file and where its lines begin. A line ends in LF or CRLF, as SARIF takes it.
type lineStarts struct {
	raw    []byte
	starts []int
}

func linesOf(raw []byte) lineStarts {
	l := lineStarts{raw: raw, starts: []int{0}}
	for at := 0; ; {
		end := bytes.IndexByte(raw[at:], '\n')
		if end < 0 {
			return l
		}
		at += end + 1
		l.starts = append(l.starts, at)
	}
}

// region is a span of the file by lines, columns and bytes. What has no length is the place of one character.
func (l lineStarts) region(span frame.Span) *sarifRegion {
	start := min(max(span.Start, 0), len(l.raw))
	end := min(max(span.End, start), len(l.raw))
	r := sarifRegion{Offset: start, Length: end - start}
	r.StartLine, r.StartColumn = l.place(start)
	r.EndLine, r.EndColumn = l.place(end)
	return &r
}

func (l lineStarts) place(offset int) (line, column int) {
	line = sort.SearchInts(l.starts, offset+1)
	column = 1
	for text := l.raw[l.starts[line-1]:offset]; len(text) > 0; {
		r, size := utf8.DecodeRune(text)
		column++
		if r > 0xFFFF {
			column++
		}
		text = text[size:]
	}
	return line, column
}
