package transport

import (
	"os"
	"strconv"

	"github.com/sallyport/sallyport/proxy/proc"
	"github.com/sallyport/sallyport/proxy/proc/table"
	"github.com/sallyport/sallyport/proxy/sandbox"
	"github.com/sallyport/sallyport/proxy/transport/guard"
)

// enter starts a guard inside the sandbox that c asks for. path is the program it will run. A failing sandbox shows later, when the guard
// does not answer (wallsFailed).
func enter(c Command, path string) (*Prepared, error) {
	refuse := func(err error) (*Prepared, error) {
		return nil, &sandbox.Error{Command: c.Argv[0], Reason: err.Error()}
	}
	bwrap, err := sandbox.Bubblewrap()
	if err != nil {
		return refuse(err)
	}
	args, err := c.Sandbox.Walls(sandbox.Server{Argv: c.Argv, Path: path, Dir: c.Dir, Env: serverEnv(c.Env)})
	if err != nil {
		return refuse(err)
	}
	// Inside, our own file may be hidden or missing; an open file has no path to hide.
	self, err := os.Open("/proc/self/exe")
	if err != nil {
		return refuse(err)
	}
	defer self.Close()
	argv := append(append([]string{"bwrap"}, args...), "--", "/proc/self/fd/"+strconv.Itoa(guard.Program), guard.Arg)
	g, err := guard.Spawn(bwrap, argv, self)
	if err != nil {
		return refuse(err)
	}
	return &Prepared{Process: g, walled: true}, nil
}

// seenOutside returns the process below box whose number inside is inner; 0 if there is none.
func seenOutside(box, inner int) int {
	found := 0
	guard.Descendants(func(p table.Process) bool { return p.Parent == box }, func(p table.Process) {
		if found == 0 && numberInside(p.PID) == inner {
			found = p.PID
		}
	})
	return found
}

// numberInside is the last number of the line NSpid, the innermost.
func numberInside(pid int) int {
	status, err := proc.Text(pid, "status")
	if err != nil {
		return 0
	}
	numbers, err := proc.Line(status, "NSpid:")
	if err != nil || len(numbers) == 0 {
		return 0
	}
	n, _ := strconv.Atoi(numbers[len(numbers)-1])
	return n
}
