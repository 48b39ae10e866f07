// Package sandbox decides what a server's program is kept from, and expresses it in bubblewrap's arguments. It reads the file system and
// starts nothing: proxy/transport starts the guard in the sandbox, and the server below it.
//
// Linux only. Elsewhere there is no sandbox, and Bubblewrap says so.
package sandbox
