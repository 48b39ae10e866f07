package schema

import (
	"errors"
	"io"
	"regexp"
	"regexp/syntax"
	"runtime"
	"strings"
	"sync"
	"time"
	"unicode/utf8"

	"github.com/dlclark/regexp2/v2"
)

const (
	// backtracking is how much processor time all patterns together can take in one validation in the engine that goes back and tries again.
	// It takes time without end for patterns like (a+)+$.
	backtracking = 50 * time.Millisecond
	// spareMatching and matchingPerByte, of the whole value, are the same for Go's engine, whose time is the length of the text times the size of
	// the pattern. Ordinary patterns take 10 to 50 ns for each byte of a text. mostMatching is what large values have.
	matchingPerByte = 100 * time.Nanosecond
	mostMatching    = 500 * time.Millisecond
	// longestTry is the time on the clock after which the engine that backtracks is stopped to see how much of the processor it had meanwhile.
	longestTry = 400 * time.Millisecond
	// maxProgram is how many instructions Go's engine takes for a pattern, roughly. It writes repetitions out: ((a{99}){99}){9} has 90,000.
	maxProgram = 4_000
	// maxPrograms is how many all patterns of a schema can have, and instruction what one takes in bytes.
	maxPrograms = 40_000
	instruction = 64
	// folded is what a range of characters counts where a pattern may ignore case: to compile it takes each of its characters a look-up.
	folded = 200
	// uninterrupted is how much work Go's engine does without a look at the clock: characters times instructions. It takes 25 ms at most.
	uninterrupted = 4 << 20
	// unmeasured is how much it does without a question to the system, which takes as long as a short match. It is paid for by the clock on the
	// wall, but never more than perUnit for each unit of it: the rest was somebody else's turn on the processor.
	unmeasured = 4 << 10
	perUnit    = 50 * time.Nanosecond
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
	ranges, flags := 0, flagged(source)
	if flags {
		ranges = folded * strings.Count(source, "-")
	}
	if ranges <= maxProgram {
		if parsed, err := syntax.Parse(source, syntax.Perl); err == nil {
			if p.program = programSize(parsed) + ranges; p.program <= maxProgram {
				if p.linear, err = regexp.Compile(source); err == nil {
					return p, nil
				}
			}
		}
	}
	p.program = 0
	if flags {
		return nil, errPattern
	}
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

// flagged reports whether a pattern sets flags for what follows, as in (?i). ECMA 262 has no such thing, but Go's engine has.
func flagged(source string) bool {
	for i := 0; i+2 < len(source); i++ {
		if source[i] == '\\' {
			i++
			continue
		}
		if c := source[i+2]; source[i] == '(' && source[i+1] == '?' && (c == '-' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z') {
			return true
		}
	}
	return false
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

// budget is the time that is left for patterns in one validation. It is time of the processor where the system tells it for a thread: by the
// clock on the wall, an honest pattern would be too costly on a busy machine.
type budget struct {
	matching, backtracking time.Duration
}

// newBudget is the time for a value of so many bytes.
func newBudget(bytes int) budget {
	return budget{min(spareMatching+time.Duration(bytes)*matchingPerByte, mostMatching), backtracking}
}

func (b *budget) spent() bool { return b.matching <= 0 || b.backtracking <= 0 }

// match reports whether a text matches. Once the budget is spent it says no, and means nothing.
func (b *budget) match(p *pattern, s string) bool {
	if b.spent() {
		return false
	}
	if p.linear == nil {
		return b.backtrack(p.other, s, b.backtracking)
	}
	units := len(s) * p.program
	if units <= unmeasured {
		start := time.Now()
		matches := p.linear.MatchString(s)
		b.matching -= min(time.Since(start), time.Duration(units+p.program)*perUnit)
		return matches
	}
	w := startStopwatch()
	defer w.release()
	if units <= uninterrupted {
		matches := p.linear.MatchString(s)
		b.matching -= w.used()
		return matches
	}
	r := &watched{s: s, watch: w, left: b.matching, look: time.Now().Add(b.matching)}
	matches := p.linear.MatchReader(r)
	if b.matching -= w.used(); r.late {
		b.matching = 0
	}
	return matches
}

// backtrack matches in the engine that can only be stopped by the clock on the wall. If it had little of the processor until then, it gets
// another and longer try.
func (b *budget) backtrack(other *regexp2.Regexp, s string, try time.Duration) bool {
	re := *other // a copy, since others use the same pattern with another deadline; the engine allows its users that
	for ; ; try = min(2*try, longestTry) {
		re.MatchTimeout = try
		w := startStopwatch()
		matches, err := re.MatchString(s)
		b.backtracking -= w.used()
		w.release()
		if err == nil {
			return matches
		}
		if errors.Is(err, regexp2.ErrBacktrackingStackLimit) {
			b.backtracking = 0
		}
		if b.spent() {
			return false
		}
	}
}

// watched gives a text to Go's engine until the time is used.
type watched struct {
	s     string
	at    int
	reads uint
	watch stopwatch
	left  time.Duration
	look  time.Time // not used before
	late  bool
}

func (w *watched) ReadRune() (rune, int, error) {
	if w.reads++; w.reads%64 == 0 && time.Now().After(w.look) {
		rest := w.left - w.watch.used()
		w.look = time.Now().Add(rest)
		w.late = rest <= 0
	}
	if w.late || w.at >= len(w.s) {
		return 0, 0, io.EOF
	}
	r, n := utf8.DecodeRuneInString(w.s[w.at:])
	w.at += n
	return r, n, nil
}

// stopwatch measures the time that the processor spends on what follows, on this goroutine, until its release.
type stopwatch struct{ start time.Duration }

func startStopwatch() stopwatch {
	runtime.LockOSThread() // the time is the thread's
	return stopwatch{threadTime()}
}

func (w stopwatch) used() time.Duration { return threadTime() - w.start }

func (w stopwatch) release() { runtime.UnlockOSThread() }
