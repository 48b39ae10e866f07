// Package sandbox decides what a server's program is kept from, and says it in the arguments of bubblewrap. It looks at the
// file system and starts nothing: proxy/transport starts the guard behind these walls, and the server below it.
//
// Linux only. Elsewhere there is no sandbox, and Bubblewrap says so.
package sandbox
