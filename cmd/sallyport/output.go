package main

import (
	"encoding/json"
	"fmt"
	"io"
	"os"

	"github.com/sallyport/sallyport/cmd/sallyport/terminal"
	"github.com/sallyport/sallyport/proxy/inspect/legible"
)

// output is standard output that remembers write errors. A full disk behind a redirect must not end in exit code 0, and pages print line by
// line without checking.
type output struct {
	*os.File
	failed error
	done   string // what the command did before its report, such as "it was decided"; "" if it only looks
}

func (o *output) Write(b []byte) (int, error) {
	n, err := o.File.Write(b)
	if err != nil && o.failed == nil {
		o.failed = err
	}
	return n, err
}

// why is the error for what could not be printed. If something was done anyway, it says so: a person who reads only about the failure would
// do it again.
func (o *output) why() error {
	if o.done == "" {
		return o.failed
	}
	return fmt.Errorf("%s, but the report could not be written: %w", o.done, o.failed)
}

// did records what a command has done, in case its report can't be printed.
func (s streams) did(what string) {
	if o, ok := s.out.(*output); ok {
		o.done = what
	}
}

func (o *output) WriteString(s string) (int, error) { return o.Write([]byte(s)) }

// newPage is a page on standard output.
func newPage(s streams) *page {
	var f *os.File
	if o, ok := s.out.(*output); ok {
		f = o.File
	}
	return &page{terminal.On(s.out, f)}
}

// writeJSON prints one JSON document on one line.
func writeJSON(w io.Writer, v any) error {
	out, err := json.Marshal(v)
	if err != nil {
		return fmt.Errorf("encode: %w", err)
	}
	_, err = w.Write(append(legible.EscapeJSON(out), '\n'))
	return err
}

// print reports what came of a command: as JSON with --json, else on a page.
func (f jsonFlag) print(s streams, v any, show func(p *page)) error {
	if f.JSON {
		return writeJSON(s.out, v)
	}
	show(newPage(s))
	return nil
}

// aside is the page for what a person has to read although --json takes standard output.
func (f jsonFlag) aside(s streams) *page {
	if f.JSON {
		s.out = s.err
	}
	return newPage(s)
}

// list is the form of every list in --json.
type list[T any] struct {
	Items []T `json:"items"`
}

func listOf[T any](items []T) list[T] {
	if items == nil {
		items = []T{}
	}
	return list[T]{items}
}

// page is the terminal page with the commands' own methods.
type page struct{ *terminal.Page }
