package control

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/sallyport/sallyport/proxy/inspect/legible"
	"github.com/sallyport/sallyport/proxy/vocab"
)

// Versions are the protocol versions of a start that found none in common.
type Versions = vocab.Versions

// Legacy and Modern are the versions of the two eras that Sallyport speaks, oldest first (specification of 2026-07-28, "Versioning"): a legacy
// session starts with initialize, a modern request says its version itself.
var (
	Legacy = []string{"2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"}
	Modern = []string{"2026-07-28"}
)

// Spoken are the versions of both eras.
var Spoken = append(slices.Clone(Legacy), Modern...)

// maxVersions is how many versions a sentence lists.
const maxVersions = 8

// CheckVersions is the check named in a record's detail after a start without a common protocol version.
const CheckVersions = "versions"

// VersionsOf keeps those versions, of a server's offer and a client's request, that may be repeated to people.
func VersionsOf(offered []string, asked string) Versions {
	var v Versions
	for _, version := range offered {
		if isVersion(version) && !slices.Contains(v.Offered, version) {
			v.Offered = append(v.Offered, strings.Clone(version))
		}
	}
	slices.Sort(v.Offered)
	v.Offered = v.Offered[max(0, len(v.Offered)-maxVersions):] // the newest say most
	if isVersion(asked) {
		v.Asked = strings.Clone(asked)
	}
	return v
}

// isVersion reports whether a text is a protocol version, YYYY-MM-DD: such a text can carry no message.
func isVersion(text string) bool {
	if len(text) != len("2006-01-02") {
		return false
	}
	for i := range len(text) {
		if i == 4 || i == 7 {
			if text[i] != '-' {
				return false
			}
		} else if text[i] < '0' || text[i] > '9' {
			return false
		}
	}
	return true
}

// VersionWords returns the middle of a sentence that begins with the server. who asked is in our own words.
func VersionWords(v Versions, who string) string {
	offers, asked := "offers other versions", "other versions"
	if len(v.Offered) > 0 {
		offers = "offers protocol versions " + strings.Join(v.Offered, ", ")
	}
	if v.Asked != "" {
		asked = v.Asked
	}
	return offers + "; " + who + " asked for " + asked
}

// VersionsDetail is the detail of a record about such a start.
func VersionsDetail(v Versions) json.RawMessage {
	raw, err := json.Marshal(struct {
		Check   string   `json:"check"`
		Offered []string `json:"offered"`
		Asked   string   `json:"asked,omitempty"`
	}{CheckVersions, append([]string{}, v.Offered...), v.Asked})
	if err != nil {
		return nil
	}
	return raw
}

// NoCommonVersion returns what the server offered at a start without a common version, if that is what the record says. It takes over
// nothing but dates and a cleaned name.
func NoCommonVersion(r *Record) (Versions, bool) {
	if r.Kind != vocab.RecordProblem {
		return Versions{}, false
	}
	var detail struct {
		Check   string
		Offered []string
		Asked   string
	}
	if json.Unmarshal(r.Detail, &detail) != nil || detail.Check != CheckVersions {
		return Versions{}, false
	}
	v := VersionsOf(detail.Offered, detail.Asked)
	v.Client = legible.Name(r.Client, "")
	return v, true
}
