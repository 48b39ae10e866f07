package main

import (
	"fmt"
	"os"
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
