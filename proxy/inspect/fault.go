package inspect

import (
	"fmt"
	"path/filepath"
	"runtime"
	"strings"

	"github.com/sallyport/sallyport/proxy/cut"
	"github.com/sallyport/sallyport/proxy/inspect/legible"
)

// NotLookedAt is the rule of what a fault of this program kept from being looked at. It is treated as what is dangerous: a text that
// breaks a check must not be a way past it.
const NotLookedAt = "not_looked_at"

// Fault says in one line what a panic was and where it came from. It is for deferred functions, with what recover gave them.
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

// notLookedAt is the verdict on an answer that could not be looked at.
func notLookedAt(fault string) AnswerVerdict {
	return AnswerVerdict{
		Fault: fault,
		Judged: Judged{Verdict: Block, Findings: []Finding{{
			Rule: NotLookedAt, Level: High, Category: "threat", Title: "Sallyport could not look at it: a fault of its own",
		}}},
		Checks: []Check{{Check: CheckThreats, Why: "a fault of Sallyport: " + fault}},
	}
}
