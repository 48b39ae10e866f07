package main

import "os"

// output is standard output as a command writes it: a file that remembers what it could not take. A full disk behind a
// redirect must not end in exit code 0, and the pages print line by line without looking.
type output struct {
	*os.File
	failed error
}

func (o *output) Write(b []byte) (int, error) {
	n, err := o.File.Write(b)
	if err != nil && o.failed == nil {
		o.failed = err
	}
	return n, err
}

func (o *output) WriteString(s string) (int, error) { return o.Write([]byte(s)) }
