package powers

import (
	"fmt"
	"slices"
	"strings"
)

// Summary is what all tools of a server can do, in our own statements: none of its words is the server's.
type Summary struct {
	Tools      int         `json:"tools"`
	Statements []Statement `json:"statements"`
	Basis      Basis       `json:"basis,omitempty"` // what all statements rest on; "" if some rest on claims and some on names
	Disputed   int         `json:"disputed"`        // tools with a claim that contradicts their name
}

type Statement struct {
	Of      string `json:"of"`      // commands, changes, messages, reads, unsaid, payments, outside
	Words   string `json:"words"`   // "can change and delete files", "reaches outside: says no"
	Tools   int    `json:"tools"`   // how many tools; 0 for a statement about all
	Claimed int    `json:"claimed"` // how many of them claim it themselves; the rest is read from names
}

func Sum(tools []Tool) Summary {
	s := Summary{Tools: len(tools), Statements: []Statement{}}
	if len(tools) == 0 {
		return s
	}
	var changing []Tool
	commands, changes := Statement{Of: "commands", Words: "can run commands"}, Statement{Of: "changes"}
	sends, pays := Statement{Of: "messages", Words: "can send messages"}, Statement{Of: "payments", Words: "can pay"}
	reads, unsaid := Statement{Of: "reads", Words: "only reads"}, Statement{Of: "unsaid", Words: "doesn't say"}
	count := func(st *Statement, counts bool, by Basis) {
		if !counts {
			return
		}
		st.Tools++
		if by == Claim {
			st.Claimed++
		}
	}
	for _, t := range tools {
		count(&commands, t.touches(Commands), Names)
		count(&sends, t.Sends, Names)
		count(&pays, t.touches(Payments) && t.Effect == Changes, Names)
		count(&changes, t.Effect == Changes, t.Basis)
		count(&reads, t.Effect == Reads, t.Basis)
		count(&unsaid, t.Effect == Unsaid, "")
		if t.Effect == Changes {
			changing = append(changing, t)
		}
		if len(t.Disputes) > 0 {
			s.Disputed++
		}
	}
	changes.Words = "can " + verbs(changing) + " " + things(changing)
	for _, st := range []Statement{commands, changes, sends, pays, reads, unsaid} {
		if st.Tools > 0 {
			s.Statements = append(s.Statements, st)
		}
	}
	s.Statements = append(s.Statements, outsideOf(tools))
	s.Basis = basisOf(s.Statements)
	return s
}

func verbs(changing []Tool) string {
	deletes, silent := false, false
	for _, t := range changing {
		deletes = deletes || t.Deletes == Yes
		silent = silent || t.Deletes == NoAnswer && t.Basis == Claim // the specification assumes that it deletes
	}
	switch {
	case deletes:
		return "change and delete"
	case silent:
		return "change and maybe delete"
	}
	return "change"
}

// things is what all of the tools work on, if that is one thing.
func things(changing []Tool) string {
	for _, t := range []struct {
		touch Touch
		words string
	}{{Files, "files"}, {Data, "databases"}, {Messages, "messages"}} {
		if len(changing) > 0 && !slices.ContainsFunc(changing, func(c Tool) bool { return !c.touches(t.touch) }) {
			return t.words
		}
	}
	return "things"
}

// outsideOf says whether the server reaches outside: yes if one tool claims it or is named after it, else what they claim.
func outsideOf(tools []Tool) Statement {
	st := Statement{Of: "outside"}
	no := 0
	for _, t := range tools {
		switch {
		case t.Outside == Yes:
			st.Tools++
			st.Claimed++
		case t.touches(Outside):
			st.Tools++
		case t.Outside == No:
			no++
		}
	}
	switch {
	case st.Tools > 0 && st.Claimed == st.Tools:
		st.Words = "reaches outside: says yes"
	case st.Tools > 0:
		st.Words = "reaches outside: yes"
	case no == len(tools):
		st.Words, st.Claimed = "reaches outside: says no", no
	case no > 0:
		st.Words, st.Claimed = fmt.Sprintf("reaches outside: says no for %d of %d", no, len(tools)), no
	default:
		st.Words = "reaches outside: doesn't say"
	}
	return st
}

func basisOf(all []Statement) Basis {
	claims, names := false, false
	for _, st := range all {
		claims = claims || st.Claimed > 0
		names = names || st.Tools > st.Claimed && st.Of != "unsaid"
	}
	switch {
	case claims && names:
		return ""
	case claims:
		return Claim
	}
	return Names
}

// String is the summary in one line: "can change and delete files (4 tools) · only reads (9) · reaches outside: says no".
func (s Summary) String() string {
	if s.Tools == 0 {
		return "no tools"
	}
	parts := make([]string, len(s.Statements))
	counted := false
	for i, st := range s.Statements {
		parts[i] = st.Words
		switch {
		case st.Tools == 0:
		case !counted && st.Tools == 1:
			parts[i] += " (1 tool)"
		case !counted:
			parts[i] += fmt.Sprintf(" (%d tools)", st.Tools)
		default:
			parts[i] += fmt.Sprintf(" (%d)", st.Tools)
		}
		counted = counted || st.Tools > 0
	}
	return strings.Join(parts, " · ")
}

// Source says in one sentence where the summary comes from.
func (s Summary) Source() string {
	switch {
	case s.Tools == 0:
		return ""
	case s.Basis == Claim:
		return "The server claims this about itself. Sallyport doesn't check it."
	case s.Basis == Names && !slices.ContainsFunc(s.Statements, func(st Statement) bool { return st.Tools > 0 && st.Of != "unsaid" }):
		return "The server doesn't say what its tools do, and their names don't tell."
	case s.Basis == Names:
		return "Sallyport read this from the names of the tools and their inputs. The server doesn't say."
	}
	return "Partly the server's own claims, partly what Sallyport read from names. Neither is checked."
}

// Words turns a dispute into a sentence about the tool.
func (d Dispute) Words() string {
	switch d {
	case DeletesUnsaid:
		return "Says it only reads, but its name says it deletes."
	case SendsUnsaid:
		return "Says it only reads, but its name says it sends something."
	case RunsUnsaid:
		return "Says it only reads, but its name says it runs commands."
	case KeepsUnsaid:
		return "Says it deletes nothing, but its name says it deletes."
	case ReachesOutside:
		return "Says it doesn't reach outside, but its name says it does."
	default:
		return "Says it only reads, but its name says it changes something."
	}
}
