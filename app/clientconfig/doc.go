// Package clientconfig finds, reads and edits the configuration files of MCP clients: Claude Desktop first, then those whose file has the
// same shape.
//
// Start with Locate (where the files are and whether they can be read), then Parse (the entries of one file), Wrap and Unwrap (the file's
// bytes with wrappers added or removed) and Write (save them, after a backup). Classify says what one entry is; Compare and PutBack are for
// watching a protected file; Diff shows a change to a person.
//
// Three promises hold everywhere. Only the values of command and args are edited, as splices of the original bytes, so everything else in
// the file stays byte for byte and Unwrap restores what Wrap was given. A file that two programs could read differently (invalid JSON, a
// duplicate key) is refused, never guessed at. And no value of an entry's env, nor a secret among its arguments, appears in any error,
// String or Diff.
//
// Wrap, Unwrap, Compare and PutBack work on text, and read the disk only to tell whether a command is our file; Locate, Extensions,
// ReadPolicy and Read only read; Write and Backups write. The package knows no hub, no store and no settings.
package clientconfig
