package inspect

import (
	"fmt"
	"path/filepath"
	"runtime"
	"strings"

	"github.com/sallyport/sallyport/proxy/cut"
	"github.com/sallyport/sallyport/proxy/inspect/legible"
)

// NotLookedAt is the rule for text that could not be inspected because of a fault of this program. It counts as dangerous: text that breaks
// a check must not get past it.
const NotLookedAt = "not_looked_at"

// Fault describes a panic and its origin in one line. Deferred functions call it with the value from recover.
func Fault(p any) string {
	var calls [64]uintptr
	frames := runtime.CallersFrames(calls[:runtime.Callers(2, calls[:])])
	where, thrown := "", false
	for {
		f, more := frames.Next()
		if thrown && !strings.HasPrefix(f.Function, "runtime.") {
			where = fmt.Sprintf(" (%s, %s:%d)", f.Function[strings.LastIndexByte(f.Function, '/')+1:], filepath.Base(f.File), f.Line)
			break
		}
		if thrown = thrown || f.Function == "runtime.gopanic"; !more {
			break
		}
	}
	return cut.Runes(legible.Escape(fmt.Sprint(p)), 400) + where
}

// notLookedAt is the verdict on a response that could not be inspected.
func notLookedAt(fault string) AnswerVerdict {
	return AnswerVerdict{
		Fault: fault,
		Judged: Judged{Verdict: Block, Findings: []Finding{{
			Rule: NotLookedAt, Level: High, Category: "threat", Title: "Sallyport could not look at it: a fault of its own",
		}}},
		Checks: []Check{{Check: CheckThreats, Why: "a fault of Sallyport: " + fault}},
	}
}
