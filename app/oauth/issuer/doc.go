// Package issuer is the other end of a sign-in, for tests: an authorization server with everything that the MCP specification asks of one, a resource
// that it protects, and a person who signs in without being asked.
//
// Start makes both, on two origins of this computer. It is honest and strict: redirect addresses, PKCE, resource and client are compared, refresh
// tokens are good for once, and one that comes again ends the sign-in. Knobs make it slow, absent or wrong while it runs; Count and Seen
// tell what it was asked for.
package issuer
