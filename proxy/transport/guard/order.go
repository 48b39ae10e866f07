//go:build linux || darwin

package guard

import (
	"errors"
	"syscall"
)

// An Order tells the guard what to run. It goes over the socket and not through the guard's arguments and environment: the server's
// arguments don't appear twice in the process table, the environment arrives byte for byte (a Go program's own has lost its repeated
// names), and the guard can start before the command is known.
//
//	length of the rest, number of arguments (both 4 bytes, little endian), mark (8 bytes), 1 if Shell, then null-terminated: path, dir,
//	arguments, environment
type Order struct {
	Path string
	Dir  string // "" for the guard's own
	Argv []string
	Env  []string
	Mark uint64 // the mark of what it starts, 0 for none (transport.Mark)
	// Shell gives the file to /bin/sh if the kernel does not know its format, as execvp does with a script without a "#!" line.
	Shell bool
}

// head is the length of what comes before the texts, without the length itself.
const head = 4 + 8 + 1

// maxOrder is more than Linux accepts in one exec (a quarter of the stack limit, 2 MiB by default, 6 MiB at most).
const maxOrder = 8 << 20

var errOrder = errors.New("malformed order")

// Encode fails if the order is longer than any system would accept.
func (o Order) Encode() ([]byte, error) {
	b := make([]byte, 4+head, 8<<10)
	for _, list := range [][]string{{o.Path, o.Dir}, o.Argv, o.Env} {
		for _, s := range list {
			b = append(append(b, s...), 0)
		}
	}
	if len(b) > maxOrder {
		return nil, syscall.E2BIG
	}
	put(b[:4], uint64(len(b)-4))
	put(b[4:8], uint64(len(o.Argv)))
	put(b[8:16], o.Mark)
	if o.Shell {
		b[16] = 1
	}
	return b, nil
}

func decode(b []byte) (Order, error) {
	if len(b) < head {
		return Order{}, errOrder
	}
	argc, o := get(b[:4]), Order{Mark: get(b[4:12]), Shell: b[12] == 1}
	var fields []string
	from := head
	for i := head; i < len(b); i++ {
		if b[i] == 0 {
			fields, from = append(fields, string(b[from:i])), i+1
		}
	}
	if from != len(b) || argc == 0 || uint64(len(fields)) < 2+argc {
		return Order{}, errOrder
	}
	o.Path, o.Dir, o.Argv, o.Env = fields[0], fields[1], fields[2:2+argc], fields[2+argc:]
	return o, nil
}

// put and get are encoding/binary, little endian: that package needs reflect, which is initialised too late (doc.go).
func put(b []byte, n uint64) {
	for i := range b {
		b[i] = byte(n >> (8 * i))
	}
}

func get(b []byte) (n uint64) {
	for i := range b {
		n |= uint64(b[i]) << (8 * i)
	}
	return n
}

// Messages from the guard: one byte and a 4-byte value, little endian.
const (
	Started  = 'p' // the server's pid
	Failed   = 'f' // the errno of exec
	Exited   = 'x' // the server's wait status
	Gone     = 'd' // nothing is left; the guard exits
	Catching = 'c' // there is still more to kill
)

// Messages to the guard after its order, one byte each. The end of the socket means ToldStop.
const (
	ToldStop = 's' // the input is closed: wait, terminate, kill
	ToldKill = 'k' // kill now
)

func report(says byte, value uint32) []byte {
	b := make([]byte, 5)
	b[0] = says
	put(b[1:], uint64(value))
	return b
}
