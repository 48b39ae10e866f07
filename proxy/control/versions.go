package control

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/sallyport/sallyport/proxy/inspect/legible"
	"github.com/sallyport/sallyport/proxy/vocab"
)

// Versions are the protocol versions of a start at which there was none in common.
type Versions = vocab.Versions

// Spoken are the versions that Sallyport speaks, those of the legacy eras, oldest first.
var Spoken = []string{"2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"}

// maxVersions is how many versions a sentence names.
const maxVersions = 8

// CheckVersions is the check, in a record's detail, of a start at which there was no common protocol version.
const CheckVersions = "versions"

// VersionsOf keeps what may be repeated of the versions that a server named and a client asked for.
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

// isVersion says that a text is a version as the protocol writes them, YYYY-MM-DD: there is room for nothing else in it.
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

// VersionWords are the middle of a sentence that begins with the server. who asked is in words of ours.
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

// VersionsDetail is what a record about such a start carries.
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

// NoCommonVersion is what the server offered at a start that came to nothing for it, if the record says that. Nothing in it but dates and
// a cleaned name is taken over.
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
