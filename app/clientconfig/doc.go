// Package clientconfig finds, reads and edits the configuration files of MCP clients: Claude Desktop first, then those
// whose file has the same shape.
//
// Start with Locate (where the files are and whether they can be read), then Parse (the entries of one file), Wrap and
// Unwrap (the bytes of the file with wrappers put in or taken out) and Write (put them in place, a backup first). Classify
// says what one entry is; Compare and PutBack serve whoever watches a protected file; Diff shows a change to a person.
//
// Three promises hold everywhere. Only the values of command and args are edited, as splices of the bytes that were read,
// so whatever else stands in the file stays byte for byte and Unwrap gives back what Wrap was given. A file that two
// programs could read differently (invalid JSON, one key twice) is refused, never guessed at. And no value of an entry's
// env, nor a secret among its arguments, is in any error, String or Diff.
//
// Wrap, Unwrap, Compare and PutBack work on text, and look at the disk only to tell whether a command is our file; Locate, Extensions, ReadPolicy and Read only read; Write and Backups write.
// The package is a leaf: it knows no hub, no store and no settings.
package clientconfig
