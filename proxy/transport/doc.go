// Package transport starts server processes, for wrap, probe and demo alike, and sees to it that nothing of a server
// outlives whoever started it.
//
// Call GuardMain first thing in main, then Start; where the first milliseconds count, call Prepare as early as possible
// and Prepared.Start once the command is known. A ServerProcess has the server's stdin and stdout as plain pipes, Exited for
// the moment its main process is gone, and Stop, which returns when the last descendant is.
//
// Between the wrapper and the server stands a guard, this same program started again:
//
//	wrapper ── guard ── server ── whatever the server starts
//
// The guard relays no byte: the server's three pipes end in the wrapper. It holds one socket to the wrapper, whose end
// means that the wrapper died, by kill -9 too. It is the subreaper of the tree (Linux), so a daemon that forked twice and
// took a session of its own is still its child, and "no child left" is the kernel's own word for "nothing survived".
// If the guard is killed, the server dies by its parent-death signal and the rest falls to the wrapper, itself a
// subreaper. Start therefore makes the calling process a subreaper for good.
//
// The shutdown is the same however it begins (Stop, the wrapper's death, a signal to the guard): end of input, after 2 s
// SIGTERM to the server's group and what else descends from it, after 2 s SIGKILL until nothing is left. When the server's
// main process exits by itself, what it leaves behind gets SIGTERM at once and SIGKILL 2 s later.
//
// What this cannot hold on Linux: a process that kills the wrapper and the guard in the same instant; what the server asks
// another program to start (systemd, cron, D-Bus, a container daemon); a set-user-id program, which the user may not
// signal. On macOS there is no subreaper and no parent-death signal, so a daemon that left the tree before the shutdown
// began stays; on Windows the job object is the kernel's own guard. Only Linux is tested.
//
// The process that calls Start ignores or handles SIGPIPE itself (a client that closes our stdout would kill us without a
// clean-up, T13 in docs/relay.md) and must handle, not ignore, SIGINT and SIGHUP: what is ignored is inherited by the server.
// SIGPIPE alone may be ignored, the guard restores it.
//
// The package writes no log.
package transport
