package proxy

import "testing"

// writes records each write.
type writes struct{ sizes []int }

func (w *writes) Write(b []byte) (int, error) {
	w.sizes = append(w.sizes, len(b))
	return len(b), nil
}

func TestWhatWasGatheredIsWrittenBeforeTheRestIsLookedAt(t *testing.T) {
	out := &writes{}
	w := newLineWriter(out)
	w.Cork()
	for range gatherLines - 1 {
		w.Write([]byte("{}\n"))
	}
	if len(out.sizes) != 0 {
		t.Fatalf("written one by one: %d", out.sizes)
	}
	for range gatherLines {
		w.Write([]byte("{}\n"))
	}
	w.Uncork()
	if len(out.sizes) != 2 || out.sizes[0] != 3*gatherLines || out.sizes[1] != 3*(gatherLines-1) {
		t.Errorf("written %d", out.sizes)
	}
}
