package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// The model that ships is the one that `go run ./cmd/eval train` makes. Machines may round the last bit of a weight differently.
func TestTheModelIsTheOneThatIsFittedHere(t *testing.T) {
	shipped, err := os.ReadFile(filepath.Join("..", "..", "proxy", "inspect", "ngram.model"))
	if err != nil {
		t.Fatal(err)
	}
	made := fit(samples(), "")
	if len(made) != len(shipped) {
		t.Fatalf("%d bytes, %d are shipped: run `go run ./cmd/eval train`", len(made), len(shipped))
	}
	differ := 0
	for i := range made {
		if d := int8(made[i] - shipped[i]); i >= 8 && (d > 1 || d < -1) {
			differ++
		}
	}
	if differ > len(made)/1000 {
		t.Errorf("%d of %d weights differ: run `go run ./cmd/eval train`", differ, len(made))
	}
}

func TestWhatIsMadeHoldsNoHoles(t *testing.T) {
	attacks, honest := 0, 0
	for _, s := range samples() {
		if s.attack {
			attacks++
		} else {
			honest++
		}
		for _, form := range []string{"{ignore}", "{harm}", "{secret}", "{thing}", "{args}"} {
			if s.family != "pages" && strings.Contains(s.text, form) {
				t.Fatalf("%q", s.text)
			}
		}
	}
	if attacks < 1000 || honest < 1000 {
		t.Errorf("%d attacks, %d honest texts", attacks, honest)
	}
}
