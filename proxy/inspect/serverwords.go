package inspect

import (
	"slices"
	"strings"

	"github.com/sallyport/sallyport/proxy/frame"
)

// PlaceInitialize begins the place of what is found in the answer to initialize: "initialize.serverInfo.name".
const PlaceInitialize = "initialize"

// SuspectServer says whether something of Medium or above is found in what a server says of itself as a whole. No item holds it: who
// lets a new server in lets this in too.
func SuspectServer(findings []Finding) bool {
	return slices.ContainsFunc(findings, func(f Finding) bool {
		rest, ok := strings.CutPrefix(f.Where, PlaceInitialize)
		return ok && (rest == "" || rest[0] == '.' || rest[0] == '[') && f.Level.Rank() >= Medium.Rank()
	})
}

// NoReading is the rule of a text that two parsers could read differently.
const NoReading = "no_one_reading"

// JudgeInitialize judges one member of the answer to initialize.
func (f *RuleFile) JudgeInitialize(key string, value []byte) Judged {
	if frame.Validate(value) != nil {
		return Judged{Verdict: Block, Findings: []Finding{{
			Rule: NoReading, Level: High, Category: "threat", Title: "What the server says of itself can be read in two ways",
			Where: PlaceInitialize + "." + key,
		}}}
	}
	raw := append(frame.AppendString([]byte("{"), key), ':')
	raw = append(append(raw, value...), '}')
	judged := f.JudgeDefinition(raw)
	for i := range judged.Findings {
		at := &judged.Findings[i].Where
		switch {
		case *at == "":
			*at = PlaceInitialize
		case (*at)[0] == '[':
			*at = PlaceInitialize + *at
		default:
			*at = PlaceInitialize + "." + *at
		}
	}
	return judged
}
