package main

import "golang.org/x/sys/unix"

// pollHangup is the other end of a socket having closed its writing half.
const pollHangup = unix.POLLRDHUP
