// Package scripted is an MCP server on stdio that does what a script says, misbehaving on command included. Tests put it
// behind a wrapper to play every attack and accident of the wild; `sallyport demo` uses its weather script.
//
// Main is the whole program: `weather` or the path of a Script in JSON. A script declares one face or several (what the
// server says about itself, in bytes kept as written) and rules: on an event, take steps. What no rule catches is answered
// as an honest server of the legacy era would.
//
// The package knows nothing of the wrapper. It reads as carelessly as the servers in the field do (encoding/json: case does
// not count, the last of two keys wins), so that a message that slips past a gate is carried out here.
package scripted
