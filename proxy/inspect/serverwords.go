package inspect

import (
	"slices"
	"strings"

	"github.com/sallyport/sallyport/proxy/frame"
)

// PlaceInitialize begins the place of findings in the response to initialize: "initialize.serverInfo.name".
const PlaceInitialize = "initialize"

// SuspectServer reports a finding of Medium or above in what a server says about itself as a whole. It belongs to no item, so allowing a
// new server includes it.
func SuspectServer(findings []Finding) bool {
	return slices.ContainsFunc(findings, func(f Finding) bool {
		rest, ok := strings.CutPrefix(f.Where, PlaceInitialize)
		return ok && (rest == "" || rest[0] == '.' || rest[0] == '[') && f.Level.Rank() >= Medium.Rank()
	})
}

// NoReading is the rule for text that two parsers could read differently.
const NoReading = "no_one_reading"

// JudgeInitialize judges one member of the response to initialize.
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
