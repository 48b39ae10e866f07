package main

import (
	"encoding/json"
	"fmt"
	"io"
	"os"

	"github.com/sallyport/sallyport/cmd/sallyport/terminal"
	"github.com/sallyport/sallyport/proxy/inspect/legible"
)

// output is standard output as a command writes it: a file that remembers what it could not take. A full disk behind a
// redirect must not end in exit code 0, and the pages print line by line without looking.
type output struct {
	*os.File
	failed error
	done   string // what the command did before its report, such as "it was decided"; "" where it only looks
}

func (o *output) Write(b []byte) (int, error) {
	n, err := o.File.Write(b)
	if err != nil && o.failed == nil {
		o.failed = err
	}
	return n, err
}

// why is what could not be printed. Where something was done all the same it says so: a person who reads only that the
// command failed would do it again, or think that it is not so.
func (o *output) why() error {
	if o.done == "" {
		return o.failed
	}
	return fmt.Errorf("%s, but the report could not be written: %w", o.done, o.failed)
}

// did notes what a command has done, for an output that cannot take the report.
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

// list is how every list looks in --json.
type list[T any] struct {
	Items []T `json:"items"`
}

func listOf[T any](items []T) list[T] {
	if items == nil {
		items = []T{}
	}
	return list[T]{items}
}

// page is the page that commands print on, with what each adds to it.
type page struct{ *terminal.Page }
