// Package remote speaks to MCP servers at an address: over streamable HTTP (specification of 2025-03-26 to 2025-11-25, "Transports"), its
// stateless form (2026-07-28) and the older HTTP with SSE (2024-11-05).
//
// Open makes a Server, which looks to a session like the two ends of a pipe: each line written to it is one message and becomes one POST, and
// what the server sends comes back line by line (frame.Source), byte for byte, except for line breaks between the tokens of a message, which
// become blanks. A request that gets no response ends in a *frame.Undelivered, whose words are ours. Nothing here reads a message further than its
// envelope, and nothing decides what may pass.
//
// Rules that hold whatever the server does:
//
//   - A request is sent once. It is sent again only if no connection was made, or if the server says that it forgot the session (404).
//   - A response counts on the stream of its own request, or on the one that resumes it (streamable HTTP); elsewhere it is dropped.
//   - Nothing is sent to another origin: redirects are followed only within scheme, host and port (307 and 308), and so is the address that a
//     server of the older transport names.
//   - Only the address that was checked is connected to: names are resolved once for each connection.
//   - A remote server never ends the session. Close does, within a few seconds, whatever hangs.
package remote
