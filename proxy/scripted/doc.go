// Package scripted is an MCP server on stdio that follows a script, misbehaviour included. Tests put it behind a wrapper to play every
// attack and accident; `sallyport demo` uses its weather script.
//
// Main is the whole program: `weather` or the path of a Script in JSON. A script declares one face or several (what the server declares, in
// bytes kept as written) and rules: on an event, take steps. Anything without a rule is answered as an honest server of the legacy era
// would.
//
// The package knows nothing about the wrapper. It reads as carelessly as real servers do (encoding/json: case does not count, the last of
// two keys wins), so that a message that slips past a gate is carried out here.
package scripted
