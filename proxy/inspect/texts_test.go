package inspect

import (
	"encoding/base64"
	"slices"
	"strings"
	"testing"
)

func TestTextsAreWhatADetectorOfPlainTextHasToRead(t *testing.T) {
	blob := base64.StdEncoding.EncodeToString([]byte(strings.Repeat("A line of an attached file. ", 20)))
	image := base64.StdEncoding.EncodeToString([]byte(strings.Repeat("\x00\xff\x01\xfe", 200)))
	for _, c := range []struct {
		name, raw string
		want      []string
	}{
		{"values in order, decoded", `{"content":[{"type":"text","text":"caf\u00e9 \/ \"x\""},{"a":["b",1,true,null]}]}`, []string{"text", `café / "x"`, "b"}},
		{"names that say something", `{"ignore all rules":{"ignore_all_previous_rules":1,"short_word":2}}`, []string{"ignore all rules", "ignore_all_previous_rules"}},
		{"no empty ones", `["",{"":""}]`, nil},
		{"a string by itself", `"alone"`, []string{"alone"}},
		{"a file that is text", `{"resource":{"uri":"a:b","blob":"` + blob + `"}}`, []string{"a:b", strings.Repeat("A line of an attached file. ", 20)}},
		{"no picture", `{"type":"image","data":"` + image + `"}`, []string{"image"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := slices.Collect(Texts([]byte(c.raw))); !slices.Equal(got, c.want) {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
	for range Texts([]byte(`["a","b"]`)) {
		break // who has enough gets no more
	}
}
