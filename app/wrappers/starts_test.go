package wrappers

import (
	"fmt"
	"strings"
	"sync"
	"testing"
)

func TestStartsAreBoundedAndForAnyGoroutine(t *testing.T) {
	var s Starts
	var all sync.WaitGroup
	for n := range 4 {
		all.Go(func() {
			for i := range maxStarts {
				s.saw("client", fmt.Sprint(n, i))
				s.Has("client", "0 0")
			}
		})
	}
	all.Wait()
	if got := len(s.list("")); got != maxStarts {
		t.Errorf("%d are kept, not %d", got, maxStarts)
	}
}

func TestAnEntryWithALongNameStartedToo(t *testing.T) {
	var s Starts
	name := strings.Repeat("weather ", 50)
	if !s.saw("claude-desktop", name) || !s.Has("claude-desktop", name) {
		t.Error("it is not known to have started")
	}
	if left := s.list("claude-desktop", name); len(left) != 0 {
		t.Errorf("written anew, it is still known to have started: %v", left)
	}
}
