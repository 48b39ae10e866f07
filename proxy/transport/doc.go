// Package transport starts server processes, for wrap, probe and demo alike, and makes sure that no process of a server outlives the
// program that started it.
//
// Call Start; if the first milliseconds count, call Prepare as early as possible and Prepared.Start once the command is known. A ServerProcess has the server's stdin and stdout as plain pipes, Exited for the end of its main process, and Stop,
// which returns when the last descendant is gone.
//
// Between the wrapper and the server is a guard (proxy/transport/guard), this same program started again:
//
//	wrapper ── guard ── server ── whatever the server starts
//
// The guard relays no bytes: the server's three pipes end in the wrapper. It holds one socket to the wrapper; its end means that the
// wrapper died, even by kill -9. It is the subreaper of the tree (Linux), so a daemon that forked twice into a session of its own is still
// its child, and once it has no children left, nothing survived. If the guard is killed, the server dies by its parent-death signal, and
// the rest of the tree falls to the wrapper, itself a subreaper. Start therefore makes the calling process a subreaper for good.
//
// Every shutdown (Stop, the wrapper's death, a signal to the guard) is the same: close the input, after 2 s SIGTERM to the server's group
// and its other descendants, after 2 s SIGKILL until nothing is left. If the server's main process exits by itself, what it leaves behind
// gets SIGTERM at once and SIGKILL 2 s later.
//
// Limits on Linux: a process that kills the wrapper and the guard in the same instant; programs that the server has started by others
// (systemd, cron, D-Bus, a container daemon); set-user-id programs, which the user can't signal. macOS has no subreaper and no parent-death
// signal, so a daemon that left the tree before the shutdown began stays; on Windows the job object is the kernel's own guard. Only Linux
// is tested.
//
// The process that calls Start must ignore or handle SIGPIPE (or a client that closes our stdout would kill us without a clean-up, T13 in
// docs/relay.md), and must handle, not ignore, SIGINT and SIGHUP, because the server inherits ignored signals. Only SIGPIPE may be ignored:
// the guard restores it.
//
// The package writes no log.
package transport
