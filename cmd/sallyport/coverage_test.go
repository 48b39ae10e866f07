package main

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/sallyport/sallyport/cmd/sallyport/terminal"
	"github.com/sallyport/sallyport/proxy/control"
)

func TestEveryClientKeepsItsLineHoweverMuchIsUnguarded(t *testing.T) {
	for _, c := range []struct{ first, second, most int }{{90, 90, 40}, {90, 3, 40}, {3, 90, 20}, {2, 2, 40}, {500, 1, 12}} {
		t.Run(fmt.Sprintf("%d and %d in %d lines", c.first, c.second, c.most), func(t *testing.T) {
			coverage := control.Coverage{Total: c.first + c.second, Unseen: []string{"Sallyport can't see or guard connectors."}}
			for _, one := range []struct {
				client  string
				entries int
			}{{"first", c.first}, {"second", c.second}} {
				coverage.Clients = append(coverage.Clients, control.ClientFile{Client: one.client, Name: one.client, Path: "/x", State: control.FileFound, Watched: true, Total: one.entries})
				for i := range one.entries {
					coverage.Unguarded = append(coverage.Unguarded, control.Unguarded{Client: one.client, Name: fmt.Sprint(one.client, i), Code: "SP-211", Why: "it has no command", Next: "fix the entry"})
				}
			}
			p := &page{&terminal.Page{Columns: 80}}
			lines := p.coverage(coverage, c.most)
			text := strings.Join(lines, "")
			if len(lines) > c.most || strings.Contains(text, "lines more") {
				t.Errorf("%d lines:\n%s", len(lines), text)
			}
			for _, want := range []string{"first: 0 of", "second: 0 of", "can't see or guard"} {
				if !strings.Contains(text, want) {
					t.Errorf("no %q in\n%s", want, text)
				}
			}
			named := strings.Count(text, "not guarded: ")
			for _, more := range regexp.MustCompile(`and (\d+) more: sallyport status --json`).FindAllStringSubmatch(text, -1) {
				n, _ := strconv.Atoi(more[1])
				named += n
			}
			if named != c.first+c.second {
				t.Errorf("%d of %d entries are named or counted:\n%s", named, c.first+c.second, text)
			}
		})
	}
}
