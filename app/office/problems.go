package office

import (
	"maps"
	"slices"
	"strings"

	"github.com/sallyport/sallyport/proxy/control"
)

// Problems have stable codes; docs/problems.md has a paragraph for each.
const (
	ProblemStoreDamaged    = "SP-001"
	ProblemStoreMissing    = "SP-002"
	ProblemStoreSeal       = "SP-003"
	ProblemStoreNewer      = "SP-004"
	ProblemStoreUnreadable = "SP-005"
	ProblemStoreLost       = "SP-006"
	ProblemTampered        = "SP-007"
	ProblemStoreWrite      = "SP-008"
	ProblemCLIIgnored      = "SP-009"
	ProblemSettings        = "SP-010"
	ProblemSettingsWatch   = "SP-011"
	ProblemLog             = "SP-012"
	ProblemSpool           = "SP-013"
	ProblemRules           = "SP-014"
	ProblemHead            = "SP-016"
	ProblemGuardrail       = "SP-017"

	ProblemClientGone       = "SP-201"
	ProblemClientDenied     = "SP-202"
	ProblemClientUnreadable = "SP-203"
	ProblemClientWatch      = "SP-204"
	ProblemClientWrite      = "SP-205"
	ProblemClientKeep       = "SP-206"
)

// Why a server does not run guarded.
const (
	CoverOpen        = "SP-210"
	CoverOdd         = "SP-211"
	CoverRemote      = "SP-212"
	CoverExtension   = "SP-213"
	CoverPolicy      = "SP-215"
	CoverFake        = "SP-216"
	CoverMovedHome   = "SP-217"
	CoverProgramGone = "SP-218"
)

// Problem records a problem until it is solved.
func (o *Office) Problem(code, what, next string) {
	now := control.Problem{Code: code, What: OneLine(what), Next: next}
	before, known := o.problems[code]
	if !known && o.Told != nil {
		o.Told(now)
	}
	if before != now {
		o.problems[code] = now
		o.Changed()
	}
}

func (o *Office) Solved(code string) {
	if _, ok := o.problems[code]; ok {
		delete(o.problems, code)
		o.Changed()
	}
}

// Stands is the problem with a code, empty if there is none.
func (o *Office) Stands(code string) control.Problem { return o.problems[code] }

// Problems are the current ones, by code.
func (o *Office) Problems() []control.Problem {
	list := slices.AppendSeq([]control.Problem{}, maps.Values(o.problems))
	slices.SortFunc(list, func(a, b control.Problem) int { return strings.Compare(a.Code, b.Code) })
	return list
}

// OneLine keeps an error of the system on one line.
func OneLine(s string) string { return strings.Join(strings.Fields(s), " ") }
