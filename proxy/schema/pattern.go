package schema

import (
	"errors"
	"io"
	"regexp"
	"regexp/syntax"
	"sync"
	"time"
	"unicode/utf8"

	"github.com/dlclark/regexp2/v2"
)

const (
	// backtracking is how long all patterns together can run in one validation in the engine that goes back and tries again. It takes
	// time without end for patterns like (a+)+$.
	backtracking = 50 * time.Millisecond
	// matching is the same for Go's engine, whose time is the length of the text times the size of the pattern.
	matching = 500 * time.Millisecond
	// maxProgram is how many instructions Go's engine takes for a pattern, roughly. It writes repetitions out: ((a{99}){99}){9} has 90,000.
	maxProgram = 4_000
	// maxPrograms is how many all patterns of a schema can have, and instruction what one takes in bytes.
	maxPrograms = 40_000
	instruction = 64
	// uninterrupted is how much work Go's engine does without a look at the clock: characters times instructions.
	uninterrupted = 16 << 20
	// backtrackingStack is in integers, which is 8 MB.
	backtrackingStack = 1 << 20
	// clockPeriod is how exactly the other engine keeps its time. By default, it can be late by 200 ms.
	clockPeriod = 5 * time.Millisecond
)

// pattern is a regular expression: in Go's engine where it compiles there, otherwise in one that has all of ECMA 262.
type pattern struct {
	source  string
	linear  *regexp.Regexp
	program int
	other   *regexp2.Regexp
}

var errPattern = errors.New("has a pattern that is not a regular expression")

var keepTime = sync.OnceFunc(func() { regexp2.SetTimeoutCheckPeriod(clockPeriod) })

func compilePattern(source string) (*pattern, error) {
	p := &pattern{source: source}
	if parsed, err := syntax.Parse(source, syntax.Perl); err == nil {
		if p.program = programSize(parsed); p.program <= maxProgram {
			if p.linear, err = regexp.Compile(source); err == nil {
				return p, nil
			}
		}
	}
	p.program = 0
	keepTime()
	other, err := regexp2.Compile(source, regexp2.ECMAScript, regexp2.Unicode, regexp2.OptionMaxBacktrackingStackSize(backtrackingStack))
	if err != nil {
		// Without the Unicode flag, ECMA 262 allows escapes that mean nothing, as in "\-".
		other, err = regexp2.Compile(source, regexp2.ECMAScript, regexp2.OptionMaxBacktrackingStackSize(backtrackingStack))
	}
	if err != nil {
		return nil, errPattern
	}
	p.other = other
	return p, nil
}

// programSize estimates how many instructions a pattern becomes, without writing it out.
func programSize(re *syntax.Regexp) int {
	size := 1
	switch re.Op {
	case syntax.OpLiteral:
		size = len(re.Rune)
	case syntax.OpCharClass:
		size += len(re.Rune) / 16
	}
	for _, sub := range re.Sub {
		size = min(size+programSize(sub), maxProgram+1)
	}
	if re.Op == syntax.OpRepeat {
		size = min(size*max(re.Min, re.Max, 1), maxProgram+1)
	}
	return size
}

// budget is the time that is left for patterns in one validation.
type budget struct {
	matching, backtracking time.Duration
}

func newBudget() budget { return budget{matching, backtracking} }

func (b *budget) spent() bool { return b.matching <= 0 || b.backtracking <= 0 }

// match reports whether a text matches. Once the budget is spent it says no, and means nothing.
func (b *budget) match(p *pattern, s string) bool {
	if b.spent() {
		return false
	}
	start := time.Now()
	if p.linear == nil {
		// A copy, since others use the same pattern with another deadline. The engine allows its users that.
		re := *p.other
		re.MatchTimeout = b.backtracking
		matches, err := re.MatchString(s)
		if b.backtracking -= time.Since(start); err != nil {
			b.backtracking = 0
		}
		return matches
	}
	var matches bool
	if len(s)*p.program <= uninterrupted {
		matches = p.linear.MatchString(s)
	} else {
		r := &watched{s: s, deadline: start.Add(b.matching)}
		matches = p.linear.MatchReader(r)
		if r.late {
			b.matching = 0
		}
	}
	b.matching -= time.Since(start)
	return matches
}

// watched gives a text to Go's engine until the deadline.
type watched struct {
	s        string
	at       int
	reads    uint
	deadline time.Time
	late     bool
}

func (w *watched) ReadRune() (rune, int, error) {
	if w.reads++; w.reads%64 == 0 && time.Now().After(w.deadline) {
		w.late = true
	}
	if w.late || w.at >= len(w.s) {
		return 0, 0, io.EOF
	}
	r, n := utf8.DecodeRuneInString(w.s[w.at:])
	w.at += n
	return r, n, nil
}
