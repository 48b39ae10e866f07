package guardrail

import (
	"os"

	"github.com/sallyport/sallyport/proxy/peer"
	"github.com/sallyport/sallyport/proxy/proc/table"
	"github.com/sallyport/sallyport/proxy/transport"
)

// others are the children of this process that no guard started. If a provider kills its guard, what it leaves behind falls to this process
// and is killed. A wrapper has no other children, but a hub may have opened a program for the person, and that must live on. What a guard
// started has a mark that it can't remove.
func others() []int {
	marked := transport.Mark() != 0
	var children []int
	_ = table.Each(func(pid int) error {
		if p, err := table.Read(pid); err == nil && p.Parent == os.Getpid() && !(marked && peer.Marked(pid)) {
			children = append(children, pid)
		}
		return nil
	})
	return children
}
