package inspect

import (
	"encoding/json"
	"math/rand/v2"
	"os"
	"reflect"
	"slices"
	"testing"
)

// The page's tests read the same file (frontend/src/review/passages.test.ts).
func TestPassagesAreFoldedAsThePageDrawsThem(t *testing.T) {
	raw, err := os.ReadFile("testdata/passages.json")
	if err != nil {
		t.Fatal(err)
	}
	var cases []struct {
		Name     string
		Findings []Finding
		Passages [][]int
	}
	if err := json.Unmarshal(raw, &cases); err != nil || len(cases) < 10 {
		t.Fatalf("%d cases, %v", len(cases), err)
	}
	for _, c := range cases {
		t.Run(c.Name, func(t *testing.T) {
			got := [][]int{}
			for _, p := range Passages(c.Findings) {
				got = append(got, p.Findings)
				if p.Level != c.Findings[p.Findings[0]].Level || p.Level != worstAmong(c.Findings, p.Findings) {
					t.Errorf("%v is %q", p.Findings, p.Level)
				}
			}
			if !reflect.DeepEqual(got, c.Passages) {
				t.Errorf("%v, want %v", got, c.Passages)
			}
		})
	}
}

// Each finding is in exactly one passage, and the passages of a text are apart.
func TestEveryFindingIsInOnePassage(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	levels := []Level{Critical, High, Medium, Low}
	for range 2000 {
		findings := make([]Finding, r.IntN(12))
		for i := range findings {
			start := r.IntN(300)
			findings[i] = Finding{Level: levels[r.IntN(4)], Where: []string{"description", "title"}[r.IntN(2)], Start: start, End: start + r.IntN(40)}
		}
		seen := map[int]int{}
		passages := Passages(findings)
		for n, p := range passages {
			for _, i := range p.Findings {
				seen[i]++
				f := findings[i]
				if f.Where != p.Where || f.Start < p.Start || f.End > p.End {
					t.Fatalf("%v is no part of %v", f, p)
				}
			}
			for _, o := range passages[:n] {
				if o.Where == p.Where && o.End > o.Start && p.End > p.Start && p.Start <= o.End+near && o.Start <= p.End+near {
					t.Fatalf("%v and %v are one", o, p)
				}
			}
		}
		if len(seen) != len(findings) {
			t.Fatalf("%d of %d findings are in a passage", len(seen), len(findings))
		}
		for i, n := range seen {
			if n != 1 {
				t.Fatalf("finding %d is in %d passages", i, n)
			}
		}
	}
}

func worstAmong(findings []Finding, of []int) Level {
	var among []Finding
	for _, i := range slices.Sorted(slices.Values(of)) {
		among = append(among, findings[i])
	}
	return Worst(among)
}
