package main

import "golang.org/x/sys/unix"

// pollHangup reports that the other end of a socket closed its writing half.
const pollHangup = unix.POLLRDHUP
