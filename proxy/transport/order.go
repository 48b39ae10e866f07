//go:build linux || darwin

package transport

import (
	"bytes"
	"encoding/binary"
	"errors"
	"syscall"
)

// An order tells the guard what to run. It goes over the socket and not through the guard's arguments and environment: the server's
// arguments don't appear twice in the process table, the environment arrives byte for byte (a Go program's own has lost its repeated
// names), and the guard can start before the command is known.
//
//	length of the rest, number of arguments (both 4 bytes, little endian), mark (8 bytes), then null-terminated: path, dir, arguments, environment
type order struct {
	path string
	dir  string
	argv []string
	env  []string
	mark uint64 // Mark
}

// maxOrder is more than Linux accepts in one exec (a quarter of the stack limit, 2 MiB by default, 6 MiB at most).
const maxOrder = 8 << 20

var errOrder = errors.New("malformed order")

func (o order) encode() ([]byte, error) {
	b := make([]byte, 16, 8<<10)
	for _, list := range [][]string{{o.path, o.dir}, o.argv, o.env} {
		for _, s := range list {
			b = append(append(b, s...), 0)
		}
	}
	if len(b)-16 > maxOrder {
		return nil, syscall.E2BIG
	}
	binary.LittleEndian.PutUint32(b, uint32(len(b)-4))
	binary.LittleEndian.PutUint32(b[4:], uint32(len(o.argv)))
	binary.LittleEndian.PutUint64(b[8:], o.mark)
	return b, nil
}

func decodeOrder(b []byte) (order, error) {
	if len(b) < 12 {
		return order{}, errOrder
	}
	argc, mark := uint64(binary.LittleEndian.Uint32(b)), binary.LittleEndian.Uint64(b[4:])
	var fields []string
	for rest := b[12:]; len(rest) > 0; {
		end := bytes.IndexByte(rest, 0)
		if end < 0 {
			return order{}, errOrder
		}
		fields = append(fields, string(rest[:end]))
		rest = rest[end+1:]
	}
	if argc == 0 || uint64(len(fields)) < 2+argc {
		return order{}, errOrder
	}
	return order{path: fields[0], dir: fields[1], argv: fields[2 : 2+argc], env: fields[2+argc:], mark: mark}, nil
}

// Messages from the guard: one byte and a 4-byte value, little endian.
const (
	saysStarted = 'p' // the server's pid
	saysFailed  = 'f' // the errno of exec
	saysExited  = 'x' // the server's wait status
	saysGone    = 'd' // nothing is left; the guard exits

	saysCatching = 'c' // there is still more to kill
)

// Messages to the guard after its order, one byte each. The end of the socket means toldStop.
const (
	toldStop = 's' // the input is closed: wait, terminate, kill
	toldKill = 'k' // kill now
)

func report(says byte, value uint32) []byte {
	return binary.LittleEndian.AppendUint32([]byte{says}, value)
}
