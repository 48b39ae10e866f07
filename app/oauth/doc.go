// Package oauth signs in to an authorization server for one remote server, as the MCP specification's chapter on authorization says.
//
// A Client is made for the address of a server. Discover finds out where and how to sign in, and sends nothing of the person's. Begin prepares a
// sign-in: it listens for the browser, registers where that is needed, and makes the page's address, which the caller shows and opens if a
// person wants it. Attempt.Wait takes the browser's response and exchanges its code for Tokens. Refresh and Revoke are for later.
//
// The package opens no browser, keeps nothing, and knows neither hub, store nor keychain: tokens, secrets and registrations are given back to the
// caller, who keeps them.
//
// Rules that hold whatever a server says:
//
//   - Nothing is guessed. Where metadata is missing or breaks a rule, there is no sign-in.
//   - Every request goes over https, or over http to this computer if the server itself is there; to no address inner to the server's own; and
//     to no other origin by a redirect. It takes at most 10 seconds, and a response has at most 1 MiB.
//   - No error holds a token, code, verifier or secret. What an issuer says is in Failure.Words, and never in our sentences.
package oauth
