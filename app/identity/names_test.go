package identity

import (
	"strconv"
	"strings"
	"testing"

	"github.com/sallyport/sallyport/proxy/inspect/legible"
	"github.com/sallyport/sallyport/store"
)

// Cutting must not make two names equal, and a name that ends like one of our marks is not marked.
func TestNoTwoServersAreShownAlike(t *testing.T) {
	middle := func(in string) string { return strings.Repeat("a", 40) + in + strings.Repeat("z", 40) }
	for name, names := range map[string][]string{
		"equal":                              {"weather", "weather"},
		"by look":                            {"weather", "wеather"},
		"cut at 64":                          {middle("one"), middle("two")},
		"cut at 32, in a menu":               {strings.Repeat("a", 20) + "one" + strings.Repeat("z", 20), strings.Repeat("a", 20) + "two" + strings.Repeat("z", 20)},
		"a name like another with its mark":  {"weather", "weather", "weather ·" + store.ServerID("stdio", []string{"0"}, "")[:4]},
		"a name that only looks like marked": {"weather ·1a2b", "notes"},
	} {
		t.Run(name, func(t *testing.T) {
			var servers []store.Server
			for i, name := range names {
				servers = append(servers, store.Server{ID: store.ServerID("stdio", []string{strconv.Itoa(i)}, ""), Name: name})
			}
			wide, narrow, c := map[string]bool{}, map[string]bool{}, CalledOf(servers)
			for _, s := range servers {
				shown := c.Always(s)
				wide[shown], narrow[legible.NarrowName(shown, legible.MaxNarrowName)] = true, true
				if name == "a name that only looks like marked" && s.Name != "notes" && shown != s.Name+" ·"+s.ID[:4] {
					t.Errorf("%q is shown as %q", s.Name, shown)
				}
			}
			if len(wide) != len(servers) || len(narrow) != len(servers) {
				t.Errorf("%v, %v", wide, narrow)
			}
		})
	}
}

func TestAStoredTitleIsReadWithTheNameOfNow(t *testing.T) {
	long := strings.Repeat("名", 101)
	for name, c := range map[string]struct {
		title  string
		server store.Server
		shown  string
		want   string
	}{
		"as it was":                              {"weather is new: 1 tool", store.Server{Name: "weather"}, "", "weather is new: 1 tool"},
		"two of one name since":                  {"weather: the tool \"a\" changed", store.Server{Name: "weather"}, "weather ·1a2b", "weather ·1a2b: the tool \"a\" changed"},
		"by a number, of an older version":       {"server-6 is new: 1 tool", store.Server{Name: "ملفات", Number: 6}, "", "ملفات is new: 1 tool"},
		"the number of another server":           {"server-6 is new: 1 tool", store.Server{Name: "ملفات", Number: 7}, "", "server-6 is new: 1 tool"},
		"under a name it had":                    {"old name is new: 1 tool", store.Server{Name: "new name", Names: []string{"old name"}}, "", "new name is new: 1 tool"},
		"cut":                                    {legible.ShortName(long, 64) + " is new: 1 tool", store.Server{Name: long}, legible.ShortName(long, 64) + " ·1a2b", legible.ShortName(long, 64) + " ·1a2b is new: 1 tool"},
		"a longer word that begins like it":      {"weathering is new: 1 tool", store.Server{Name: "weather"}, "weather ·1a2b", "weathering is new: 1 tool"},
		"no name in it":                          {"Response from \"read\" held for review", store.Server{Name: "mail"}, "mail ·1a2b", "Response from \"read\" held for review"},
		"a number that only begins the same way": {"server-61 is new", store.Server{Name: "ملفات", Number: 6}, "", "server-61 is new"},
	} {
		if got := Retitled(c.title, c.server, c.shown); got != c.want {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
}
