// Package peer proves who is at the other end of a socket: a living process of this user that runs an executable of this installation, and
// that no wrapped server started. It asks the kernel, and trusts nothing that the other end says.
package peer
