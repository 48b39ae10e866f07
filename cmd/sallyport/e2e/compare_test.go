package e2e

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"
)

// varying is everything in which two runs of a server can differ.
var varying = []struct {
	what    string
	pattern *regexp.Regexp
}{
	{"moments, ISO 8601", regexp.MustCompile(`\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:?\d\d)?`)},
	{"moments as server-filesystem prints them", regexp.MustCompile(`[A-Z][a-z]{2} [A-Z][a-z]{2} \d\d \d{4} \d\d:\d\d:\d\d GMT[^\\"]*`)},
	{"moments as server-everything prints them", regexp.MustCompile(`created at \d{1,2}:\d\d:\d\d( [AP]M)?`)},
	{"random ids", regexp.MustCompile(`[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}`)},
	{"random task ids", regexp.MustCompile(`"taskId":"[0-9a-f]{32}"`)},
}

// blob finds the base64 in which server-everything hides a moment.
var blob = regexp.MustCompile(`"blob":"([A-Za-z0-9+/=]+)"`)

func normal(line string) string {
	line = blob.ReplaceAllStringFunc(line, func(member string) string {
		text, err := base64.StdEncoding.DecodeString(blob.FindStringSubmatch(member)[1])
		if err != nil || !strings.Contains(string(text), "created at ") {
			return member
		}
		return `"blob of":"` + string(text) + `"`
	})
	for _, v := range varying {
		line = v.pattern.ReplaceAllString(line, "<"+v.what+">")
	}
	return line
}

var listChanged = regexp.MustCompile(`"method":"notifications/(tools|prompts|resources)/list_changed"`)

// split separates the lines of a record from the kinds of list_changed that came. Servers send those in bursts, and the wrapper sends one after
// it has judged the change, so neither their number nor their place counts.
func split(record []entry) (lines []entry, changes []string) {
	for _, e := range record {
		if kind := listChanged.FindString(e.line); kind != "" {
			if !slices.Contains(changes, kind) {
				changes = append(changes, kind)
			}
			continue
		}
		lines = append(lines, e)
	}
	slices.Sort(changes)
	return lines, changes
}

// differences compares two records line by line, in bytes. wrapped means that the second session ran behind the wrapper, which adds two tools
// and tools.listChanged, and nothing else.
func differences(direct, other []entry, wrapped bool) []string {
	var found []string
	was, changesWere := split(direct)
	is, changesAre := split(other)
	for i := range max(len(was), len(is)) {
		switch {
		case i >= len(is):
			found = append(found, fmt.Sprintf("line %d is missing: %s", i, short(was[i].line)))
		case i >= len(was):
			found = append(found, fmt.Sprintf("line %d is too many: %s", i, short(is[i].line)))
		default:
			if d := different(was[i], is[i], wrapped); d != "" {
				found = append(found, fmt.Sprintf("line %d (%s): %s", i, was[i].answers, d))
			}
		}
	}
	for _, kind := range changesWere {
		if !slices.Contains(changesAre, kind) {
			found = append(found, "never heard: "+kind)
		}
	}
	for _, kind := range changesAre {
		if !slices.Contains(changesWere, kind) && !(wrapped && strings.Contains(kind, "tools")) {
			found = append(found, "heard although the server did not say it: "+kind)
		}
	}
	return found
}

func different(was, is entry, wrapped bool) string {
	a, b := normal(was.line), normal(is.line)
	if wrapped && was.answers == "initialize" {
		a = toolsFalse.ReplaceAllString(a, `${1}true`)
	}
	if a == b && !(wrapped && was.answers == "tools/list") {
		return ""
	}
	if wrapped {
		added, ok := insertion(a, b)
		switch was.answers {
		case "initialize":
			if ok && addedCapability.MatchString(added) {
				return ""
			}
		case "tools/list":
			if ok && ownTools(added) {
				return ""
			}
		}
	}
	at := 0
	for at < min(len(a), len(b)) && a[at] == b[at] {
		at++
	}
	return fmt.Sprintf("from byte %d on:\n  direct %s\n  here   %s", at, short(a[at:]), short(b[at:]))
}

var (
	toolsFalse      = regexp.MustCompile(`("tools":\{[^}]*"listChanged":)false`)
	addedCapability = regexp.MustCompile(`^,?("tools":\{)?"listChanged":true\}?,?$`)
)

// insertion is the piece that turns a into b when it is inserted.
func insertion(a, b string) (string, bool) {
	at := 0
	for at < min(len(a), len(b)) && a[at] == b[at] {
		at++
	}
	rest := len(a) - at
	if len(b) < len(a) || !strings.HasSuffix(b, a[at:]) {
		return "", false
	}
	return b[at : len(b)-rest], true
}

// wrapperTools are the two tools that the wrapper adds.
var wrapperTools = []string{"approve_server_config", "quarantine_release"}

func ownTools(added string) bool {
	var tools []struct {
		Name string `json:"name"`
	}
	if json.Unmarshal([]byte("["+strings.Trim(added, ",")+"]"), &tools) != nil || len(tools) != len(wrapperTools) {
		return false
	}
	for _, tool := range tools {
		if !slices.Contains(wrapperTools, tool.Name) {
			return false
		}
	}
	return tools[0].Name != tools[1].Name
}

func short(text string) string {
	text = strings.TrimSuffix(text, "\n")
	if len(text) > 300 {
		return fmt.Sprintf("%s… (%d bytes)", text[:300], len(text))
	}
	return text
}
