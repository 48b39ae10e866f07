package app

import (
	"sort"
	"strings"

	"github.com/sallyport/sallyport/proxy/control"
)

// Problems have stable codes; docs/problems.md has a paragraph for each.
const (
	problemStoreDamaged    = "SP-001"
	problemStoreMissing    = "SP-002"
	problemStoreSeal       = "SP-003"
	problemStoreNewer      = "SP-004"
	problemStoreUnreadable = "SP-005"
	problemStoreLost       = "SP-006"
	problemTampered        = "SP-007"
	problemStoreWrite      = "SP-008"
	problemCLIIgnored      = "SP-009"
	problemSettings        = "SP-010"
	problemSettingsWatch   = "SP-011"
	problemLog             = "SP-012"
	problemSpool           = "SP-013"
	problemRules           = "SP-014"

	problemClientGone       = "SP-201"
	problemClientDenied     = "SP-202"
	problemClientUnreadable = "SP-203"
	problemClientWatch      = "SP-204"
	problemClientWrite      = "SP-205"
	problemClientKeep       = "SP-206"
)

// Why a server does not run behind the port.
const (
	coverOpen        = "SP-210"
	coverOdd         = "SP-211"
	coverRemote      = "SP-212"
	coverExtension   = "SP-213"
	coverOther       = "SP-214"
	coverPolicy      = "SP-215"
	coverFake        = "SP-216"
	coverMovedHome   = "SP-217"
	coverProgramGone = "SP-218"
)

// problem notes something that is wrong until it is solved.
func (h *Hub) problem(code, what, next string) {
	now := control.Problem{Code: code, What: oneLine(what), Next: next}
	if h.problems[code] != now {
		h.problems[code] = now
		h.changed()
	}
}

func (h *Hub) solved(code string) {
	if _, ok := h.problems[code]; ok {
		delete(h.problems, code)
		h.changed()
	}
}

// stands is the problem of a code, empty where there is none.
func (h *Hub) stands(code string) control.Problem { return h.problems[code] }

// problemList is what is wrong now, by code.
func (h *Hub) problemList() []control.Problem {
	list := make([]control.Problem, 0, len(h.problems))
	for _, p := range h.problems {
		list = append(list, p)
	}
	sort.Slice(list, func(i, j int) bool { return list[i].Code < list[j].Code })
	return list
}

// oneLine keeps an error of the system on one line.
func oneLine(s string) string { return strings.Join(strings.Fields(s), " ") }
