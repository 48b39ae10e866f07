package terminal

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
)

// Lines are lines that a page is to print, each with its end.
type Lines []string

// Aside is what f prints, without printing it.
func (p *Page) Aside(f func(*Page)) Lines {
	var all bytes.Buffer
	inside := *p
	inside.Out = &all
	f(&inside)
	lines := strings.SplitAfter(all.String(), "\n")
	if lines[len(lines)-1] == "" {
		lines = lines[:len(lines)-1]
	}
	return lines
}

// AtMost is no more than so many of the lines, and where the rest is.
func (lines Lines) AtMost(most int, rest string) Lines {
	if len(lines) <= most {
		return lines
	}
	kept := lines[:most-1]
	return append(slices.Clip(kept), fmt.Sprintf("          and %s more: %s\n", Counted(len(lines)-len(kept), "line"), rest))
}
